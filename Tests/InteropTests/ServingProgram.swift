import Foundation
import Oracles
import Rendering
import Testing

/// `trustlab serve` while it runs.
final class ServingProgram {
  private let process = Process()
  let folder: URL
  /// The port of each scenario's host: `api.example` or, where several are up, `L1-01/api.example`.
  private(set) var ports: [String: Int] = [:]

  /// Puts these scenarios up as of today, on free ports, and waits until they listen.
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
      // What is not JSON is announced where the lines go.
      let announced = try String(contentsOf: folder.appendingPathComponent(isJSON ? "err" : "out"), encoding: .utf8)
      guard announced.contains("Ctrl-C ends.") else { continue }
      for words in announced.split(separator: "\n").map({ $0.split(separator: " ") }) where words.count >= 3 {
        guard let port = Int(words[0]) else { continue }
        ports["\(words[2])/\(words[1])"] = port
        if ports["\(words[1])"] == nil { ports["\(words[1])"] = port }
      }
    }
    let said = try errors
    try #require(!ports.isEmpty, "nobody listens: \(said)")
  }

  /// A file beside what it writes.
  func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  /// Ends it as a supervisor does; how it ended, and every connection it told of, in the order of their numbers.
  func stop() throws -> (status: Int32, connections: [JSONValue]) {
    let lines = try end().split(separator: "\n").map { try JSONValue(reading: Array($0.utf8)) }
    return (process.terminationStatus, lines.sorted { $0.number < $1.number })
  }

  /// Ends it, for what it has printed.
  func end() throws -> String {
    process.terminate()
    process.waitUntilExit()
    return try String(contentsOf: folder.appendingPathComponent("out"), encoding: .utf8)
  }

  /// How many connections it has told of so far.
  var toldCount: Int {
    get throws { try Data(contentsOf: folder.appendingPathComponent("out")).count(where: { $0 == 10 }) }
  }

  /// What it said on standard error.
  var errors: String {
    get throws { try String(contentsOf: folder.appendingPathComponent("err"), encoding: .utf8) }
  }

  deinit { process.endAtOnce() }

  /// curl's exit status and what it printed; `path` is asked of `host`, with the scenarios' roots.
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

  /// The items of a list; nil for anything else.
  /// The findings of a run about the rule of this id.
  func findings(of rule: String) -> [JSONValue] {
    guard let index = self["rules"]?.items?.firstIndex(where: { $0.text("id") == rule }) else { return [] }
    return self["findings"]?.items?.filter { $0["rule"] == .integer(index) } ?? []
  }

  var items: [JSONValue]? { if case .array(let items) = self { items } else { nil } }

  /// A member that is a string; empty where it is none.
  func text(_ name: String) -> String { if case .string(let text)? = self[name] { text } else { "" } }

  /// The rules of the reasons.
  var reasonRules: [String] {
    guard case .array(let reasons)? = self["reasons"] else { return [] }
    return reasons.map { $0.text("rule") }
  }
}
