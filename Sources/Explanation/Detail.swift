/// A required or found value. It keeps its type until it is displayed as text.
public enum Detail: Sendable, Hashable {
  /// There is no value to display.
  case none
  /// A required element is absent.
  case absent
  /// A term, a name, an algorithm or a version, such as `TLSv1.2`.
  case word(String)
  /// Several terms or names, in order.
  case words([String])
  /// A plain number.
  case number(Int)
  /// The size of a key in bits.
  case bits(Int)
  /// A size in bytes.
  case byteCount(Int)
  /// A point in time.
  case date(Instant)
  /// A period that includes both its start and its end.
  case period(Instant, Instant)
  /// A duration in whole seconds.
  case seconds(Int64)
  /// A Boolean value, true or false.
  case flag(Bool)
  /// Raw bytes, such as a hash or a serial number.
  case bytes([UInt8])
  /// A minimum: at least this value.
  indirect case atLeast(Detail)
  /// A maximum: at most this value.
  indirect case atMost(Detail)
  /// Any one of these terms.
  case anyOf([String])

  /// The value as text for display.
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

  /// The duration in days, hours, minutes and seconds, without units that are zero.
  private static func duration(_ seconds: Int64) -> String {
    let parts = [
      (seconds / 86_400, "day"), (seconds / 3600 % 24, "hour"), (seconds / 60 % 60, "minute"), (seconds % 60, "second"),
    ].filter { $0.0 != 0 }.map { $0.0 == 1 ? "1 \($0.1)" : "\($0.0) \($0.1)s" }
    guard let last = parts.last else { return "0 seconds" }
    return parts.count == 1 ? last : parts.dropLast().joined(separator: ", ") + " and " + last
  }
}
