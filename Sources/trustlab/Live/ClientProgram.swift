import Foundation
import Simulator
import URLLoading

/// An external TLS client that can connect to a server.
enum ClientProgram: String, CaseIterable, Sendable {
  case openssl
  case curl
  case gnutls = "gnutls-cli"
  case python = "python3"
  case java
  case go

  /// The result of a client for one server.
  struct Answer: Sendable {
    /// Whether the client accepted the server, refused it or did not end in time.
    let verdict: Verdict.Word
    /// The client's reason in one line; empty if it prints none.
    let says: String
  }

  /// The state of the client's installation.
  enum Standing: Sendable, Equatable {
    /// The client is installed, in this version.
    case ready(String)
    /// The client is not installed.
    case missing
    /// The client is installed but unusable, for this reason.
    case unusable(String)
  }

  /// Checks that the client is installed and prints its version.
  var standing: Standing {
    let words: [String]
    switch self {
    case .openssl, .go: words = [rawValue, "version"]
    // Running a source file requires the compiler, which a Java runtime does not include.
    case .java: words = ["javac", "-version"]
    case .curl, .gnutls, .python: words = [rawValue, "--version"]
    }
    let output = ClientProcess.run(words, seconds: Self.timeout)
    switch output?.ending {
    case .exited(0):
      return version(in: output?.text ?? "").map(Standing.ready) ?? .unusable("its output contains no version")
    case nil, .exited(127): return hasRuntimeAlone ? .unusable("the runtime has no compiler: install a JDK") : .missing
    case let ending?: return .unusable(Self.complaint(ending, words, output?.text ?? ""))
    }
  }

  private func version(in text: String) -> String? {
    let line = text.split(separator: "\n").first.map(String.init) ?? ""
    let versions = line.split(separator: " ").map { $0.hasPrefix("go1") ? $0.dropFirst(2) : $0 }
    return versions.first { $0.first?.isNumber == true }.map(String.init)
  }

  /// Whether only the Java runtime is installed, without the compiler.
  private var hasRuntimeAlone: Bool {
    self == .java && ClientProcess.run(["java", "-version"], seconds: Self.timeout)?.ending == .exited(0)
  }

  /// A text with the client's name and the package to install.
  var absence: String {
    switch self {
    case .java: "java (a JDK; a runtime without a compiler is not enough)"
    case .gnutls: "gnutls-cli (gnutls-bin)"
    case .go: "go (golang-go)"
    case .openssl, .curl, .python: rawValue
    }
  }

  /// Compiles a client's source in `folder` once for all servers. Returns the error; nil if compilation succeeds or
  /// there is no source.
  func prepare(in folder: String) -> String? {
    let words: [String]
    switch self {
    case .java: words = ["javac", "-d", folder, "\(folder)/Client.java"]
    case .go: words = ["go", "build", "-o", "\(folder)/client", "\(folder)/client.go"]
    case .openssl, .curl, .gnutls, .python: return nil
    }
    let output = ClientProcess.run(words, seconds: 120)
    guard let output, output.ending != .exited(0) else { return output == nil ? "the program did not start" : nil }
    return Self.complaint(output.ending, words, output.text)
  }

  /// Returns the reason why a command failed: its first line of output, or the way in which it ended.
  private static func complaint(_ ending: ClientProcess.Ending, _ words: [String], _ text: String) -> String {
    let name = words.prefix(2).filter { !$0.hasPrefix("/") }.joined(separator: " ")
    // The Go compiler first prints the name of the package.
    let line = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.first {
      !$0.isEmpty && !$0.hasPrefix("#")
    }
    switch ending {
    case .late: return "'\(name)' did not finish in time"
    case .died(let signal): return "signal \(signal) ended '\(name)'"
    case .exited(let status): return "'\(name)' exited with status \(status)\(line.map { ": \(shortened($0))" } ?? "")"
    }
  }

  /// The default for `--timeout`, in seconds.
  static let timeout = 20

  /// Connects to `host` at `port` on loopback and loads `path`.
  ///
  /// The client trusts the roots in the file `roots`, whose folder contains the compiled clients. TrustLab ends the
  /// client after `timeout` seconds.
  func ask(_ host: String, port: Int, path: String, roots: String, timeout: Int) -> Answer {
    guard let output = ClientProcess.run(command(host, port, path, roots), seconds: timeout) else {
      return Answer(verdict: .refused, says: "the program did not start")
    }
    switch output.ending {
    case .exited(0): return Answer(verdict: .accepted, says: "")
    case .exited: return Answer(verdict: .refused, says: complaint(in: output.text))
    case .died(let signal): return Answer(verdict: .refused, says: "signal \(signal) ended the client")
    case .late:
      return Answer(verdict: .hangs, says: "the client had no result within \(timeout) s, so TrustLab ended it")
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

  /// Returns the line of the output that contains the error.
  private func complaint(in text: String) -> String {
    let lines = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    let marks: [String] =
      switch self {
      case .openssl: ["verify error", "alert", "error:", "errno"]
      case .curl: ["curl:"]
      case .gnutls: ["- Status: The certificate is NOT trusted", "*** Fatal error", "*** ", "|<1>"]
      case .python, .java: [""]
      case .go: ["x509: ", "tls: ", "remote error"]
      }
    for mark in marks {
      if let line = lines.first(where: { $0.contains(mark) && !$0.isEmpty }) { return Self.shortened(line) }
    }
    return lines.last.map(Self.shortened) ?? ""
  }

  /// Returns a shortened line. OpenSSL begins an error with its thread number, which changes each time and has no
  /// meaning.
  private static func shortened(_ line: String) -> String {
    let said = line.range(of: ":error:").map { String(line[line.index(after: $0.lowerBound)...]) } ?? line
    return said.count > 200 ? "\(said.prefix(200))…" : said
  }
}
