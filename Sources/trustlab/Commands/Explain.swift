import ArgumentParser
import Rendering
import Scenarios

/// `trustlab explain`
struct Explain: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Say what a rule, an ATS key, an error code, a cipher suite or a term means.",
    discussion: """
      Examples:
        trustlab explain ats.no-forward-secrecy
        trustlab explain NSExceptionMinimumTLSVersion
        trustlab explain -9802
        trustlab explain errSSLHostNameMismatch
        trustlab explain kSecTrustResultProceed
        trustlab explain premaster_secret
      """)

  @Argument(parsing: .allUnrecognized, help: "The word; quote it when it has a space.")
  var word: [String] = []

  @OptionGroup var styling: StyleOptions

  func run() throws {
    let word = word.filter { $0 != "--" }.joined(separator: " ")
    guard !word.isEmpty else {
      throw Diagnostics("explain what?", hint: "trustlab explain ats.no-forward-secrecy")
    }
    let scenarios = Self.scenarios(naming: word, among: (try? ScenarioLibrary.curriculum().files()) ?? [])
    guard let document = ExplainView.document(for: word, scenarios: scenarios) else {
      throw Diagnostics("'\(word)' is not a word of trustlab", hint: ExplainView.nearest(word))
    }
    Console.out(document.text(styling.style))
  }

  /// Those of these scenarios that exercise the word, by their ids.
  static func scenarios(naming word: String, among files: [ScenarioFile]) -> [String] {
    // Codes are negative; many write them without the sign.
    let words = [word] + (Int(word).map { $0 > 0 ? ["-\(word)"] : [] } ?? [])
    return files.filter { file in file.cases.contains { words.contains(where: $0.exercises) } }.map(\.id)
  }
}
