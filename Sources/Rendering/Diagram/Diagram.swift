import Endpoint
import Explanation
import Simulator

/// A diagram of a run, independent of its format: messages between parties, decisions and attacks.
///
/// JSON contains the diagram, and text, SVG and Mermaid draw it.
public struct Diagram: Sendable, Hashable {
  /// The lane of a party that takes part in the run or observes it.
  public struct Lane: Sendable, Hashable {
    /// The party of the lane.
    public let party: Party
    /// The name that the diagram shows: a host, or the client with its system.
    public let label: String

    /// Creates the lane of `party`.
    public init(_ party: Party, label: String) { (self.party, self.label) = (party, label) }
  }

  /// A row of the diagram.
  public struct Row: Sendable, Hashable {
    /// The connection of the row; nil if there is only one connection.
    public let connection: String?
    /// The content of the row.
    public let content: Content

    /// Creates a row with this content.
    public init(_ content: Content, in connection: String?) { (self.content, self.connection) = (content, connection) }
  }

  /// The content of a row.
  public enum Content: Sendable, Hashable {
    /// The beginning of a connection, with its name, its load, and the changes in the world since the previous
    /// connection.
    case heading([String])
    /// A message between two parties.
    case message(Message)
    /// A fetch, a decision, a computation or an attack.
    case note(Note)
    /// A message that an attacker relays or adds.
    case arrival(Arrival)
  }

  /// A message in the diagram, which refers to steps and lanes by index.
  public struct Message: Sendable, Hashable {
    /// The index of the message's step.
    public let step: Int
    /// The index of the sender's lane.
    public let from: Int
    /// The index of the lane that the message reaches. If an attacker stops the message, it is the attacker's lane.
    public let to: Int
    /// The name of the message.
    public let title: String
    /// The names of the values that become public with the message.
    public let values: [String]
    /// The contents of a readable HTTP message, in a few words; nil for other messages.
    public let words: String?
    /// Whether only the two endpoints can read the message.
    public let isEncrypted: Bool
    /// Whether an attacker sends or receives the message in place of an endpoint.
    public let isIntercepted: Bool

    /// Creates a message between two lanes.
    public init(
      step: Int, from: Int, to: Int, title: String, values: [String], words: String?, isEncrypted: Bool,
      isIntercepted: Bool
    ) {
      self.step = step
      self.from = from
      self.to = to
      self.title = title
      self.values = values
      self.words = words
      self.isEncrypted = isEncrypted
      self.isIntercepted = isIntercepted
    }

    /// The number of the message's step.
    var number: Int { step + 1 }
    /// The text that everyone can read: the contents of an HTTP message, or else the public values.
    var shown: [String] { words.map { [$0] } ?? values }
  }

  /// A note about a fetch, decision, computation or attack of one party.
  public struct Note: Sendable, Hashable {
    /// The kind of a note.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
      /// A request outside the connection, for an issuer certificate or revocation data.
      case fetch
      /// A decision of an endpoint.
      case decision
      /// A computation of values.
      case derivation
      /// An attack on a message.
      case attack
    }

    /// The kind of the note.
    public let kind: Kind
    /// The index of the note's step.
    public let step: Int
    /// The index of the lane of the acting party.
    public let lane: Int
    /// The event in words, without the party if the lane names it.
    public let text: String
    /// The party that the lane names in place of the text; nil if the text is complete.
    public let actor: String?
    /// The glyph for the result of the checks, or for the kind of attack; nil for a derivation.
    public let mark: Span?

    /// Creates a note in a lane.
    public init(_ kind: Kind, step: Int, lane: Int, text: String, actor: String?, mark: Span?) {
      self.kind = kind
      self.step = step
      self.lane = lane
      self.text = text
      self.actor = actor
      self.mark = mark
    }

    /// The number of the note's step.
    var number: Int { step + 1 }
    /// The text of the note, preceded by its glyph.
    var markedText: String { mark.map { "\($0.text) \(text)" } ?? text }
  }

  /// A message that an attacker relays or adds.
  public struct Arrival: Sendable, Hashable {
    /// The step in which the attacker acts.
    public let step: Int
    /// The index of the attacker's lane.
    public let from: Int
    /// The index of the receiver's lane.
    public let to: Int
    /// The name of the message.
    public let message: String
    /// The change that the attacker made.
    public let change: Interference.Kind

    /// Creates a message that arrives from an attacker.
    public init(step: Int, from: Int, to: Int, message: String, change: Interference.Kind) {
      self.step = step
      self.from = from
      self.to = to
      self.message = message
      self.change = change
    }
  }

  /// The verdict on a connection, with its reasons by rule.
  public struct Result: Sendable, Hashable {
    /// The name of the connection; nil if there is only one.
    public let connection: String?
    /// The verdict on the connection.
    public let word: Verdict.Word
    /// The ids of the rules that determined the verdict.
    public let because: [String]
    /// The words that follow the verdict, about the response of a real server; usually empty.
    let note: String

    /// Creates a verdict on the connection with this name.
    public init(_ word: Verdict.Word, because: [String], on connection: String?, note: String = "") {
      (self.word, self.because, self.connection, self.note) = (word, because, connection, note)
    }

    /// Returns all reasons, or only the first one.
    func reasons(firstError: Bool) -> [String] { firstError ? Array(because.prefix(1)) : because }
  }

  /// The lanes from left to right: the client, third parties, and its peers.
  public let lanes: [Lane]
  /// The names of the servers, each listed once. In a calculation, these are the other parties.
  public let servers: [String]
  /// The rows from top to bottom.
  public let rows: [Row]
  /// The verdict on each connection, in order; empty until the run has ended.
  public let results: [Result]
  /// Whether the diagram is about a calculation with toy numbers.
  public let isToy: Bool

  /// Creates a diagram from these parts.
  public init(lanes: [Lane], servers: [String], rows: [Row], results: [Result], isToy: Bool) {
    self.lanes = lanes
    self.servers = servers
    self.rows = rows
    self.results = results
    self.isToy = isToy
  }

  /// Returns the diagram as text with at most `width` columns.
  public func document(width: Int = 80) -> Document {
    TextDiagram(self, width: width).document()
  }

  /// The party of the middle lane in a narrow diagram. It is an interfering attacker, or else a relay, or else an
  /// observer.
  var middle: Party {
    [Party.interceptor, .proxy].first { party in lanes.contains { $0.party == party } } ?? .eavesdropper
  }

  /// The connections that an attacker intercepts.
  var intercepted: Set<String?> {
    let rows = rows.filter { row in
      guard case .message(let message) = row.content else { return false }
      return message.isIntercepted
    }
    return Set(rows.map(\.connection))
  }
}
