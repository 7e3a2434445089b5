/// A search result, with its kind, names and text, and the command that opens it.
public struct SearchEntry: Sendable, Hashable {
  /// The kind of an entry. Entries with equal rank are sorted in the order of these cases.
  public enum Kind: String, Sendable, CaseIterable {
    case rule
    case key = "ATS key"
    case error
    case trustResult = "trust result"
    case term
    case interface = "API name"
    case value
    case word
    case scenario
    case lesson
    case document
    case command
    case mutant
    case alert
    case suite = "cipher suite"
    case logLine = "log line"

    /// The weight of a match. Cipher suites have a low weight, because there are hundreds and few are ever searched
    /// for.
    var weight: Double {
      switch self {
      case .rule, .key, .error, .trustResult, .term, .interface, .logLine: 1.2
      case .value, .scenario, .lesson: 1
      case .word, .document, .mutant, .alert: 0.9
      case .suite, .command: 0.5
      }
    }
  }

  /// The kind of the entry, which also determines the weight.
  public let kind: Kind
  /// The name of the entry, whose matches have the highest rank.
  public let name: String
  /// The other names of the entry, including those in other languages.
  public let others: [String]
  /// The text that is shown in the results.
  public let summary: String
  /// The text that is searched in addition to the names.
  public let text: String
  /// The arguments of the command, which follow `trustlab`.
  public let command: [String]

  /// Creates an entry with these names and this text.
  public init(
    _ kind: Kind, _ name: String, others: [String] = [], summary: String, text: String? = nil, command: [String]
  ) {
    self.kind = kind
    self.name = name
    self.others = others
    self.summary = summary
    self.text = text ?? summary
    self.command = command
  }

  /// The command in shell syntax. Words with special characters are quoted.
  public var commandLine: String { (["trustlab"] + command).map(Self.quoted).joined(separator: " ") }

  private static func quoted(_ word: String) -> String {
    let isPlain = word.unicodeScalars.allSatisfy { scalar in
      scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
        || "._-/#:".unicodeScalars.contains(scalar)
    }
    return isPlain && !word.isEmpty ? word : "'" + word.replacing("'", with: "'\\''") + "'"
  }
}
