import Foundation
import Testing

@Suite("trustlab search")
struct SearchTests {
  @Test(
    "the best result for a word, a code or a term is the expected one",
    arguments: [
      ("12306", "trustlab run L12-10"), ("-9802", "trustlab explain -9802"), ("9802", "trustlab explain -9802"),
      ("validatesCertificateChain", "trustlab explain validatesCertificateChain"),
      ("AFSSLPinningModePublicKey", "trustlab explain AFSSLPinningModePublicKey"),
      ("keytool -genkey", "trustlab explain keytool"),
      ("kSecTrustResultRecoverableTrustFailure", "trustlab explain kSecTrustResultRecoverableTrustFailure"),
      ("根证书", "trustlab explain root"), ("forward secrecy", "trustlab explain 'forward secrecy'"),
      ("NSExceptionMinimumTLSVersion", "trustlab explain NSExceptionMinimumTLSVersion"),
      ("chain.expired", "trustlab explain chain.expired"), ("expired", "trustlab explain chain.expired"),
      ("errSSLHostNameMismatch", "trustlab explain -9843"), ("L1-15", "trustlab run L1-15"),
      ("self signed", "trustlab explain chain.self-signed"), ("mTLS", "trustlab explain 'two-way authentication'"),
      (
        "NSURLSession/NSURLConnection HTTP load failed (kCFStreamErrorDomainSSL, -9802)",
        "trustlab explain 'NSURLSession/NSURLConnection HTTP load failed (kCFStreamErrorDomainSSL, -9802)'"
      ),
    ])
  func best(query: String, command: String) throws {
    let result = try Program.run("search", query, "--format", "json")
    #expect(result.status == 0)
    let answer = try #require(try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
    let results = try #require(answer["results"] as? [[String: Any]])
    #expect(results.first?["command"] as? String == command, "\(results.prefix(3))")
    // The printed command opens the result.
    let words = try #require(results.first?["command"] as? String).dropFirst("trustlab ".count)
    let opened = try Program.run(
      ["explain", "run"].contains(String(words.prefix { $0 != " " })) ? Self.words(words) : [])
    #expect(opened.status <= 1 && !opened.output.isEmpty, "\(words): \(opened.errors)")
  }

  /// The words of a command line in which only single quotes quote.
  private static func words(_ line: Substring) -> [String] {
    line.split(separator: "'", omittingEmptySubsequences: false).enumerated().flatMap { index, part in
      index % 2 == 1 ? [String(part)] : part.split(separator: " ").map(String.init)
    }
  }

  @Test("each result is one line that fits the terminal, unless the command itself is wider")
  func lines() throws {
    let result = try Program.run("search", "certificate", "--limit", "12")
    let lines = result.output.split(separator: "\n")
    #expect(lines.count == 13 && lines.last?.hasPrefix("… and ") == true)
    for line in lines.dropLast() { #expect(line.hasPrefix("trustlab ") && line.count <= 80, "\(line)") }
  }

  @Test("documents are found by their content, and 'explain' prints the section")
  func documents() throws {
    let result = try Program.run("search", "baselines", "suppressions", "gates")
    let line = try #require(result.output.split(separator: "\n").first { $0.contains("explain docs/ci.md") })
    let place = try #require(line.split(separator: " ").dropFirst(2).first)
    let section = try Program.run("explain", String(place))
    #expect(section.status == 0 && section.output.hasPrefix("#"), "\(place): \(section.errors)")
  }

  @Test("without a hit the nearest words are named, and the exit status is 1")
  func nothing() throws {
    let result = try Program.run("search", "exprired")
    #expect(result.status == 1 && result.output.isEmpty && result.errors.contains("'expired'"), "\(result.errors)")
    let far = try Program.run("search", "heartbleed")
    #expect(far.status == 1 && far.errors.shows("'heartbleed' … hint: "), "\(far.errors)")
    #expect(try Program.run("search").status == 2)
    #expect(try Program.run("search", " ").status == 2)
    #expect(try Program.run("search", "tls", "--limit", "0").status == 2)
  }

  @Test(
    "hostile words reach neither a shell nor a terminal",
    arguments: [
      "$(touch made)", "`touch made`", "'; touch made; '", "\u{1b}[31mred", "<script>", "*", "--x",
    ])
  func hostile(query: String) throws {
    let result = try Program.run("search", "HTTP load failed (kCFStreamErrorDomainSSL, -9802) \(query)")
    #expect(result.status == 0)
    #expect(!(result.output + result.errors).unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
    let line = try #require(result.output.split(separator: "\n").first)
    // A shell that gets the line calls 'trustlab' with these words, and nothing else.
    let echo = Process()
    let output = Pipe()
    echo.executableURL = URL(fileURLWithPath: "/bin/sh")
    echo.arguments = ["-c", "trustlab() { printf '%s\\n' \"$1\"; }; \(line.prefix { $0 != "…" })"]
    echo.currentDirectoryURL = try Program.folder([:])
    echo.standardOutput = output
    try echo.run()
    echo.waitUntilExit()
    let said = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    #expect(said == "explain\n", "\(line)")
  }
}
