import ArgumentParser
import Explanation
import Foundation
import Rendering
import Scenarios

/// Responds in order to requests on standard input, each on one line of JSON. Memory use is constant.
///
/// The response to an invalid line contains an `error`. Each response is written before the next chunk is read.
enum RecordStream {
  /// The longest accepted line, in bytes.
  private static let maximumLine = 16 << 20

  /// Responds to requests on standard input until it ends. Responses are written to standard output.
  ///
  /// - Parameters:
  ///   - members: The members of each response to write; empty means all.
  ///   - example: A valid request for hints.
  ///   - isOver: Whether the latest response was the last.
  ///   - answer: Returns the members of the response to a request, after `trustlab` and `id`.
  /// - Throws: `Diagnostics` if standard input cannot be read.
  static func answer(
    members: [String] = [], example: String = #"{"url": …}"#, until isOver: () -> Bool = { false },
    _ answer: (JSONValue) throws -> [JSONValue.Member]
  ) throws {
    let wanted = members.isEmpty ? nil : Set(members)
    var line: [UInt8] = []
    var isTooLong = false
    var output: [UInt8] = []
    func finish() {
      let reply = isTooLong ? tooLong : reply(to: line, example) { try answer($0).among(wanted) }
      write(reply, to: &output)
      line.removeAll(keepingCapacity: line.capacity < 1 << 16)
      isTooLong = false
    }
    while let chunk = try nextChunk() {
      for part in chunk.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
        if part.offset > 0 {
          finish()
          if isOver() { break }
        }
        isTooLong = isTooLong || line.count + part.element.count > maximumLine
        if isTooLong { line = [] } else { line += part.element }
      }
      // If no process reads the responses, continuing would hide their loss.
      guard Console.put(output), !isOver() else { return }
      output.removeAll(keepingCapacity: true)
    }
    if !line.isEmpty || isTooLong { finish() }
    Console.put(output)
  }

  /// Returns the bytes that can be read now; nil at the end.
  private static func nextChunk() throws -> [UInt8]? {
    var failed = false
    let chunk = [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
      var size = 0
      repeat { size = read(STDIN_FILENO, buffer.baseAddress, buffer.count) } while size < 0 && errno == EINTR
      failed = size < 0
      count = max(0, size)
    }
    if failed { throw Diagnostics("cannot read standard input", hint: "send one request per line") }
    return chunk.isEmpty ? nil : chunk
  }

  private static func write(_ members: [JSONValue.Member], to output: inout [UInt8]) {
    JSONValue.object([.init("trustlab", 1)] + members).write(to: &output)
    output.append(UInt8(ascii: "\n"))
  }

  private static var tooLong: [JSONValue.Member] {
    failure("the line is longer than 16 MiB", hint: "write one request per line")
  }

  private static func reply(
    to line: [UInt8], _ example: String, _ answer: (JSONValue) throws -> [JSONValue.Member]
  ) -> [JSONValue.Member] {
    let request: JSONValue
    do throws(JSONError) { request = try JSONValue(reading: line) } catch {
      return failure(
        "the line is not JSON at byte \(error.offset): \(error.message)", hint: "write one request per line")
    }
    guard request.members != nil else { return failure("the request is not a JSON object", hint: "write \(example)") }
    let id = request["id"].map { [JSONValue.Member("id", $0)] } ?? []
    do { return id + (try answer(request)) } catch let error as Diagnostics {
      let first = error.all.first
      let place = first?.mark.map { "\($0.file):\($0.line):\($0.column): " } ?? ""
      return id + failure(place + (first?.message ?? ""), hint: first?.hint ?? "")
    } catch {
      return id + failure("\(error)", hint: "")
    }
  }

  private static func failure(_ message: String, hint: String) -> [JSONValue.Member] {
    [.init("error", ["message": .string(message), "hint": .string(hint)])]
  }
}

