import Simulator

/// One line of a scenario, and what shall stand there: `client.os = iOS 8`.
public struct Change: Sendable, Hashable, CustomStringConvertible {
  /// The line.
  public let path: ScenarioPath
  /// What is laid over what stands there.
  public let value: Node

  init(_ path: ScenarioPath, _ value: Node) {
    self.path = path
    self.value = value
  }

  /// Reads `PATH = VALUE`, the value in YAML's flow style.
  ///
  /// - Throws: `AnswerError` when it is not that.
  public init(_ text: String) throws(AnswerError) {
    let usage = "write PATH = VALUE, as in: client.os = iOS 8"
    guard let sign = Self.equals(in: text) else { throw AnswerError("'\(text.prefix(40))' changes no line", usage) }
    let left = text[..<sign].split(whereSeparator: \.isWhitespace).joined(separator: " ")
    let right = text[text.index(after: sign)...].drop(while: \.isWhitespace)
    guard let path = ScenarioPath(left) else { throw AnswerError("'\(left.prefix(40))' is not a path", usage) }
    self.init(path, try Self.value(String(right)))
  }

  /// The first equals sign of `PATH = VALUE` that is in neither kind of quotes; nil when there is none.
  public static func equals(in text: String) -> String.Index? {
    var quote: Character?
    for index in text.indices {
      let character = text[index]
      if let open = quote {
        if character == open { quote = nil }
      } else if character == "\"" || character == "'" {
        quote = character
      } else if character == "=" {
        return index
      }
    }
    return nil
  }

  /// A value in YAML's flow style; nothing at all removes the line.
  static func value(_ text: String) throws(AnswerError) -> Node {
    do throws(Diagnostics) {
      return try YAMLDocument(Array((text.isEmpty ? "null" : text).utf8), file: "answer").root
    } catch {
      throw AnswerError(error)
    }
  }

  /// `client.os = iOS 8`
  public var description: String { "\(path) = \(value.flowText)" }

  /// The changed scenario.
  func applied(to scenario: Scenario) throws(Diagnostics) -> Scenario { try scenario.changing(path, to: value) }

  /// The one line in which `other` differs from `scenario`; nil where it is more than one, or none.
  init?(from scenario: Scenario, to other: Scenario) {
    let unsaid = ["expect", "title", "sources", "lesson", "sibling", "cases", "sweep", "disputed"]
    guard var node = other.tree.without(unsaid).difference(from: scenario.tree.without(unsaid)) else { return nil }
    var segments: [String] = []
    while case .map(let entries, _) = node, entries.count == 1, let entry = entries.first {
      segments.append(entry.key)
      node = entry.value
      // A map that is new stands there as a whole.
      if Self.node(at: segments, in: scenario.tree)?.entries == nil { break }
    }
    guard node.entries == nil || Self.node(at: segments, in: scenario.tree)?.entries == nil, !segments.isEmpty,
      segments.allSatisfy({ !$0.isEmpty && !$0.contains("\"") })
    else { return nil }
    self.init(ScenarioPath(segments: segments), node)
  }

  private static func node(at segments: [String], in tree: Node) -> Node? {
    segments.reduce(Optional(tree)) { node, segment in node?[segment] }
  }
}

/// What a change is to bring about.
public enum Aim: String, Sendable, Hashable {
  /// The client accepts.
  case accepted
  /// The client refuses.
  case refused
  /// The client accepts, and a third party reads the content, but can neither change it nor pass as the server.
  case overheard

  /// Whether this came out.
  public func isReached(by outcome: Outcome) -> Bool {
    switch self {
    case .accepted: outcome.verdict.word == .accepted
    case .refused: outcome.verdict.word == .refused
    case .overheard:
      outcome.verdict.word == .accepted && outcome.goals[.eavesdropping].map(Self.isLost) == true
        && outcome.goals[.tampering] == .prevented && outcome.goals[.impersonation] == .prevented
    }
  }

  static func isLost(_ state: Goal.State) -> Bool { [.possible, .later].contains(state) }

  /// What is asked for.
  var words: String {
    switch self {
    case .accepted: "it is accepted"
    case .refused: "it is refused"
    case .overheard: "it is accepted, but a third party can read it, and no more than read"
    }
  }
}
