/// A required or found value, typed; it becomes words only when it is shown.
public enum Detail: Sendable, Hashable {
  /// Nothing to say.
  case none
  /// Something that should be there is not.
  case absent
  /// A term of the field, a name, an algorithm, a version: `TLSv1.2`.
  case word(String)
  /// Several of them, in order.
  case words([String])
  /// A plain number.
  case number(Int)
  /// The size of a key.
  case bits(Int)
  /// A size in bytes.
  case byteCount(Int)
  /// A point in time.
  case date(Instant)
  /// A period, both ends included.
  case period(Instant, Instant)
  /// A length of time in seconds.
  case seconds(Int64)
  /// A switch.
  case flag(Bool)
  /// Raw bytes, such as a hash or a serial number.
  case bytes([UInt8])
  /// At least this much.
  indirect case atLeast(Detail)
  /// At most this much.
  indirect case atMost(Detail)
  /// Any of these.
  case anyOf([String])

  /// The words a reader sees.
  public var description: String {
    switch self {
    case .none: ""
    case .absent: "absent"
    case .word(let word): word
    case .words(let words): words.isEmpty ? "none" : words.joined(separator: ", ")
    case .number(let number): String(number)
    case .bits(let count): "\(count) bits"
    case .byteCount(let count): "\(count) bytes"
    case .date(let instant): instant.description
    case .period(let start, let end): "\(start) to \(end)"
    case .seconds(let seconds): Detail.duration(seconds)
    case .flag(let flag): flag ? "yes" : "no"
    case .bytes(let bytes): Hex.string(bytes)
    case .atLeast(.date(let instant)): "no earlier than \(instant)"
    case .atMost(.date(let instant)): "no later than \(instant)"
    case .atLeast(let detail): "at least \(detail.description)"
    case .atMost(let detail): "at most \(detail.description)"
    case .anyOf(let words): words.isEmpty ? "nothing" : "any of \(words.joined(separator: ", "))"
    }
  }

  /// The duration in days to seconds, largest first, without units that are zero.
  private static func duration(_ seconds: Int64) -> String {
    let parts = [
      (seconds / 86_400, "day"), (seconds / 3600 % 24, "hour"), (seconds / 60 % 60, "minute"), (seconds % 60, "second"),
    ].filter { $0.0 != 0 }.map { $0.0 == 1 ? "1 \($0.1)" : "\($0.0) \($0.1)s" }
    guard let last = parts.last else { return "0 seconds" }
    return parts.count == 1 ? last : parts.dropLast().joined(separator: ", ") + " and " + last
  }
}