/// The options for a stream of requests.
struct RecordStreamOptions: ParsableArguments {
  @Flag(help: "Read one JSON request per line from standard input, and write one response per line.")
  var ndjson = false

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "With --ndjson: the members of each response, in addition to trustlab, id and error. Default: all.",
      valueName: "name"))
  var members: [String] = []

  /// Checks that `--members` is used with `--ndjson` and names only `known` members.
  ///
  /// - Throws: `Diagnostics` about the first unknown name.
  func check(among known: [String]) throws {
    guard ndjson || members.isEmpty else {
      throw Diagnostics("--members requires --ndjson", hint: "add --ndjson, or remove --members")
    }
    for name in members where !known.contains(name) {
      throw Diagnostics("the response has no member '\(name)'", hint: Spelling.hint(for: name, among: known))
    }
  }
}

extension [JSONValue.Member] {
  /// Returns the wanted members in their original order, or all members if `wanted` is nil.
  fileprivate func among(_ wanted: Set<String>?) -> [JSONValue.Member] {
    wanted.map { wanted in filter { wanted.contains($0.name) } } ?? self
  }
}

/// The members of a request in a stream, each of which is read with its type.
///
/// Members with other names, such as a record's own, are ignored unless they resemble a known one.
struct RequestMembers {
  private let json: JSONValue

  /// Checks the members of `json` against the known `names`.
  ///
  /// - Throws: `Diagnostics` if an unknown member resembles a known one.
  init(_ json: JSONValue, named names: [String]) throws {
    self.json = json
    for member in json.members ?? [] where !names.contains(member.name) {
      guard let meant = Self.meant(by: member.name, among: names) ?? settings(meantBy: member, among: names) else {
        continue
      }
      throw Diagnostics(
        "unknown member '\(member.name)'",
        hint: "did you mean '\(meant)'? If this is a member of your own, choose a different name")
    }
  }

  /// Returns the known name that was probably meant, such as `linkedSDK` for `linked-sdk` or `linkedSKD`. A short name
  /// is not corrected, because it may be a different word.
  private static func meant(by name: String, among names: [String]) -> String? {
    func plain(_ text: String) -> String { text.lowercased().filter { $0.isLetter } }
    func singular(_ text: String) -> String { text.hasSuffix("s") ? String(text.dropLast()) : text }
    let long = names.filter { $0.count > 3 }
    return names.first { plain($0) == plain(name) } ?? long.first { singular(plain($0)) == singular(plain(name)) }
      ?? names.first { plain($0) == singular(plain(name)) }
      ?? Spelling.nearest(to: name, among: long, within: 1)
  }

  /// Returns `ats` for a similar name such as `atz`, if `ats` is missing and the member contains an app's settings.
  private func settings(meantBy member: JSONValue.Member, among names: [String]) -> String? {
    guard names.contains("ats"), json["ats"] == nil, case .object(let settings) = member.value,
      settings.contains(where: { $0.name.hasPrefix("NS") })
    else { return nil }
    return Spelling.nearest(to: member.name, among: ["ats"], within: 1)
  }

  /// Returns a string; nil if the member is null or missing.
  func text(_ name: String) throws -> String? {
    switch json[name] {
    case .string(let text): return text
    case nil, .null: return nil
    default: throw Diagnostics("'\(name)' is not a string", hint: "write the value in quotes")
    }
  }

  /// Returns a Boolean; nil if the member is null or missing. `hint` describes how to write it.
  func flag(_ name: String, without hint: String) throws -> Bool? {
    switch json[name] {
    case .boolean(let flag): return flag
    case nil, .null: return nil
    default: throw Diagnostics("'\(name)' is neither true nor false", hint: hint)
    }
  }

  /// Returns an integer; nil if the member is null or missing.
  func integer(_ name: String) throws -> Int? {
    switch json[name] {
    case .integer(let number): return number
    case nil, .null: return nil
    default: throw Diagnostics("'\(name)' is not an integer", hint: "write it without quotes")
    }
  }

  /// Returns an array of strings; nil if the member is null or missing.
  func texts(_ name: String) throws -> [String]? {
    if case nil = json[name] { return nil }
    if json[name] == .null { return nil }
    let complaint = Diagnostics("'\(name)' is not an array of strings", hint: "write \"\(name)\": [\"…\", \"…\"]")
    guard case .array(let values)? = json[name] else { throw complaint }
    return try values.map { value in
      guard case .string(let text) = value else { throw complaint }
      return text
    }
  }
}
