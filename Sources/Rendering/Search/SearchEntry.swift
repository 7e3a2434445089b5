/// Something that a search finds: its kind, its names, its text, and the command that opens it.
public struct SearchEntry: Sendable, Hashable {
  /// What an entry is about, in the order in which entries of equal rank are listed.
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

    /// How much a match counts: there are hundreds of suites, and few of them are looked for.
    var weight: Double {
      switch self {
      case .rule, .key, .error, .trustResult, .term, .interface, .logLine: 1.2
      case .value, .scenario, .lesson: 1
      case .word, .document, .mutant, .alert: 0.9
      case .suite, .command: 0.5
      }
    }
  }

  /// What it is.
  public let kind: Kind
  /// Its name, which is found first.
  public let name: String
  /// Other names, in other languages too.
  public let others: [String]
  /// What is shown of it.
  public let summary: String
  /// What is searched besides its names.
  public let text: String
  /// The words of the command behind `trustlab`.
  public let command: [String]

  /// An entry with these names and this text.
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

  /// The command as a shell reads it: words with other characters than letters, digits and a few marks are quoted.
  public var commandLine: String { (["trustlab"] + command).map(Self.quoted).joined(separator: " ") }

  private static func quoted(_ word: String) -> String {
    let isPlain = word.unicodeScalars.allSatisfy { scalar in
      scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
        || "._-/#:".unicodeScalars.contains(scalar)
    }
    return isPlain && !word.isEmpty ? word : "'" + word.replacing("'", with: "'\\''") + "'"
  }
}
