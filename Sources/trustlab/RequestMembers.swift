import Explanation
import Rendering

/// The members of one request of a stream, each read with its type.
///
/// Members with other names, such as a record's own, are passed over unless they look like one of those that are read.
struct RequestMembers {
  private let json: JSONValue

  /// The members of `json` that are called `names`.
  ///
  /// - Throws: `Complaint` when another one looks like one of them.
  init(_ json: JSONValue, named names: [String]) throws {
    self.json = json
    for member in json.members ?? [] where !names.contains(member.name) {
      guard let meant = Self.meant(by: member.name, among: names) else { continue }
      throw Complaint(
        message: "unknown member '\(member.name)'",
        hint: "did you mean '\(meant)'? A record's own members may stand beside, under other names")
    }
  }

  /// `linkedSDK` for `linked-sdk` and for `linkedSKD`; of short names a slip may be a word of its own.
  private static func meant(by name: String, among names: [String]) -> String? {
    func plain(_ text: String) -> String { text.lowercased().filter { $0.isLetter } }
    return names.first { plain($0) == plain(name) }
      ?? Spelling.nearest(to: name, among: names.filter { $0.count > 3 }, within: 1)
  }

  /// A string; nil where there is null or nothing.
  func text(_ name: String) throws -> String? {
    switch json[name] {
    case .string(let text): return text
    case nil, .null: return nil
    default: throw Complaint(message: "'\(name)' is no string", hint: "write it in quotes")
    }
  }

  /// True or false; nil where there is null or nothing, for which `hint` says what to write.
  func flag(_ name: String, without hint: String) throws -> Bool? {
    switch json[name] {
    case .boolean(let flag): return flag
    case nil, .null: return nil
    default: throw Complaint(message: "'\(name)' is neither true nor false", hint: hint)
    }
  }

  /// Strings; nil where there is null or nothing.
  func texts(_ name: String) throws -> [String]? {
    if case nil = json[name] { return nil }
    if json[name] == .null { return nil }
    let complaint = Complaint(message: "'\(name)' is no array of strings", hint: "write \"\(name)\": [\"…\", \"…\"]")
    guard case .array(let values)? = json[name] else { throw complaint }
    return try values.map { value in
      guard case .string(let text) = value else { throw complaint }
      return text
    }
  }
}
