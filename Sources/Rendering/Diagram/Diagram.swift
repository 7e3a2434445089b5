import Endpoint
import Explanation
import Simulator

/// The picture of a run before it has a form: messages between parties, decisions and attacks. JSON carries it; text, SVG
/// and Mermaid draw it.
public struct Diagram: Sendable, Hashable {
  /// A party that takes part or watches.
  public struct Lane: Sendable, Hashable {
    /// The party.
    public let party: Party
    /// The name that readers see: a host, or the client with its system.
    public let label: String

    /// The lane of `party`.
    public init(_ party: Party, label: String) { (self.party, self.label) = (party, label) }
  }

  /// A line of the picture, in one connection where there are several.
  public struct Row: Sendable, Hashable {
    /// The connection it belongs to; nil where there is only one.
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
    /// Someone sends something.
    case message(Message)
    /// Someone fetches, decides, computes or steals something.
    case note(Note)
    /// An attacker passes something on, or adds it.
    case arrival(Arrival)
  }

  /// A message; steps and lanes by their index.
  public struct Message: Sendable, Hashable {
    /// The step.
    public let step: Int
    /// The sender's lane.
    public let from: Int
    /// The lane that it reaches: an attacker's where that stops it.
    public let to: Int
    /// The name of the message.
    public let title: String
    /// The values that become public with it, by name.
    public let values: [String]
    /// The text of a message of HTTP that everyone can read, in a few words.
    public let words: String?
    /// Whether only the two ends can read it.
    public let isEncrypted: Bool
    /// Whether an attacker sends or receives it in place of an end.
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
    /// The text that everyone can read: its words, else the values.
    var shown: [String] { words.map { [$0] } ?? values }
  }

  /// A fetch, decision, computation or attack of one party.
  public struct Note: Sendable, Hashable {
    /// The kind of a note.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
      /// A request beside the connection, for an issuer or for revocation.
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
    /// The party that the lane names instead of the text; nil where the text is whole.
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
    /// The text behind its mark.
    var markedText: String { mark.map { "\($0.text) \(text)" } ?? text }
  }

  /// A message as an attacker passes it on, or a message that it adds.
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
    /// The connection; nil where there is only one.
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

  /// The lanes from left to right: the client, third parties, and those it speaks with.
  public let lanes: [Lane]
  /// The names of the servers that are asked, each once; of a calculation its other parties.
  public let servers: [String]
  /// The rows from top to bottom.
  public let rows: [Row]
  /// The verdict on each connection, in order; none while the run goes on.
  public let results: [Result]
  /// Whether the numbers are toys.
  public let isToy: Bool

  /// A picture of these parts.
  public init(lanes: [Lane], servers: [String], rows: [Row], results: [Result], isToy: Bool) {
    self.lanes = lanes
    self.servers = servers
    self.rows = rows
    self.results = results
    self.isToy = isToy
  }

  /// The picture as text on at most so many columns.
  public func document(width: Int = 80) -> Document {
    TextDiagram(self, width: width).document()
  }

  /// The party of the middle lane on a narrow picture: who interferes, else who passes on, else who listens.
  var middle: Party {
    [Party.interceptor, .proxy].first { party in lanes.contains { $0.party == party } } ?? .eavesdropper
  }

  /// The connections in which someone stands in the middle, rather than beside.
  var intercepted: Set<String?> {
    let rows = rows.filter { row in
      guard case .message(let message) = row.content else { return false }
      return message.isIntercepted
    }
    return Set(rows.map(\.connection))
  }
}
