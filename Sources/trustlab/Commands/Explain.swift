import ArgumentParser
import Rendering
import Scenarios
import Trust
import URLLoading

/// The `trustlab explain` command.
struct Explain: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Explain a rule, an ATS key, an error code, a cipher suite or a term, or print a document.",
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

      You can also pass a line of a device's log. TrustLab then prints the errors in the line and their possible \
      causes. With --plist, --url and --os, it also shows which causes are impossible for that app, URL and system. \
      Without --url, it uses the URL in the line.
      """)

  @Option(help: ArgumentHelp("The Info.plist of the app that wrote the log line.", valueName: "file"))
  var plist: String?

  @Option(help: "The URL that the app loads, for a log line.")
  var url: String?

  @Option(name: .customLong("os"), help: "The operating system of the app, for a log line. Default: iOS 18.")
  var system: String?

  @Option(help: "The output format for a log line: text or json.")
  var format = OutputFormat.text

  @Argument(parsing: .allUnrecognized, help: "The word to explain. Quote it if it contains a space.")
  var word: [String] = []

  @OptionGroup var styling: StyleOptions

  func run() throws {
    let word = word.filter { $0 != "--" }.joined(separator: " ")
    guard !word.isEmpty else {
      throw Diagnostics("there is no word to explain", hint: "add a word: trustlab explain ats.no-forward-secrecy")
    }
    if let line = try logLine(word) {
      let isJSON = format == .json
      return Console.out(isJSON ? line.json().text(pretty: true) : line.document().text(styling.style))
    }
    guard format == .text else {
      throw Diagnostics(
        "'\(word)' can be explained only as text", hint: "--format json requires a log line that contains an error")
    }
    if word.contains(".md"), let text = Documents.installed().text(at: word) {
      return Console.out(Console.escaped(text))
    }
    let scenarios = Self.scenarios(naming: word)
    guard let document = ExplainView.document(for: word, scenarios: scenarios) else {
      if word.contains(" "), let code = Self.code(in: word) {
        throw Diagnostics(
          "unknown error code \(code)",
          hint: "use a code of NSURLErrorDomain, kCFStreamErrorDomainSSL or Security: trustlab explain -1200")
      }
      throw Diagnostics("unknown word '\(word)'", hint: ExplainView.nearest(word))
    }
    Console.out(document.text(styling.style))
  }

  /// Returns the first code with at least three digits that is a separate word. A group of a UUID is ignored.
  private static func code(in line: String) -> Int? {
    let words = line.split { !($0.isLetter || $0.isNumber || $0 == "-") }
    return words.lazy.compactMap { Int($0) }.first { $0 <= -100 }
  }

  /// Returns the argument as a log line; nil if it is a single word.
  private func logLine(_ text: String) throws -> LogLineView? {
    let hasLoad = plist != nil || url != nil || system != nil
    guard let line = LogLine(text) ?? (hasLoad ? LogLine(naming: text) : nil),
      hasLoad || ExplainView.document(for: text) == nil
    else {
      guard hasLoad else { return nil }
      throw Diagnostics(
        "'\(text)' contains no known error", hint: "quote the whole line, such as '… (kCFStreamErrorDomainSSL, -9802)'")
    }
    let settings = try plist.map { try AppSettings($0) }
    guard let loaded = try url.map(LoadURL.written) ?? line.url else {
      guard !hasLoad else {
        throw Diagnostics("the log line contains no URL", hint: "add --url https://api.example/")
      }
      return LogLineView(line, decision: nil)
    }
    guard hasLoad else { return LogLineView(line, decision: nil) }
    let os = try system.map(OSVersion.deciding) ?? OSVersion(.iOS, 18)
    return LogLineView(
      line, decision: AppTransportSecurity.decide(.init(loaded, os: os), by: settings.configuration),
      by: settings.configuration, plist: plist)
  }

  /// Returns the ids of the curriculum scenarios that exercise the word.
  static func scenarios(naming word: String) -> [String] {
    // A scenario names an error by its code.
    let codes = (AppError.all.filter { [$0.name, $0.description].contains(word) }).map { "\($0.code)" }
    let files = try? ScenarioLibrary.curriculum().files(naming: [word] + codes)
    return scenarios(naming: word, among: files ?? [])
  }

  /// Returns the ids of the given scenarios that exercise the word.
  static func scenarios(naming word: String, among files: [ScenarioFile]) -> [String] {
    // Codes are negative, but users often leave out the sign.
    let words = [word] + (Int(word).map { $0 > 0 ? ["-\(word)"] : [] } ?? [])
    return files.filter { file in file.cases.contains { words.contains(where: $0.exercises) } }.map(\.id)
  }
}
