import Cryptography
import Explanation
import PKIX

/// A log list: the one that Google publishes (schema 3), or the one in Apple's systems (all schemas since 2016).
///
/// Unknown keys are ignored. A state, a date or a key that cannot be read is an error, as it is when Apple builds its
/// lists.
public struct LogListFile: Sendable {
  /// The maximum size of a list in bytes. Published lists have about 100,000 bytes.
  public static let maximumSize = 8 << 20

  /// The reason why a file is not a log list.
  public struct Invalid: Error, Sendable, Hashable, CustomStringConvertible {
    /// The place in the file, as a path: `operators[3].logs[1].state`.
    public let path: String
    /// The description of the problem, without a final period.
    public let message: String

    /// The error in words: `operators[3].logs[1].state: unknown state 'maybe'`.
    public var description: String { path.isEmpty ? message : "\(path): \(message)" }
  }

  /// Apple's name of the schema: `v3`; nil for Google's lists.
  public private(set) var schema: String?
  /// Apple's version number of the asset that delivers the list to devices.
  public private(set) var assetVersion: Int?
  /// Apple's version number of that asset for systems since macOS 14.
  public private(set) var assetVersionV2: Int?
  /// The number of log operators in the list.
  public private(set) var operators = 0
  /// The states of the logs as named in the file, with their counts. The states of tiled logs end with `/tiled`.
  public private(set) var states: [String: Int] = [:]
  /// The logs in the file.
  public private(set) var list = LogList([])

  /// Reads a log list from the bytes of a file.
  public init(reading bytes: [UInt8]) throws(Invalid) {
    guard bytes.count <= LogListFile.maximumSize else {
      throw Invalid(
        path: "", message: "the file has \(bytes.count) bytes, and the limit is \(LogListFile.maximumSize)")
    }
    let json: JSONValue
    do throws(JSONError) { json = try JSONValue(reading: bytes) } catch {
      throw Invalid(path: "", message: "the file is not JSON: \(error.message)")
    }
    try self.init(json: json)
  }

  /// Returns the version: a text in Google's lists, or a number in Apple's (`logListVersion`).
  private static func version(_ json: JSONValue?) -> String? { json?.text ?? json?.integer.map(String.init) }

  private init(json: JSONValue) throws(Invalid) {
    guard json.members != nil else { throw Invalid(path: "", message: "not an object") }
    schema = json["$schema"]?.text.flatMap { name in
      name.split(separator: "_").last.map { String($0.prefix { $0 != "." }) }
    }
    assetVersion = json["assetVersion"]?.integer
    assetVersionV2 = json["assetVersionV2"]?.integer
    let logs: [TransparencyLog]
    if json["logs"] != nil {
      schema = json["states"] == nil ? "v0" : "v1"
      logs = try flatLogs(json)
    } else {
      logs = try operatedLogs(json)
    }
    list = LogList(
      logs, version: LogListFile.version(json["version"]) ?? LogListFile.version(json["logListVersion"]),
      timestamp: try json["log_list_timestamp"].map { value throws(Invalid) in
        try LogListFile.instant(value, "log_list_timestamp")
      })
  }
}

/// Reads lists that group logs by operator: Google's lists, and Apple's since 2018.
extension LogListFile {
  private mutating func operatedLogs(_ json: JSONValue) throws(Invalid) -> [TransparencyLog] {
    guard let all = json["operators"]?.elements else { throw Invalid(path: "operators", message: "absent") }
    operators = all.count
    var logs: [TransparencyLog] = []
    for (index, one) in all.enumerated() {
      let path = "operators[\(index)]"
      guard let name = one.value["name"]?.text ?? one.name, !name.isEmpty else {
        throw Invalid(path: "\(path).name", message: "absent or empty")
      }
      for (key, isTiled) in [("logs", false), ("tiled_logs", true)] {
        for (place, log) in (one.value[key]?.elements ?? []).enumerated() {
          logs.append(try operatedLog(log.value, name, isTiled: isTiled, "\(path).\(key)[\(place)]"))
        }
      }
    }
    return logs
  }

