import Endpoint
import Explanation
import Simulator

/// The picture of a run, independent of its format: messages between parties, decisions and attacks.
///
/// JSON contains it; text, SVG and Mermaid draw it.
public struct Diagram: Sendable, Hashable {
  /// A party that takes part or observes.
  public struct Lane: Sendable, Hashable {
    /// The party.
    public let party: Party
    /// The name that readers see: a host, or the client with its system.
    public let label: String

    /// The lane of `party`.
    public init(_ party: Party, label: String) { (self.party, self.label) = (party, label) }
  }

  /// A line of the picture.
  public struct Row: Sendable, Hashable {
    /// The connection it belongs to; nil if there is only one.
    public let connection: String?
    /// Its content.
    public let content: Content

    /// A line with this content.
    public init(_ content: Content, in connection: String?) { (self.content, self.connection) = (content, connection) }
  }

  /// The content of a row.
  public enum Content: Sendable, Hashable {
    /// A connection begins: its name, its load, and the changes in the world since the connection before.
    case heading([String])
    /// A message between two parties.
    case message(Message)
    /// A fetch, a decision, a computation or an attack.
    case note(Note)
    /// A message that an attacker relays or adds.
    case arrival(Arrival)
  }

  /// A message. It refers to steps and lanes by index.
  public struct Message: Sendable, Hashable {
    /// The step.
    public let step: Int
    /// The sender's lane.
    public let from: Int
    /// The lane that it reaches: the attacker's if an attacker stops it.
    public let to: Int
    /// The name of the message.
    public let title: String
    /// The values that become public with it, by name.
    public let values: [String]
    /// The text of a readable HTTP message, in a few words.
    public let words: String?
    /// Whether only the two endpoints can read it.
    public let isEncrypted: Bool
    /// Whether an attacker sends or receives it in place of an endpoint.
    public let isIntercepted: Bool

    /// A message between two lanes.
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

    /// The number of its step.
    var number: Int { step + 1 }
    /// The text that everyone can read: its words, or else the values.
    var shown: [String] { words.map { [$0] } ?? values }
  }

  /// A fetch, decision, computation or attack of one party.
  public struct Note: Sendable, Hashable {
    /// The kind of a note.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
      /// A request outside the connection, for an issuer or for revocation.
      case fetch
      /// A decision.
      case decision
      /// A computation.
      case derivation
      /// An attack.
      case attack
    }

    /// The kind of a note.
    public let kind: Kind
    /// The step.
    public let step: Int
    /// The lane of the party that acts.
    public let lane: Int
    /// The event, without the party that the lane names.
    public let text: String
    /// The party that the lane names instead of the text; nil if the text is complete.
    public let actor: String?
    /// The result of its checks, or the kind of attack, as a glyph; a derivation has none.
    public let mark: Span?

    /// A note in a lane.
    public init(_ kind: Kind, step: Int, lane: Int, text: String, actor: String?, mark: Span?) {
      self.kind = kind
      self.step = step
      self.lane = lane
      self.text = text
      self.actor = actor
      self.mark = mark
    }

    /// The number of its step.
    var number: Int { step + 1 }
    /// The text after its mark.
    var markedText: String { mark.map { "\($0.text) \(text)" } ?? text }
  }

  /// A message that an attacker relays or adds.
  public struct Arrival: Sendable, Hashable {
    /// The step in which the attacker acts.
    public let step: Int
    /// The attacker's lane.
    public let from: Int
    /// The receiver's lane.
    public let to: Int
    /// The name of the message.
    public let message: String
    /// The change that the attacker made.
    public let change: Interference.Kind

    /// A message that arrives.
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
    /// The connection; nil if there is only one.
    public let connection: String?
    /// The verdict.
    public let word: Verdict.Word
    /// The ids of the rules that decided.
    public let because: [String]

    /// A verdict on the connection of this name.
    public init(_ word: Verdict.Word, because: [String], on connection: String?) {
      (self.word, self.because, self.connection) = (word, because, connection)
    }

    /// All reasons, or the first one.
    func reasons(firstError: Bool) -> [String] { firstError ? Array(because.prefix(1)) : because }
  }

  /// The lanes from left to right: the client, third parties, and its peers.
  public let lanes: [Lane]
  /// The names of the servers, each once; for a calculation, its other parties.
  public let servers: [String]
  /// The rows from top to bottom.
  public let rows: [Row]
  /// The verdict on each connection, in order; empty while the run goes on.
  public let results: [Result]
  /// Whether the numbers are toy numbers.
  public let isToy: Bool

  /// A picture of these parts.
  public init(lanes: [Lane], servers: [String], rows: [Row], results: [Result], isToy: Bool) {
    self.lanes = lanes
    self.servers = servers
    self.rows = rows
    self.results = results
    self.isToy = isToy
  }

  /// The picture as text with at most `width` columns.
  public func document(width: Int = 80) -> Document {
    TextDiagram(self, width: width).document()
  }

  /// The party of the middle lane of a narrow picture: an interferer, or else a relay, or else an observer.
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
