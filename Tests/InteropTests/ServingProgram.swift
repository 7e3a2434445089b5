import Foundation
import Oracles
import Rendering
import Testing

/// `trustlab serve` while it runs.
final class ServingProgram {
  private let process = Process()
  let folder: URL
  /// The port of each scenario's host: `api.example` or, with several scenarios, `L1-01/api.example`.
  private(set) var ports: [String: Int] = [:]

  /// Serves these scenarios with today's date on free ports, and waits until they listen.
  init(_ scenarios: String..., options: [String] = [], isJSON: Bool = true) throws {
    folder = try Program.folder(["out": Data(), "err": Data()])
    process.executableURL = Program.url
    process.arguments =
      ["serve"] + scenarios + ["--now", "--port", "0", "--roots", path("roots.pem")] + (isJSON ? ["--json"] : [])
      + options
    process.currentDirectoryURL = Program.root
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: folder.appendingPathComponent("out"))
    process.standardError = try FileHandle(forWritingTo: folder.appendingPathComponent("err"))
    try process.run()
    for _ in 0..<600 where ports.isEmpty && process.isRunning {
      usleep(50_000)
      // Announcements that are not JSON go to the same place as the lines.
      let announced = try String(contentsOf: folder.appendingPathComponent(isJSON ? "err" : "out"), encoding: .utf8)
      guard announced.contains("Ctrl-C") else { continue }
      for words in announced.split(separator: "\n").map({ $0.split(separator: " ") }) where words.count >= 3 {
        guard let port = Int(words[0]) else { continue }
        ports["\(words[2])/\(words[1])"] = port
        if ports["\(words[1])"] == nil { ports["\(words[1])"] = port }
      }
    }
    let said = try errors
    try #require(!ports.isEmpty, "no server listens: \(said)")
  }

  /// A file next to its output.
  func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  /// Ends it as a supervisor does, and returns its exit status and all connections in order of their numbers.
  func stop() throws -> (status: Int32, connections: [JSONValue]) {
    let lines = try end().split(separator: "\n").map { try JSONValue(reading: Array($0.utf8)) }
    return (process.terminationStatus, lines.sorted { $0.number < $1.number })
  }

  /// Ends it, and returns its output.
  func end() throws -> String {
    process.terminate()
    process.waitUntilExit()
    return try String(contentsOf: folder.appendingPathComponent("out"), encoding: .utf8)
  }

  /// The number of connections that it has reported so far.
  var toldCount: Int {
    get throws { try Data(contentsOf: folder.appendingPathComponent("out")).count(where: { $0 == 10 }) }
  }

  /// Its output on standard error.
  var errors: String {
    get throws { try String(contentsOf: folder.appendingPathComponent("err"), encoding: .utf8) }
  }

  deinit { process.endAtOnce() }

  /// curl's exit status and output for a request of `path` at `host`, with the scenarios' roots.
  func curl(_ host: String, _ more: String..., rooted: Bool = true) -> (status: Int, output: String) {
    let port = ports[host] ?? 0
    let name = host.split(separator: "/").last.map(String.init) ?? host
    let roots = rooted ? ["--cacert", path("roots.pem")] : []
    let words = ["curl", "-sS", "--max-time", "20", "--resolve", "\(name):\(port):127.0.0.1"] + roots
    let urls = more.isEmpty ? ["/"] : more
    let all = words + urls.map { $0.hasPrefix("/") ? "https://\(name):\(port)\($0)" : $0 }
    let line = all.map { "'\($0)'" }.joined(separator: " ") + " 2>&1; echo \"|$?\""
    let text = Command.output(["sh", "-c", line]) ?? "|-1"
    let end = text.lastIndex(of: "|") ?? text.startIndex
    return (Int(text[end...].dropFirst().trimmingCharacters(in: .whitespacesAndNewlines)) ?? -1, String(text[..<end]))
  }
}

extension JSONValue {
  fileprivate var number: Int { if case .integer(let number)? = self["connection"] { number } else { 0 } }

  /// The findings of a run about the rule of this id.
  func findings(of rule: String) -> [JSONValue] {
    self["findings"]?.items?.filter { self.rule(of: $0)?.text("id") == rule } ?? []
  }

  /// The fix of a finding of a run.
  func fix(of finding: JSONValue) -> String? { rule(of: finding)?.text("fix") }

  private func rule(of finding: JSONValue) -> JSONValue? {
    guard let rules = self["rules"]?.items, case .integer(let index)? = finding["rule"], rules.indices.contains(index)
    else { return nil }
    return rules[index]
  }

  /// The items of a list; nil for anything else.
  var items: [JSONValue]? { if case .array(let items) = self { items } else { nil } }

  /// A member that is a string; empty otherwise.
  func text(_ name: String) -> String { if case .string(let text)? = self[name] { text } else { "" } }

  /// The rules of the reasons.
  var reasonRules: [String] {
    guard case .array(let reasons)? = self["reasons"] else { return [] }
    return reasons.map { $0.text("rule") }
  }
}