  private mutating func operatedLog(
    _ json: JSONValue, _ name: String, isTiled: Bool, _ path: String
  ) throws(Invalid) -> TransparencyLog {
    var log = try LogListFile.log(json, name, path)
    let (word, state) = try LogListFile.state(json["state"], "\(path).state")
    states[word + (isTiled ? "/tiled" : ""), default: 0] += 1
    log.state = state
    log.isTiled = isTiled
    log.isForTLSOnly = json["tls_only"] == true
    if let interval = json["temporal_interval"] {
      log.interval = (
        try LogListFile.instant(interval["start_inclusive"] ?? .null, "\(path).temporal_interval.start_inclusive"),
        try LogListFile.instant(interval["end_exclusive"] ?? .null, "\(path).temporal_interval.end_exclusive")
      )
    }
    log.previousOperators = try (json["previous_operators"]?.elements ?? []).enumerated().map {
      index, previous throws(Invalid) in
      let place = "\(path).previous_operators[\(index)].end_time"
      let until = try LogListFile.instant(previous.value["end_time"] ?? .null, place)
      return (previous.value["name"]?.text ?? "", UInt64(max(0, until.secondsSince1970)) &* 1000)
    }
    return log
  }

  private static func state(
    _ json: JSONValue?, _ path: String
  ) throws(Invalid) -> (word: String, state: TransparencyLog.State?) {
    guard let member = json?.members?.first else { return ("none", nil) }
    switch member.name {
    case "pending": return (member.name, .pending)
    case "qualified": return (member.name, .qualified)
    case "usable": return (member.name, .usable)
    case "rejected": return (member.name, .rejected)
    case "readonly", "frozen":
      return (member.name, .readonly(try moment(of: member, path)))
    case "retired":
      return (member.name, .retired(try moment(of: member, path)))
    default: throw Invalid(path: path, message: "unknown state '\(member.name)'")
    }
  }

  private static func moment(of state: JSONValue.Member, _ path: String) throws(Invalid) -> Instant {
    try instant(state.value["timestamp"] ?? .null, "\(path).\(state.name).timestamp")
  }
}

/// Reads Apple's lists until 2018, in which an array of logs refers to operators and states by number.
extension LogListFile {
  private mutating func flatLogs(_ json: JSONValue) throws(Invalid) -> [TransparencyLog] {
    guard let all = json["logs"]?.elements else { throw Invalid(path: "logs", message: "not an array") }
    let names = LogListFile.names(json["operators"])
    let words = LogListFile.names(json["states"])
    operators = json["operators"]?.elements?.count ?? 0
    var logs: [TransparencyLog] = []
    for (index, one) in all.enumerated() {
      let path = "logs[\(index)]"
      let owner = one.value["operated_by"]?.elements?.first?.value.integer.flatMap { names[$0] } ?? ""
      var log = try LogListFile.log(one.value, owner, path)
      log.state = try flatState(one.value, words, path)
      logs.append(log)
    }
    return logs
  }

  private mutating func flatState(
    _ json: JSONValue, _ words: [Int: String], _ path: String
  ) throws(Invalid) -> TransparencyLog.State? {
    let number = json["state"]?.integer ?? 0
    let word = words[number]?.lowercased() ?? (words.isEmpty ? "included" : "unknown")
    states[word, default: 0] += 1
    let ends = [
      ("expiry", json["expiry"]), ("disqualified_at", json["disqualified_at"]),
      ("final_sth.timestamp", json["final_sth"]?["timestamp"]),
    ]
    let end = ends.first { $0.1 != nil }
    switch word {
    case "included" where json["expiry"] == nil: return .usable
    case "pending": return .pending
    case "included", "frozen", "disqualified":
      return .retired(try LogListFile.instant(end?.1 ?? .null, "\(path).\(end?.0 ?? "expiry")"))
    default: throw Invalid(path: "\(path).state", message: "unknown state \(number)")
    }
  }

