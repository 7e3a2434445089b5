import ArgumentParser
import Explanation
import Foundation
import Rendering
import Scenarios

/// Answers records, one line of JSON each: an answer for every line, in order, in constant memory.
///
/// What is wrong with a line is its answer's `error`; what has been read is answered before more is waited for.
enum RecordStream {
  /// The longest line that is read, in bytes.
  private static let maximumLine = 16 << 20

  /// Answers standard input on standard output until it ends.
  ///
  /// - Parameters:
  ///   - members: What of each answer is wanted, by name; none is all.
  ///   - example: A request, for who sent something else.
  ///   - isOver: Whether the last answer was the last of all.
  ///   - answer: The members of the answer to a request, after `trustlab` and `id`.
  /// - Throws: `Diagnostics` when standard input cannot be read.
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
      // To answer on where nobody takes the answers would only hide that they are lost.
      guard Console.put(output), !isOver() else { return }
      output.removeAll(keepingCapacity: true)
    }
    if !line.isEmpty || isTooLong { finish() }
    Console.put(output)
  }

  /// What can be read by now; nil at the end.
  private static func nextChunk() throws -> [UInt8]? {
    var failed = false
    let chunk = [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
      var size = 0
      repeat { size = read(STDIN_FILENO, buffer.baseAddress, buffer.count) } while size < 0 && errno == EINTR
      failed = size < 0
      count = max(0, size)
    }
    if failed { throw Diagnostics("cannot read standard input", hint: "one request per line is read there") }
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
      return failure("not JSON at byte \(error.offset): \(error.message)", hint: "write one request per line")
    }
    guard request.members != nil else { return failure("a request is an object", hint: "write \(example)") }
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

/// Whether requests come in a stream, and what of each answer is wanted.
struct RecordStreamOptions: ParsableArguments {
  @Flag(help: "Answer requests on standard input, one line of JSON each.")
  var ndjson = false

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "With --ndjson: what each answer says beside trustlab, id and error, such as verdict and because; left out, all.",
      valueName: "name"))
  var members: [String] = []

  /// Only answers of a stream are cut, and only to what they `known`ly have.
  ///
  /// - Throws: `Diagnostics` about the first name that is none.
  func check(among known: [String]) throws {
    guard ndjson || members.isEmpty else {
      throw Diagnostics("--members belongs to --ndjson", hint: "add --ndjson, or leave --members out")
    }
    for name in members where !known.contains(name) {
      throw Diagnostics("no answer has a member '\(name)'", hint: Spelling.hint(for: name, among: known))
    }
  }
}

extension [JSONValue.Member] {
  /// Those that are wanted, in their own order; all for nil.
  fileprivate func among(_ wanted: Set<String>?) -> [JSONValue.Member] {
    wanted.map { wanted in filter { wanted.contains($0.name) } } ?? self
  }
}

/// The members of one request of a stream, each read with its type.
///
/// Members with other names, such as a record's own, are passed over unless they look like one of those that are read.
struct RequestMembers {
  private let json: JSONValue

  /// The members of `json` that are called `names`.
  ///
  /// - Throws: `Diagnostics` when another one looks like one of them.
  init(_ json: JSONValue, named names: [String]) throws {
    self.json = json
    for member in json.members ?? [] where !names.contains(member.name) {
      guard let meant = Self.meant(by: member.name, among: names) ?? settings(meantBy: member, among: names) else {
        continue
      }
      throw Diagnostics(
        "unknown member '\(member.name)'",
        hint: "did you mean '\(meant)'? A record's own members may stand beside, under other names")
    }
  }

  /// `linkedSDK` for `linked-sdk` and for `linkedSKD`; of short names a slip may be a word of its own.
  private static func meant(by name: String, among names: [String]) -> String? {
    func plain(_ text: String) -> String { text.lowercased().filter { $0.isLetter } }
    func singular(_ text: String) -> String { text.hasSuffix("s") ? String(text.dropLast()) : text }
    let long = names.filter { $0.count > 3 }
    return names.first { plain($0) == plain(name) } ?? long.first { singular(plain($0)) == singular(plain(name)) }
      ?? names.first { plain($0) == singular(plain(name)) }
      ?? Spelling.nearest(to: name, among: long, within: 1)
  }

  /// `ats` for `atz` where `ats` is not there and the other one holds an app's settings.
  private func settings(meantBy member: JSONValue.Member, among names: [String]) -> String? {
    guard names.contains("ats"), json["ats"] == nil, case .object(let settings) = member.value,
      settings.contains(where: { $0.name.hasPrefix("NS") })
    else { return nil }
    return Spelling.nearest(to: member.name, among: ["ats"], within: 1)
  }

  /// A string; nil where there is null or nothing.
  func text(_ name: String) throws -> String? {
    switch json[name] {
    case .string(let text): return text
    case nil, .null: return nil
    default: throw Diagnostics("'\(name)' is no string", hint: "write it in quotes")
    }
  }

  /// True or false; nil where there is null or nothing, for which `hint` says what to write.
  func flag(_ name: String, without hint: String) throws -> Bool? {
    switch json[name] {
    case .boolean(let flag): return flag
    case nil, .null: return nil
    default: throw Diagnostics("'\(name)' is neither true nor false", hint: hint)
    }
  }

  /// Strings; nil where there is null or nothing.
  func texts(_ name: String) throws -> [String]? {
    if case nil = json[name] { return nil }
    if json[name] == .null { return nil }
    let complaint = Diagnostics("'\(name)' is no array of strings", hint: "write \"\(name)\": [\"…\", \"…\"]")
    guard case .array(let values)? = json[name] else { throw complaint }
    return try values.map { value in
      guard case .string(let text) = value else { throw complaint }
      return text
    }
  }
}
