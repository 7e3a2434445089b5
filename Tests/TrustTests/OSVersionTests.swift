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
    ])
  func noRelease(text: String) {
    #expect(OSVersion(text) == nil)
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