  private static func names(_ json: JSONValue?) -> [Int: String] {
    Dictionary(
      (json?.elements ?? []).compactMap { one in
        one.value["id"]?.integer.flatMap { id in one.value["name"]?.text.map { (id, $0) } }
      }
    ) { first, _ in first }
  }
}

/// Reads the members that all schemas have in common.
extension LogListFile {
  private static func log(
    _ json: JSONValue, _ name: String, _ path: String
  ) throws(Invalid) -> TransparencyLog {
    guard let text = json["key"]?.text, let der = try? Base64.decode(text) else {
      throw Invalid(path: "\(path).key", message: "not a Base64 key")
    }
    let own = TransparencyLog.id(of: der)
    let id = json["log_id"]?.text.flatMap { try? Base64.decode($0) } ?? own
    // A log with a wrong id or an unusable key stays in the list, but verifies no SCT.
    let key = id == own ? try? PublicKey(subjectPublicKeyInfo: der) : nil
    return TransparencyLog(json["description"]?.text ?? "a log", operator: name, key: key, id: id)
  }

  /// Parses a date and time of RFC 3339, with `Z` or a numeric offset. In Apple's older lists, the offset has no colon.
  ///
  /// Fractions of a second are dropped. A number is in seconds, or in milliseconds if seconds would be thousands of
  /// years away.
  private static func instant(_ json: JSONValue, _ path: String) throws(Invalid) -> Instant {
    if let number = json.integer {
      return Instant(secondsSince1970: Int64(number > 100_000_000_000 ? number / 1000 : number))
    }
    guard let text = json.text else {
      throw Invalid(path: path, message: json == .null ? "absent" : "not a date and time of RFC 3339")
    }
    guard let instant = instant(text) else {
      throw Invalid(path: path, message: "not a date and time of RFC 3339: '\(text.shortened(to: 40))'")
    }
    return instant
  }

  private static func instant(_ text: String) -> Instant? {
    guard let time = text.firstIndex(where: { "Tt".contains($0) }) else { return Instant(text) }
    guard let zone = text[time...].firstIndex(where: { "Zz+-".contains($0) }) else { return nil }
    let local = text[..<zone].split(separator: ".", omittingEmptySubsequences: false)
    guard let whole = local.first, local.count == 1 || local.count == 2 && isDigits(local[1]),
      let instant = Instant(whole.uppercased() + "Z"), let offset = offset(text[zone...])
    else { return nil }
    return instant.adding(seconds: -offset)
  }

  /// Returns the offset in seconds of `Z`, `+01:00` or `-0000`; nil for any other text.
  private static func offset(_ text: Substring) -> Int64? {
    if text.uppercased() == "Z" { return 0 }
    let digits = text.dropFirst().filter { $0 != ":" }
    guard digits.utf8.count == 4, isDigits(digits), text.utf8.count == 5 || text.utf8.count == 6,
      text.utf8.count == 5 || text.dropFirst(3).first == ":", let number = Int64(String(digits)), number % 100 < 60,
      number / 100 < 24
    else { return nil }
    let seconds = (number / 100) * 3600 + (number % 100) * 60
    return text.first == "-" ? -seconds : seconds
  }

  private static func isDigits(_ text: some StringProtocol) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { (48...57).contains($0) }
  }
}

extension JSONValue {
  fileprivate var text: String? { if case .string(let text) = self { text } else { nil } }
  fileprivate var integer: Int? { if case .integer(let number) = self { number } else { nil } }
  /// The elements of an array, or the members of an object.
  fileprivate var elements: [(name: String?, value: JSONValue)]? {
    if case .array(let values) = self { return values.map { (nil, $0) } }
    return members.map { $0.map { ($0.name, $0.value) } }
  }
}
