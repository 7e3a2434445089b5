import Explanation

/// A file of chains with what should come out of each: the format of x509-limbo, version 1.
///
/// Keys that are not known here are passed over; those that are must have the right types.
public struct LimboFile: Sendable {
  /// Why a file cannot be used.
  public struct Invalid: Error, Sendable, Hashable {
    /// Where in the file: `testcases[3].validation_time`.
    public let path: String
    /// What is wrong, without a final period.
    public let message: String
  }

  /// The cases in the order of the file.
  public let cases: [LimboCase]

  /// The cases in a JSON value.
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

/// The members of one JSON object, each read once and with its type.
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

  /// A string, or null or nothing.
  func optionalString(_ name: String) throws(LimboFile.Invalid) -> String? {
    isNull(name) ? nil : try string(name)
  }

  /// Strings; none where there is null or nothing.
  func strings(_ name: String) throws(LimboFile.Invalid) -> [String] {
    try elements(name) { value in if case .string(let text) = value { text } else { nil } }
  }

  /// Objects; none where there is null or nothing.
  func objects(_ name: String) throws(LimboFile.Invalid) -> [LimboFields] {
    let values = try elements(name) { $0 }
    var objects: [LimboFields] = []
    for (index, value) in values.enumerated() {
      objects.append(try LimboFields(value, path: "\(path).\(name)[\(index)]"))
    }
    return objects
  }

  /// An object, or null or nothing.
  func optionalObject(_ name: String) throws(LimboFile.Invalid) -> LimboFields? {
    guard let value = members[name], value != .null else { return nil }
    return try LimboFields(value, path: "\(path).\(name)")
  }

  /// A number that is not negative, or null or nothing.
  func optionalCount(_ name: String) throws(LimboFile.Invalid) -> Int? {
    guard !isNull(name) else { return nil }
    guard case .integer(let number)? = members[name], number >= 0 else {
      throw error(name, "not a number from 0 on")
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
    guard elements.count == values.count else { throw error(name, "not an array of strings") }
    return elements
  }
}
