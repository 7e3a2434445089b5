/// A point in time: whole seconds since 1970-01-01T00:00:00Z in the proleptic Gregorian calendar.
///
/// The model never reads a clock. Every instant comes from a scenario or a certificate.
public struct Instant: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// The number of seconds since 1970-01-01T00:00:00Z, without leap seconds.
  public let secondsSince1970: Int64

  /// Creates the instant that is `secondsSince1970` seconds after 1970-01-01T00:00:00Z.
  public init(secondsSince1970: Int64) { self.secondsSince1970 = secondsSince1970 }

  /// Creates an instant from calendar fields in UTC; nil if no such date exists in years 0 to 9999.
  public init?(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0) {
    guard (0...9999).contains(year), (1...12).contains(month), day >= 1,
      day <= Instant.daysInMonth(month, year: year),
      (0...23).contains(hour), (0...59).contains(minute), (0...59).contains(second)
    else { return nil }
    let days = Instant.daysSince1970(year: year, month: month, day: day)
    secondsSince1970 = Int64(days) * 86_400 + Int64(hour * 3600 + minute * 60 + second)
  }

  /// Parses an instant in the UTC form of RFC 3339 section 5.6: `2016-11-01T00:00:00Z`, `2016-11-01T00:00Z` or
  /// `2016-11-01`.
  public init?(_ text: String) {
    var digits: [Int] = []
    var separators = ""
    var run = ""
    for character in text.utf8 {
      if (48...57).contains(character) {
        run.append(Character(UnicodeScalar(character)))
      } else {
        guard run.utf8.count == (digits.isEmpty ? 4 : 2), let number = Int(run) else { return nil }
        digits.append(number)
        separators.append(Character(UnicodeScalar(character)))
        run = ""
      }
    }
    if run.utf8.count == 2, let number = Int(run) { digits.append(number) }
    let shapes = ["--": 3, "--T:Z": 5, "--T::Z": 6]
    guard shapes[separators] == digits.count, run.isEmpty == (digits.count > 3) else { return nil }
    let time = digits.dropFirst(3) + [0, 0, 0]
    self.init(
      year: digits[0], month: digits[1], day: digits[2], hour: time[time.startIndex], minute: time[time.startIndex + 1],
      second: digits.count > 5 ? digits[5] : 0)
  }

  /// Returns the instant that is `seconds` seconds later, clamped to the representable range.
  public func adding(seconds: Int64) -> Instant {
    let (sum, overflow) = secondsSince1970.addingReportingOverflow(seconds)
    return Instant(secondsSince1970: overflow ? (seconds < 0 ? .min : .max) : sum)
  }

  /// Returns the instant that is `days` days of 86 400 seconds later, clamped to the representable range.
  public func adding(days: Int) -> Instant {
    let (seconds, overflow) = Int64(days).multipliedReportingOverflow(by: 86_400)
    return adding(seconds: overflow ? (days < 0 ? .min : .max) : seconds)
  }

  /// Whether the left instant is earlier than the right one.
  public static func < (left: Instant, right: Instant) -> Bool { left.secondsSince1970 < right.secondsSince1970 }

  /// The year, month, day, hour, minute and second in UTC.
  public var calendar: (year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) {
    let (quotient, remainder) = secondsSince1970.quotientAndRemainder(dividingBy: 86_400)
    let days = Int(quotient) - (remainder < 0 ? 1 : 0)
    let rest = Int(remainder) + (remainder < 0 ? 86_400 : 0)
    let (year, month, day) = Instant.civil(days: days)
    return (year, month, day, rest / 3600, rest / 60 % 60, rest % 60)
  }

  /// The date without the time, such as `2016-11-01`.
  public var day: String { String(description.prefix { $0 != "T" }) }

  /// The instant in the UTC form of RFC 3339, such as `2016-11-01T00:00:00Z`.
  public var description: String {
    let fields = calendar
    func pad(_ number: Int, _ width: Int = 2) -> String {
      let digits = String(number.magnitude)
      return (number < 0 ? "-" : "") + String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
    return "\(pad(fields.year, 4))-\(pad(fields.month))-\(pad(fields.day))"
      + "T\(pad(fields.hour)):\(pad(fields.minute)):\(pad(fields.second))Z"
  }

  // Uses Howard Hinnant's civil calendar arithmetic: eras of 400 years that begin on 1 March.
  private static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  private static func civil(days: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthIndex = (5 * dayOfYear + 2) / 153
    let month = monthIndex < 10 ? monthIndex + 3 : monthIndex - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * monthIndex + 2) / 5 + 1)
  }

  private static func daysInMonth(_ month: Int, year: Int) -> Int {
    switch month {
    case 2: (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}
