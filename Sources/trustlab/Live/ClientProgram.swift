import Foundation
import Simulator
import URLLoading

/// A client of others that can be asked what it makes of a server.
enum ClientProgram: String, CaseIterable, Sendable {
  case openssl
  case curl
  case gnutls = "gnutls-cli"
  case python = "python3"
  case java
  case go

  /// What a client made of a server.
  struct Answer: Sendable {
    /// Whether it went on to ask for content, did not, or never came to an end.
    let verdict: Verdict.Word
    /// What it says about that, in one line; empty where it says nothing.
    let says: String
  }

  /// Whether it can be asked.
  enum Standing: Sendable, Equatable {
    /// It can, and this is its version.
    case ready(String)
    /// It is not installed.
    case missing
    /// It is installed and cannot, for this reason.
    case unusable(String)
  }

  /// Whether it is there and says its version.
  var standing: Standing {
    let words: [String]
    switch self {
    case .openssl, .go: words = [rawValue, "version"]
    // What runs a source file is the compiler that a mere runtime does not have.
    case .java: words = ["javac", "-version"]
    case .curl, .gnutls, .python: words = [rawValue, "--version"]
    }
    let output = ClientProcess.run(words, seconds: Self.timeout)
    switch output?.ending {
    case .exited(0): return version(in: output?.text ?? "").map(Standing.ready) ?? .unusable("it says no version")
    case nil, .exited(127): return hasRuntimeAlone ? .unusable("a runtime without a compiler: install a JDK") : .missing
    case let ending?: return .unusable(Self.complaint(ending, words, output?.text ?? ""))
    }
  }

  private func version(in text: String) -> String? {
    let line = text.split(separator: "\n").first.map(String.init) ?? ""
    let versions = line.split(separator: " ").map { $0.hasPrefix("go1") ? $0.dropFirst(2) : $0 }
    return versions.first { $0.first?.isNumber == true }.map(String.init)
  }

  /// Whether Java is there to run what nobody here can compile.
  private var hasRuntimeAlone: Bool {
    self == .java && ClientProcess.run(["java", "-version"], seconds: Self.timeout)?.ending == .exited(0)
  }

  /// Its name, and what has to be installed for it.
  var absence: String {
    switch self {
    case .java: "java (a JDK: a runtime alone compiles nothing)"
    case .gnutls: "gnutls-cli (gnutls-bin)"
    case .go: "go (golang-go)"
    case .openssl, .curl, .python: rawValue
    }
  }

  /// Makes a program of its source in `folder`, once for all servers; why that does not work, nil where it does or there
  /// is nothing to make.
  func prepare(in folder: String) -> String? {
    let words: [String]
    switch self {
    case .java: words = ["javac", "-d", folder, "\(folder)/Client.java"]
    case .go: words = ["go", "build", "-o", "\(folder)/client", "\(folder)/client.go"]
    case .openssl, .curl, .gnutls, .python: return nil
    }
    let output = ClientProcess.run(words, seconds: 120)
    guard let output, output.ending != .exited(0) else { return output == nil ? "it does not start" : nil }
    return Self.complaint(output.ending, words, output.text)
  }

  /// Why a program that was to prepare something did not: its first line, or how it ended.
  private static func complaint(_ ending: ClientProcess.Ending, _ words: [String], _ text: String) -> String {
    let name = words.prefix(2).filter { !$0.hasPrefix("/") }.joined(separator: " ")
    // Go begins with the name of what it builds.
    let line = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.first {
      !$0.isEmpty && !$0.hasPrefix("#")
    }
    switch ending {
    case .late: return "'\(name)' does not end"
    case .died(let signal): return "'\(name)' ends by signal \(signal)"
    case .exited(let status): return "'\(name)' ends with \(status)\(line.map { ": \(shortened($0))" } ?? "")"
    }
  }

  /// For how many seconds a client may say nothing, unless --timeout says another number.
  static let timeout = 20

  /// Asks the server of `host` at `port` of the loopback for `path`, trusting the roots in this file, beside which the
  /// clients stand that were prepared, and waits so many seconds.
  func ask(_ host: String, port: Int, path: String, roots: String, timeout: Int) -> Answer {
    guard let output = ClientProcess.run(command(host, port, path, roots), seconds: timeout) else {
      return Answer(verdict: .refused, says: "it does not start")
    }
    switch output.ending {
    case .exited(0): return Answer(verdict: .accepted, says: "")
    case .exited: return Answer(verdict: .refused, says: complaint(in: output.text))
    case .died(let signal): return Answer(verdict: .refused, says: "it ended by signal \(signal)")
    case .late: return Answer(verdict: .hangs, says: "no answer within \(timeout) s: it was ended")
    }
  }

  private func command(_ host: String, _ port: Int, _ path: String, _ roots: String) -> [String] {
    let isAddress = IPAddress(host) != nil
    let folder = roots.lastIndex(of: "/").map { String(roots[..<$0]) } ?? "."
    switch self {
    case .openssl:
      let name = isAddress ? ["-verify_ip", host] : ["-servername", host, "-verify_hostname", host]
      return [
        "openssl", "s_client", "-connect", "127.0.0.1:\(port)", "-CAfile", roots, "-verify_return_error", "-brief",
      ]
        + name
    case .curl:
      let shown = host.contains(":") ? "[\(host)]" : host
      return [
        "curl", "-sS", "--max-time", "15", "--output", "/dev/null", "--cacert", roots, "--connect-to",
        "\(shown):\(port):127.0.0.1:\(port)", "https://\(shown):\(port)\(path)",
      ]
    case .gnutls:
      let name = isAddress ? [] : ["--sni-hostname=\(host)"]
      return ["gnutls-cli", "--x509cafile=\(roots)", "--verify-hostname=\(host)", "-p", "\(port)"] + name + [
        "127.0.0.1"
      ]
    case .python:
      return ["python3", "-c", ClientSources.python, roots, "\(port)", host]
    case .java: return ["java", "-cp", folder, "Client", roots, "\(port)", host]
    case .go: return ["\(folder)/client", roots, "\(port)", host]
    }
  }

  /// The line of its output that says what is wrong.
  private func complaint(in text: String) -> String {
    let lines = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    let marks: [String] =
      switch self {
      case .openssl: ["verify error", "alert", "error:", "errno"]
      case .curl: ["curl:"]
      case .gnutls: ["- Status:", "*** Fatal error", "*** ", "|<1>"]
      case .python, .java: [""]
      case .go: ["x509: ", "tls: ", "remote error"]
      }
    for mark in marks {
      if let line = lines.first(where: { $0.contains(mark) && !$0.isEmpty }) { return Self.shortened(line) }
    }
    return lines.last.map(Self.shortened) ?? ""
  }

  /// OpenSSL begins an error with the number of its thread, which says nothing and is another each time.
  private static func shortened(_ line: String) -> String {
    let said = line.range(of: ":error:").map { String(line[line.index(after: $0.lowerBound)...]) } ?? line
    return said.count > 200 ? "\(said.prefix(200))…" : said
  }
}
