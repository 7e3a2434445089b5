import Explanation
import Testing

@Suite("Instants")
struct InstantTests {
  @Test(
    "an instant is written and read without loss",
    arguments: [
      "1970-01-01T00:00:00Z", "2016-11-01T00:00:00Z", "2000-02-29T23:59:59Z", "0000-01-01T00:00:00Z",
      "1899-12-31T12:34:56Z", "9999-12-31T23:59:59Z",
    ])
  func roundTrip(text: String) { #expect(Instant(text)?.description == text) }

  @Test("seconds are those of POSIX")
  func epoch() {
    #expect(Instant("1970-01-01")?.secondsSince1970 == 0)
    #expect(Instant("2016-11-01T00:00Z")?.secondsSince1970 == 1_477_958_400)
    #expect(Instant("1969-12-31T23:59:59Z")?.secondsSince1970 == -1)
  }

  @Test("every day of four centuries follows the one before")
  func calendar() throws {
    var day = try #require(Instant("1800-01-01"))
    for _ in 0..<146_097 {
      let fields = day.calendar
      try #require(Instant(year: fields.year, month: fields.month, day: fields.day) == day)
      day = day.adding(days: 1)
    }
    #expect(day == Instant("2200-01-01"))
  }

  @Test(
    "text that is not an RFC 3339 date is refused",
    arguments: [
      "", "2016", "2016-11", "2016-13-01", "2016-02-30", "2015-02-29", "1900-02-29", "2016-1-1", "16-11-01",
      "2016-11-01T24:00:00Z", "2016-11-01T00:00:60Z", "2016-11-01T00:00:00", "2016-11-01T00:00:00+01:00",
      "2016-11-01T00:00:00Z5", "2016-11-001", "02016-11-01", "2016-11-01T", "2016-11-01Z", "-2016-11-01", "tomorrow",
      "2016-11-01T00:00:00ZZ", "9223372036854775808-01-01", "２０１６-11-01",
    ])
  func malformed(text: String) { #expect(Instant(text) == nil) }

  @Test("arithmetic stops at the limits and never traps")
  func extremes() {
    let ends = [Instant(secondsSince1970: .min), Instant(secondsSince1970: .max), Instant(secondsSince1970: 0)]
    for end in ends {
      for seconds in [Int64.min, -1, 0, 1, .max] { _ = end.adding(seconds: seconds).description }
      for days in [Int.min, -1, 0, 1, .max] { _ = end.adding(days: days).calendar }
    }
    #expect(Instant(secondsSince1970: .max).adding(seconds: 1).secondsSince1970 == .max)
    #expect(Instant(secondsSince1970: .min).adding(days: .min).secondsSince1970 == .min)
    #expect(Instant(year: .max, month: 1, day: 1) == nil)
    #expect(Instant(year: 2016, month: .min, day: .max) == nil)
    #expect(Instant(year: 2016, month: 1, day: 1, hour: .max) == nil)
  }

  @Test("a year before the common era keeps its sign")
  func negativeYears() throws {
    #expect(try #require(Instant("0000-01-01")).adding(days: -1).description == "-0001-12-31T00:00:00Z")
  }
}
