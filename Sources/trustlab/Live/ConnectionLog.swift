import Explanation
import Foundation
import LiveTLS
import Rendering
import Synchronization

/// Logs connections in one line each, and writes their packets and TLS secrets to files.
final class ConnectionLog: Sendable {
  private let isJSON: Bool
  private let style: TextStyle
  private let files: Mutex<Files>

  private struct Files {
    var keyLog: FileHandle?
    /// Whether the failure to write the key log has been reported.
    var isMissed = false
    var capture: CaptureFile?
  }

  /// Creates the log and its files, so that unwritable files are reported before the server starts.
  ///
  /// - Throws: `Diagnostics` if a file cannot be written.
  init(isJSON: Bool, style: TextStyle, _ options: CaptureOptions) throws {
    (self.isJSON, self.style) = (isJSON, style)
    let capture = try options.pcap.map { path in try CaptureFile(path) }
    let keyLog = try options.keylog.map { path in
      try OutputFile.write([], to: path, isSecret: true)
      guard let handle = FileHandle(forWritingAtPath: path) else { throw OutputFile.failure(path) }
      return handle
    }
    files = Mutex(Files(keyLog: keyLog, capture: capture))
  }

  /// Logs a connection that has ended, after its packets and secrets were written to the files.
  func add(_ report: ConnectionReport) {
    let line = isJSON ? Self.json(report).text(pretty: false) : style.shown(Self.line(report))
    files.withLock { files in
      do { try files.keyLog?.write(contentsOf: Data(report.keyLog.text.utf8)) } catch  where !files.isMissed {
        files.isMissed = true
        Console.complain("warning: cannot write the key log: \(error.localizedDescription)")
      } catch {}
      if !report.portions.isEmpty { files.capture?.append(report.flow, from: report.opened) }
      Console.out(line)
    }
  }

  /// Closes the capture.
  ///
  /// - Throws: `Diagnostics` if a write failed.
  func close() throws {
    try files.withLock { files in
      guard let capture = files.capture else { return }
      try capture.close()
    }
  }

  /// Returns the line of a connection: `3  127.0.0.1:50412  api.example  TLSv1.2 TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256
  /// GET / 200`.
  private static func line(_ report: ConnectionReport) -> String {
    var words = ["\(report.number)", report.peer]
    if let host = report.host { words.append(host.name) }
    if let name = report.serverName, name != report.host?.name { words.append("(requested \(name))") }
    if let agreed = report.parameters {
      words.append("\(agreed.version) \(agreed.cipherSuite)\(agreed.isResumed ? " resumed" : "")")
    } else if report.host != nil {
      words.append(report.isSecure ? "no session" : "plain HTTP")
    }
    words += report.exchanges.map { $0.request.isEmpty ? $0.status : "\($0.request) \($0.status)" }
    return (words + [ending(report)].filter { !$0.isEmpty }).joined(separator: "  ")
  }

  private static func ending(_ report: ConnectionReport) -> String {
    let reasons = report.reasons.map(words).joined(separator: ", ")
    switch report.ending {
    case .served: return ""
    case .refusedByServer: return "✗ refused by the server, \(reasons)"
    case .refusedByClient: return "✗ refused by the client, \(reasons)"
    case .abandoned:
      return report.byteCounts.received == 0 ? "! the client sent nothing" : "! the client left\(suffix(reasons))"
    case .timedOut: return "! timed out\(suffix(reasons))"
    case .outOfTime: return "! the time limit is over (six times --timeout)\(suffix(reasons))"
    case .stopped: return "! the server stopped\(suffix(reasons))"
    }
  }

  /// Returns the rule and the finding. If the finding is not a word and the rule covers any parameter, the requirement
  /// is added.
  private static func words(_ finding: Finding) -> String {
    let asked = finding.rule == .illegalParameter ? finding.required.description : ""
    let requirement = asked.isEmpty ? "" : ", required \(asked)"
    switch finding.found {
    case .none, .absent, .number: return finding.rule.id + requirement
    case .bytes: return "\(finding.rule.id): \(finding.found.description)\(requirement)"
    default:
      let found = finding.found.description
      return "\(finding.rule.id): \(found.count > longestFound ? "\(found.prefix(longestFound))…" : found)"
    }
  }

  /// The maximum length of a finding in the text, because a finding may be a long list. JSON contains all of it.
  private static let longestFound = 60

  private static func suffix(_ reasons: String) -> String { reasons.isEmpty ? "" : ", \(reasons)" }

  private static func json(_ report: ConnectionReport) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("trustlab", 1), .init("connection", .integer(report.number)),
      .init("opened", .string(report.opened.description)), .init("peer", .string(report.peer)),
    ]
    if let host = report.host {
      members += [.init("host", .string(host.name)), .init("scenario", .string(host.origin))]
    }
    if let name = report.serverName { members.append(.init("serverName", .string(name))) }
    members.append(.init("isSecure", .boolean(report.isSecure)))
    if let agreed = report.parameters {
      members += [
        .init("version", .string("\(agreed.version)")), .init("cipherSuite", .string("\(agreed.cipherSuite)")),
        .init("isResumed", .boolean(agreed.isResumed)),
      ]
    }
    let requests = report.exchanges.map { exchange -> JSONValue in
      ["request": .string(exchange.request), "status": .string(exchange.status)]
    }
    members += [
      .init("requests", .array(requests)), .init("ending", .string(report.ending.rawValue)),
      .init("reasons", .array(report.reasons.map(\.json))),
      .init("received", .integer(report.byteCounts.received)), .init("sent", .integer(report.byteCounts.sent)),
    ]
    return .object(members)
  }
}
