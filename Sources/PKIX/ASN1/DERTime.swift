import Explanation

/// The formats of times in certificates (RFC 5280 section 4.1.2.5).
enum DERTime {
  /// Reads a time of `digits` digits and a Z. The year has two digits if `digits` is 12, and four if it is 14.
  static func instant(_ text: ArraySlice<UInt8>, digits: Int) -> Instant? {
    guard text.count == digits + 1, text.last == UInt8(ascii: "Z") else { return nil }
    var pairs: [Int] = []
    pairs.reserveCapacity(7)
    var tens: Int?
    for character in text.dropLast() {
      guard (48...57).contains(character) else { return nil }
      let digit = Int(character) - 48
      if let high = tens {
        pairs.append(high * 10 + digit)
        tens = nil
      } else {
        tens = digit
      }
    }
    let year: Int
    if digits == 12 {
      year = pairs[0] >= 50 ? 1900 + pairs[0] : 2000 + pairs[0]
    } else {
      year = pairs.removeFirst() * 100 + pairs[0]
    }
    return Instant(year: year, month: pairs[1], day: pairs[2], hour: pairs[3], minute: pairs[4], second: pairs[5])
  }

  /// Returns whether the text consists of `digits` digits and a Z. The values of the digits are not checked.
  static func hasForm(_ text: ArraySlice<UInt8>, digits: Int) -> Bool {
    text.count == digits + 1 && text.last == UInt8(ascii: "Z") && text.dropLast().allSatisfy { (48...57).contains($0) }
  }

  /// Returns whether a time has the type that RFC 5280 section 4.1.2.5 requires: UTCTime for the years 1950 to 2049.
  static func isUsual(_ tag: UInt8?, _ instant: Instant) -> Bool {
    tag == DERTag.utcTime || !(1950...2049).contains(instant.calendar.year)
  }

  /// Encodes `instant` as a UTCTime from 1950 to 2049, and otherwise as a GeneralizedTime.
  static func encoded(_ instant: Instant) -> [UInt8] {
    let fields = min(max(instant, earliest), latest).calendar
    let year = fields.year
    let short = (1950...2049).contains(year)
    return encoded(fields, isShort: short)
  }

  /// Encodes `instant` as a GeneralizedTime in any year (RFC 6960 section 4.2.2.1).
  static func generalized(_ instant: Instant) -> [UInt8] {
    encoded(min(max(instant, earliest), latest).calendar, isShort: false)
  }

  private static func encoded(
    _ fields: (year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int), isShort short: Bool
  ) -> [UInt8] {
    let century = short ? [] : [fields.year / 100]
    let pairs = century + [fields.year % 100, fields.month, fields.day, fields.hour, fields.minute, fields.second]
    let text = pairs.flatMap { pair -> [UInt8] in [UInt8(48 + pair / 10 % 10), UInt8(48 + pair % 10)] }
    return DER.element(short ? DERTag.utcTime : DERTag.generalizedTime, text + [UInt8(ascii: "Z")])
  }

  /// The limits of GeneralizedTime, whose years have four digits. The last second means that a certificate never
  /// expires (RFC 5280 section 4.1.2.5).
  private static let earliest = Instant(secondsSince1970: -62_167_219_200)
  private static let latest = Instant(secondsSince1970: 253_402_300_799)
}
