import Testing

@testable import Trust

@Suite struct OSVersionTests {
  @Test(
    "a release is read and written as scenarios write it",
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
    "what is no release is none",
    arguments: [
      "", "iOS", "iOS ", "iOS 0", "iOS x", "iOS 9.", "iOS .9", "iOS 9.1.2.3", "iOS -9", "iOS 99999999999999999999",
      "ios 9", "Android 9", "doc 1", "iOS ٩", "iOS  9",
      "iOS 1", "iOS 19", "iOS 25", "iOS 27", "iOS 99", "macOS 3", "macOS 9", "macOS 10.16", "macOS 16", "macOS 27",
    ])
  func noRelease(text: String) {
    #expect(OSVersion(text) == nil)
  }

  @Test(
    "the hint for what is no release names the nearest one",
    arguments: [
      ("iOS 99", "iOS 26"), ("iOS 19", "iOS 18"), ("iOS 1", "iOS 2"), ("macOS 3", "macOS 10"), ("macOS 16", "macOS 15"),
      ("macOS 10.20", "macOS 10.15"), ("ios 9", "iOS 9"),
    ])
  func hint(text: String, nearest: String) {
    #expect(OSVersion.hint(for: text).hasPrefix("did you mean '\(nearest)'? There are "))
  }

  @Test("a platform that is not modelled is said to be so", arguments: ["tvOS 17", "watchOS 10", "visionOS 1"])
  func otherPlatform(text: String) {
    #expect(OSVersion(text) == nil)
    #expect(OSVersion.hint(for: text).contains("is not modelled"))
  }

  @Test("the regular expression of a schema describes exactly what is read")
  func pattern() throws {
    let expression = try Regex(OSVersion.pattern)
    for family in ["iOS", "macOS", "OS X"] {
      for number in (0...30).map(String.init) + (0...17).map({ "10.\($0)" }) + ["18.4", "10.15.7", "26.4", "9.3.5"] {
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
