import Explanation
import Rendering
import Trust
import URLLoading

/// A request of `ats decide --ndjson`: `{"ats": {…}, "url": "…", "os": "…", "loader": "…", "linkedSDK": "…",
/// "direct": false, "apple": false}`.
struct AtsRequest {
  private let configuration: AppTransportSecurity.Configuration
  private let load: AppTransportSecurity.Load

  /// The members that are read; `id` is read by the stream.
  private static let names = ["url", "os", "ats", "loader", "linkedSDK", "direct", "apple", "id"]

  /// Reads the members it knows; others, such as a record's own, are passed over unless they look like one of them.
  ///
  /// - Throws: `Complaint` about the first one that is wrong.
  init(_ json: JSONValue) throws {
    try Self.checkNames(json)
    guard let url = try Self.text(json, "url") else {
      throw Complaint(message: "'url' is missing", hint: "write {\"url\": \"https://api.example/\"}")
    }
    let os = try Self.text(json, "os").map(OSVersion.named) ?? OSVersion.latest
    let loader = try Self.text(json, "loader").map(Loader.named) ?? .urlSession
    load = .init(
      try LoadURL.written(url), os: os, loader: loader, isDirect: try Self.flag(json, "direct"),
      linkedSDK: try Self.text(json, "linkedSDK").map(OSVersion.named),
      isApplesOwn: try Self.flag(json, "apple") ?? false)
    configuration = try Self.settings(json["ats"] ?? .null)
  }

  var answer: [JSONValue.Member] { AppTransportSecurity.decide(load, by: configuration).members }

  private static func settings(_ json: JSONValue) throws -> AppTransportSecurity.Configuration {
    guard json != .null else { return .empty }
    guard json.members != nil, let dictionary = PropertyList(json)?.dictionary else {
      throw Complaint(message: "'ats' is no object", hint: "write the NSAppTransportSecurity dictionary as JSON")
    }
    // As with --plist, what it stands in may be there too.
    let whole = PropertyList.dictionary(dictionary)
    switch AppTransportSecurity.Configuration.Origin(in: whole) {
    case .infoPlist, .notADictionary: return .init(infoPlist: whole)
    case .dictionaryItself, .absent: return .init(dictionary: dictionary)
    }
  }

  private static func checkNames(_ json: JSONValue) throws {
    for member in json.members ?? [] where !names.contains(member.name) {
      guard let meant = meant(by: member.name) else { continue }
      throw Complaint(
        message: "unknown member '\(member.name)'",
        hint: "did you mean '\(meant)'? A record's own members may stand beside, under other names")
    }
  }

  /// `linkedSDK` for `linked-sdk` and for `linkedSKD`; of short names a slip may be a word of its own.
  private static func meant(by name: String) -> String? {
    func plain(_ text: String) -> String { text.lowercased().filter { $0.isLetter } }
    return names.first { plain($0) == plain(name) }
      ?? Spelling.nearest(to: name, among: names.filter { $0.count > 3 }, within: 1)
  }

  private static func text(_ json: JSONValue, _ name: String) throws -> String? {
    switch json[name] {
    case .string(let text): return text
    case nil, .null: return nil
    default: throw Complaint(message: "'\(name)' is no string", hint: "write it in quotes")
    }
  }

  private static func flag(_ json: JSONValue, _ name: String) throws -> Bool? {
    switch json[name] {
    case .boolean(let flag): return flag
    case nil, .null: return nil
    default:
      throw Complaint(message: "'\(name)' is neither true nor false", hint: "leave it out to tell it from the URL")
    }
  }
}
