import Testing
import Trust

@testable import URLLoading

@Suite("SecTrustPinningRequired")
struct RequiredPinsTests {
  private func lacks(_ host: String, _ os: String = "iOS 17", demanded: Bool = true) throws -> Bool {
    let list: PropertyList = [
      "SecTrustPinningRequired": .boolean(demanded),
      "NSAppTransportSecurity": [
        "NSPinnedDomains": [
          "pinned.example": [
            "NSPinnedCAIdentities": [["SPKI-SHA256-BASE64": "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="]]
          ],
          "free.example": ["NSPinnedLeafIdentities": [], "NSPinnedCAIdentities": []],
        ]
      ],
    ]
    let system = try #require(OSVersion(os))
    return AppTransportSecurity.Configuration(infoPlist: list).lacksRequiredPins(for: host, os: system)
  }

  @Test("every host needs pins, but one whose entry has two empty lists, since iOS 14")
  func demanded() throws {
    #expect(try lacks("api.example") && lacks("API.example."))
    #expect(try !lacks("pinned.example") && !lacks("free.example"))
    #expect(try !lacks("api.example", demanded: false) && !lacks("api.example", "iOS 13"))
  }
}
