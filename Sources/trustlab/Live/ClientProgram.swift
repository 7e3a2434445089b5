import Foundation

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
    /// Whether it went on to ask for content.
    let accepts: Bool
    /// What it says about that, in one line; empty where it says nothing.
    let says: String
  }

  /// Its version, as it says it; nil where it is not installed.
  var version: String? {
    let words: [String]
    switch self {
    case .openssl, .go: words = [rawValue, "version"]
    // What runs a source file is the compiler that a mere runtime does not have.
    case .java: words = ["javac", "-version"]
    case .curl, .gnutls, .python: words = [rawValue, "--version"]
    }
    guard let output = Self.run(words, seconds: 20), output.status == 0 else { return nil }
    let line = output.text.split(separator: "\n").first.map(String.init) ?? ""
    let versions = line.split(separator: " ").map { $0.hasPrefix("go1") ? $0.dropFirst(2) : $0 }
    return versions.first { $0.first?.isNumber == true }.map(String.init)
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

  /// Makes a program of its source in `folder`, once for all servers; whether that works, which it does where there is
  /// nothing to make.
  func prepare(in folder: String) -> Bool {
    let words: [String]
    switch self {
    case .java: words = ["javac", "-d", folder, "\(folder)/Client.java"]
    case .go: words = ["go", "build", "-o", "\(folder)/client", "\(folder)/client.go"]
    case .openssl, .curl, .gnutls, .python: return true
    }
    return Self.run(words, seconds: 120)?.status == 0
  }

  /// Asks the server of `host` at `port` of the loopback for `path`, trusting the roots in this file, beside which the
  /// clients stand that were prepared.
  func ask(_ host: String, port: Int, path: String, roots: String) -> Answer {
    guard let output = Self.run(command(host, port, path, roots), seconds: 20) else {
      return Answer(accepts: false, says: "no answer within 20 s")
    }
    return Answer(accepts: output.status == 0, says: output.status == 0 ? "" : complaint(in: output.text))
  }

  private func command(_ host: String, _ port: Int, _ path: String, _ roots: String) -> [String] {
    let isAddress = host.allSatisfy { $0.isNumber || $0 == "." } || host.contains(":")
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

  /// What a program printed, on both of its outputs, and how it ended; nil where there is none, or it did not end in time.
  private static func run(_ words: [String], seconds: Int) -> (status: Int32, text: String)? {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = words
    let pipe = Pipe()
    process.standardInput = FileHandle.nullDevice
    (process.standardOutput, process.standardError) = (pipe, pipe)
    guard (try? process.run()) != nil else { return nil }
    let timer = DispatchSource.makeTimerSource()
    timer.schedule(deadline: .now() + .seconds(seconds))
    // SIGTERM would not do: a thread of Dispatch's blocks it for what it starts.
    timer.setEventHandler { if process.isRunning { _ = kill(process.processIdentifier, SIGKILL) } }
    timer.activate()
    let data = (try? pipe.fileHandleForReading.readToEnd()) ?? Data()
    process.waitUntilExit()
    timer.cancel()
    guard process.terminationReason == .exit else { return nil }
    return (process.terminationStatus, String(decoding: data, as: UTF8.self))
  }
}
