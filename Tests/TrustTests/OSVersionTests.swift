import Oracles
import Testing

@testable import Trust

@Suite struct OSVersionTests {
  @Test(
    "a release is read and written in the form of scenarios",
    arguments: ["iOS 8", "iOS 9", "iOS 18.4", "macOS 10.11", "macOS 14", "macOS 15.4", "doc"])
  func roundTrip(text: String) {
    #expect(OSVersion(text)?.description == text)
  }

  @Test("a third number and the old name of macOS are read")
  func otherSpellings() {
    #expect(OSVersion("iOS 9.3.5") == OSVersion(.iOS, 9, 3))
    #expect(OSVersion("OS X 10.11") == OSVersion(.macOS, 10, 11))
  }

  @Test(
    "invalid releases are refused",
    arguments: [
      "", "iOS", "iOS ", "iOS 0", "iOS x", "iOS 9.", "iOS .9", "iOS 9.1.2.3", "iOS -9", "iOS 99999999999999999999",
      "ios 9", "Android 9", "doc 1", "iOS ٩", "iOS  9",
      "iOS 1", "iOS 19", "iOS 25", "iOS 27", "iOS 99", "macOS 3", "macOS 9", "macOS 10.16", "macOS 16", "macOS 27",
    ])
  func noRelease(text: String) {
    #expect(OSVersion(text) == nil)
  }

  @Test(
    "the hint for an invalid release names the nearest one",
    arguments: [
      ("iOS 99", "iOS 26"), ("iOS 19", "iOS 18"), ("iOS 1", "iOS 2"), ("macOS 3", "macOS 10"), ("macOS 16", "macOS 15"),
      ("ios 9", "iOS 9"), ("iOS 1.84", "iOS 18.4"), ("iOS 18.04", "iOS 18.4"),
    ])
  func hint(text: String, nearest: String) {
    #expect(OSVersion.hint(for: text).contains("'\(nearest)'"))
  }

  @Test(
    "a release in another form is recognized",
    arguments: [
      ("iOS10", "'iOS 10'"), ("iPadOS 17", "'iOS 17'"),
      ("osx10.13", "'macOS 10.13'"),
      ("iPadOS 9.4", "iOS 9 … 9.3 … 'iOS 9.3'"), ("Android 9", "iOS 10, iOS 18.4"),
      ("iOS", "iOS 10, iOS 18.4"),
    ])
  func otherwise(text: String, hint: String) {
    #expect(OSVersion(text) == nil && OSVersion.hint(for: text).shows(hint), "\(OSVersion.hint(for: text))")
  }

  @Test(
    "a release after the last of its line is refused, with a hint",
    arguments: [
      ("iOS 8.14", "iOS 8 … 8.4 … 'iOS 18.4'"),
      ("iOS 8.9", "iOS 8 … 8.4 … 'iOS 8.4'"),
      ("iOS 9.4", "iOS 9 … 9.3 … 'iOS 9.3'"),
      ("iOS 9.10", "iOS 9 … 9.3 … 'iOS 9.3'"),
      ("iOS 11.5", "iOS 11 … 11.4 … 'iOS 11.4'"),
      ("iOS 12.9", "iOS 12 … 12.5 … 'iOS 12.5'"),
      ("macOS 10.20", "macOS 10 … 10.15 … 'macOS 10.15'"),
      ("macOS 10.11.7", "macOS 10.11 … 10.11.6 … 'macOS 10.11'"),
      ("macOS 14.9", "macOS 14 … 14.8 … 'macOS 14.8'"),
      ("iOS 9.3.55", "19 … 'iOS 9.3'"),
      ("iOS 18.14", "iOS 18 … 18.9 … 'iOS 18'"),
    ])
  func ends(text: String, hint: String) {
    #expect(OSVersion(text) == nil)
    #expect(OSVersion.message(for: text).contains(text))
    #expect(OSVersion.hint(for: text).shows(hint))
  }

  @Test(
    "a line's last release is accepted, and so are future ones of open lines",
    arguments: [
      "iOS 2.2", "iOS 3.2", "iOS 8.4", "iOS 9.3", "iOS 10.3.4", "iOS 12.5.7", "iOS 15.8.5", "iOS 16.7.10",
      "iOS 16.7.12", "iOS 17.7", "iOS 18.9",
      "macOS 10.0.4", "macOS 10.4.11", "macOS 10.11.6", "macOS 10.15.7", "macOS 11.7.10", "macOS 14.8", "macOS 26.4",
    ])
  func lasts(text: String) {
    #expect(OSVersion(text) != nil)
  }

  @Test(
    "every other platform has its own last release",
    arguments: [
      ("watchOS 3.2", "watchOS 3.3"), ("watchOS 1", "watchOS 1.1"), ("tvOS 9.2", "tvOS 9.3"),
      ("visionOS 1.3", "visionOS 1.4"),
    ])
  func otherEnds(last: String, beyond: String) {
    #expect(OSVersion(ofAnyPlatform: last) != nil)
    #expect(OSVersion(ofAnyPlatform: beyond) == nil)
    #expect(OSVersion.end(of: beyond)?.isEmpty == false)
  }

  @Test("a platform that is not modelled is reported as such", arguments: ["tvOS 17", "watchOS 10", "visionOS 1"])
  func otherPlatform(text: String) {
    #expect(OSVersion(text) == nil)
    #expect(OSVersion.hint(for: text).contains(text.prefix { $0 != " " }))
  }

  @Test("the regular expression of the schema matches exactly the accepted releases")
  func pattern() throws {
    let expression = try Regex(OSVersion.pattern)
    for family in ["iOS", "macOS", "OS X"] {
      let minors = (0...30).flatMap { major in (0...17).map { "\(major).\($0)" } }
      let thirds = (0...15).flatMap { minor in (0...13).map { "10.\(minor).\($0)" } }
      let others = ["9.3.5", "9.3.10", "9.3.20", "11.7.10", "11.7.19", "11.7.20", "18.04", "9.1.2.3", "18.4.1"]
      for number in (0...30).map(String.init) + minors + thirds + others {
        let text = "\(family) \(number)"
        #expect((text.wholeMatch(of: expression) != nil) == (OSVersion(text) != nil), "\(text)")
      }
    }
  }

  @Test("releases compare by number, not by spelling")
  func order() {
    #expect(OSVersion(.iOS, 9) < OSVersion(.iOS, 10))
    #expect(OSVersion(.macOS, 10, 9) < OSVersion(.macOS, 10, 10))
    #expect(OSVersion(.macOS, 10, 15).isAtLeast(iOS: (13, 0), macOS: (10, 15)))
    #expect(!OSVersion(.macOS, 10, 14).isAtLeast(iOS: (13, 0), macOS: (10, 15)))
    #expect(OSVersion(.iOS, 13).isAtLeast(iOS: (13, 0), macOS: (10, 15)))
    #expect(!OSVersion(.iOS, 12, 4).isAtLeast(iOS: (13, 0), macOS: (10, 15)))
    #expect(OSVersion.documentation.isAtLeast(iOS: (99, 0), macOS: (99, 0)))
  }
}
