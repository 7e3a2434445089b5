import ArgumentParser
import Rendering
import Scenarios
import Trust
import URLLoading

/// `trustlab explain`
struct Explain: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Say what a rule, an ATS key, an error code, a cipher suite or a term means, or print a document.",
    discussion: """
      Examples:
        trustlab explain ats.no-forward-secrecy
        trustlab explain NSExceptionMinimumTLSVersion
        trustlab explain -9802
        trustlab explain errSSLHostNameMismatch
        trustlab explain kSecTrustResultProceed
        trustlab explain premaster_secret
        trustlab explain 根证书
        trustlab explain docs/ci.md
        trustlab explain --plist Info.plist --url https://api.example/ \\
          'HTTP load failed (kCFStreamErrorDomainSSL, -9802)'

      A line of a device's log is taken apart: which errors it names, and what they can mean. With --plist, --url and --os \
      what cannot be for that app, host and system is told apart. The URL of the line itself is taken where none is given.
      """)

  @Option(help: ArgumentHelp("The app's Info.plist, for a line of a log.", valueName: "file"))
  var plist: String?

  @Option(help: "What the app loads, for a line of a log.")
  var url: String?

  @Option(name: .customLong("os"), help: "The system it loads on, for a line of a log; iOS 18, if left out.")
  var system: String?

  @Option(help: "text or json, for a line of a log.")
  var format = OutputFormat.text

  @Argument(parsing: .allUnrecognized, help: "The word; quote it when it has a space.")
  var word: [String] = []

  @OptionGroup var styling: StyleOptions

  func run() throws {
    let word = word.filter { $0 != "--" }.joined(separator: " ")
    guard !word.isEmpty else {
      throw Diagnostics("explain what?", hint: "trustlab explain ats.no-forward-secrecy")
    }
    if let line = try logLine(word) {
      let isJSON = format == .json
      return Console.out(isJSON ? line.json().text(pretty: true) : line.document().text(styling.style))
    }
    guard format == .text else {
      throw Diagnostics(
        "'\(word)' is explained in words", hint: "--format json is for a line of a log that names errors")
    }
    if word.contains(".md"), let text = Documents.installed().text(at: word) {
      return Console.out(Console.escaped(text))
    }
    let scenarios = Self.scenarios(naming: word)
    guard let document = ExplainView.document(for: word, scenarios: scenarios) else {
      if word.contains(" "), let code = Self.code(in: word) {
        throw Diagnostics(
          "no error with the code \(code) is known here",
          hint: "NSURLErrorDomain, kCFStreamErrorDomainSSL and Security have theirs: trustlab explain -1200")
      }
      throw Diagnostics("'\(word)' is not a word of trustlab", hint: ExplainView.nearest(word))
    }
    Console.out(document.text(styling.style))
  }

  /// A number of three digits or more that is a word of its own: a group of a UUID is none.
  private static func code(in line: String) -> Int? {
    let words = line.split { !($0.isLetter || $0.isNumber || $0 == "-") }
    return words.lazy.compactMap { Int($0) }.first { $0 <= -100 }
  }

  /// What is asked as a line of a log; nil where it is a word.
  private func logLine(_ text: String) throws -> LogLineView? {
    let hasLoad = plist != nil || url != nil || system != nil
    guard let line = LogLine(text) ?? (hasLoad ? LogLine(naming: text) : nil),
      hasLoad || ExplainView.document(for: text) == nil
    else {
      guard hasLoad else { return nil }
      throw Diagnostics(
        "'\(text)' names no error", hint: "give the whole line, as '… (kCFStreamErrorDomainSSL, -9802)'; quote it")
    }
    let settings = try plist.map { try AppSettings($0) }
    guard let loaded = try url.map(LoadURL.written) ?? line.url else {
      guard !hasLoad else {
        throw Diagnostics("which load?", hint: "the line names no URL: --url https://api.example/")
      }
      return LogLineView(line, decision: nil)
    }
    guard hasLoad else { return LogLineView(line, decision: nil) }
    let os = try system.map(OSVersion.deciding) ?? OSVersion(.iOS, 18)
    return LogLineView(
      line, decision: AppTransportSecurity.decide(.init(loaded, os: os), by: settings.configuration),
      by: settings.configuration, plist: plist)
  }

  /// The scenarios of the curriculum that exercise the word, by their ids.
  static func scenarios(naming word: String) -> [String] {
    // A scenario names an error by its code.
    let codes = (AppError.all.filter { [$0.name, $0.description].contains(word) }).map { "\($0.code)" }
    let files = try? ScenarioLibrary.curriculum().files(naming: [word] + codes)
    return scenarios(naming: word, among: files ?? [])
  }

  /// Those of these scenarios that exercise the word, by their ids.
  static func scenarios(naming word: String, among files: [ScenarioFile]) -> [String] {
    // Codes are negative; many write them without the sign.
    let words = [word] + (Int(word).map { $0 > 0 ? ["-\(word)"] : [] } ?? [])
    return files.filter { file in file.cases.contains { words.contains(where: $0.exercises) } }.map(\.id)
  }
}
