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
  private static let told = "leave it out to tell it from the URL"

  /// Reads the members it knows; others, such as a record's own, are passed over unless they look like one of them.
  ///
  /// - Throws: `Complaint` about the first one that is wrong.
  init(_ json: JSONValue) throws {
    let members = try RequestMembers(json, named: Self.names)
    guard let url = try members.text("url") else {
      throw Complaint(message: "'url' is missing", hint: "write {\"url\": \"https://api.example/\"}")
    }
    let os = try members.text("os").map(OSVersion.named) ?? OSVersion.latest
    let loader = try members.text("loader").map(Loader.named) ?? .urlSession
    load = .init(
      try LoadURL.written(url), os: os, loader: loader, isDirect: try members.flag("direct", without: Self.told),
      linkedSDK: try members.text("linkedSDK").map(OSVersion.named),
      isApplesOwn: try members.flag("apple", without: Self.told) ?? false)
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
}
