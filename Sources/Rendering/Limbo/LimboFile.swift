import Explanation
import Laboratory
import Trust

/// A file with certificate chains and expected results, in version 1 of the x509-limbo format.
///
/// Unknown keys are ignored, and known keys must have the right types.
public struct LimboFile: Sendable {
  /// The reason why a file cannot be used.
  public struct Invalid: Error, Sendable, Hashable {
    /// The place in the file, as a path: `testcases[3].validation_time`.
    public let path: String
    /// The description of the problem, without a final period.
    public let message: String
  }

  /// The cases in the order of the file.
  public let cases: [LimboCase]

  /// Reads the cases from a JSON value.
  public init(_ json: JSONValue) throws(Invalid) {
    guard json.members != nil else { throw Invalid(path: "", message: "not an object") }
    guard json["version"] == 1 else { throw Invalid(path: "version", message: "not 1") }
    guard case .array(let values)? = json["testcases"] else {
      throw Invalid(path: "testcases", message: "not an array")
    }
    guard !values.isEmpty else { throw Invalid(path: "testcases", message: "empty") }
    var cases: [LimboCase] = []
    cases.reserveCapacity(values.count)
    for (index, value) in values.enumerated() {
      let name =
        value["id"].flatMap { if case .string(let id) = $0 { " (\(id.shortened(to: 100)))" } else { nil } } ?? ""
      cases.append(try LimboCase(LimboFields(value, path: "testcases[\(index)]\(name)")))
    }
    self.cases = cases
  }
}

extension LimboCase {
  fileprivate init(_ fields: LimboFields) throws(LimboFile.Invalid) {
    let id = try fields.string("id")
    guard let expected = Outcome(rawValue: try fields.string("expected_result")), expected != .skipped else {
      throw fields.error("expected_result", "the value must be SUCCESS or FAILURE")
    }
    let features = try fields.strings("features")
    let kind = try fields.string("validation_kind")
    let (trusted, untrusted) = (try fields.strings("trusted_certs"), try fields.strings("untrusted_intermediates"))
    self.init(id: id, expected: expected, kind: kind, leaf: try fields.string("peer_certificate"))
    self.features = features
    self.trusted = trusted
    self.untrusted = untrusted
    lists = try fields.strings("crls")
    time = try LimboCase.time(fields)
    signatureAlgorithms = try fields.strings("signature_algorithms")
    keyUsage = try fields.strings("key_usage")
    extendedKeyUsage = try fields.strings("extended_key_usage")
    peerNames = try LimboCase.names(fields)
    maximumDepth = try fields.optionalCount("max_chain_depth")
  }

  /// Returns the single name, followed by the names of the list.
  private static func names(_ fields: LimboFields) throws(LimboFile.Invalid) -> [PeerName] {
    var names: [PeerName] = []
    if let name = try fields.optionalObject("expected_peer_name") { names.append(try PeerName(name)) }
    for name in try fields.objects("expected_peer_names") { names.append(try PeerName(name)) }
    return names
  }

  private static func time(_ fields: LimboFields) throws(LimboFile.Invalid) -> Instant? {
    guard let text = try fields.optionalString("validation_time") else { return nil }
    guard let time = Instant(dateTime: text) else {
      throw fields.error("validation_time", "the value must be a date and time")
    }
    return time
  }
}

extension LimboCase.PeerName {
  fileprivate init(_ fields: LimboFields) throws(LimboFile.Invalid) {
    self.init(kind: try fields.string("kind"), value: try fields.string("value"))
  }
}

/// The members of a JSON object, each of which is read with its type.
struct LimboFields {
  private let members: [String: JSONValue]
  private let path: String

  init(_ json: JSONValue, path: String) throws(LimboFile.Invalid) {
    guard let members = json.members else { throw LimboFile.Invalid(path: path, message: "not an object") }
    self.members = Dictionary(members.map { ($0.name, $0.value) }) { first, _ in first }
    self.path = path
  }

  func error(_ name: String, _ message: String) -> LimboFile.Invalid {
    LimboFile.Invalid(path: "\(path).\(name)", message: message)
  }

  func string(_ name: String) throws(LimboFile.Invalid) -> String {
    guard case .string(let text)? = members[name] else { throw error(name, "not a string") }
    return text
  }

  /// Returns a string; nil for null or an absent member.
  func optionalString(_ name: String) throws(LimboFile.Invalid) -> String? {
    isNull(name) ? nil : try string(name)
  }

  /// Returns an array of strings; empty for null or an absent member.
  func strings(_ name: String) throws(LimboFile.Invalid) -> [String] {
    try elements(name) { value in if case .string(let text) = value { text } else { nil } }
  }

  /// Returns an array of objects; empty for null or an absent member.
  func objects(_ name: String) throws(LimboFile.Invalid) -> [LimboFields] {
    let values = try elements(name) { $0 }
    var objects: [LimboFields] = []
    for (index, value) in values.enumerated() {
      objects.append(try LimboFields(value, path: "\(path).\(name)[\(index)]"))
    }
    return objects
  }

  /// Returns an object; nil for null or an absent member.
  func optionalObject(_ name: String) throws(LimboFile.Invalid) -> LimboFields? {
    guard let value = members[name], value != .null else { return nil }
    return try LimboFields(value, path: "\(path).\(name)")
  }

  /// Returns a non-negative number; nil for null or an absent member.
  func optionalCount(_ name: String) throws(LimboFile.Invalid) -> Int? {
    guard !isNull(name) else { return nil }
    guard case .integer(let number)? = members[name], number >= 0 else {
      throw error(name, "the value must be a non-negative integer")
    }
    return number
  }

  private func isNull(_ name: String) -> Bool { (members[name] ?? .null) == .null }

  private func elements<Element>(
    _ name: String, _ read: (JSONValue) -> Element?
  ) throws(LimboFile.Invalid) -> [Element] {
    guard !isNull(name) else { return [] }
    guard case .array(let values)? = members[name] else { throw error(name, "not an array") }
    let elements = values.compactMap(read)
    guard elements.count == values.count else { throw error(name, "the value must be an array of strings") }
    return elements
  }
}

extension Instant {
  /// Parses a date and time of RFC 3339 section 5.6 with any offset. Fractions of seconds are dropped.
  init?(dateTime text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count >= 20, bytes[10] == UInt8(ascii: "T") || bytes[10] == UInt8(ascii: "t"),
      let local = Instant(
        String(decoding: bytes[..<10], as: UTF8.self) + "T"
          + String(decoding: bytes[11..<19], as: UTF8.self) + "Z")
    else { return nil }
    var rest = bytes[19...]
    if rest.first == UInt8(ascii: ".") {
      let digits = rest.dropFirst().prefix { (48...57).contains($0) }
      guard !digits.isEmpty else { return nil }
      rest = rest.dropFirst(1 + digits.count)
    }
    if rest.elementsEqual([UInt8(ascii: "Z")]) || rest.elementsEqual([UInt8(ascii: "z")]) {
      self = local
      return
    }
    let digits = rest.dropFirst().filter { (48...57).contains($0) }.map { Int64($0) - 48 }
    guard rest.count == 6, digits.count == 4, rest[rest.startIndex + 3] == UInt8(ascii: ":"),
      rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-")
    else { return nil }
    let seconds = (digits[0] * 10 + digits[1]) * 3600 + (digits[2] * 10 + digits[3]) * 60
    self = local.adding(seconds: rest.first == UInt8(ascii: "+") ? -seconds : seconds)
  }
}
