import Explanation
import TLS
import Testing
import Trust

@testable import URLLoading

/// The data of a decision besides its verdict.
@Suite struct DecisionDataTests {
  @Test("a delegate may loosen trust only if an exception allows plain HTTP")
  func loosening() throws {
    let excepted = try decide("https://api.example/", "iOS 18.4", entry("api.example", open)).loosening
    #expect(excepted.mayLoosenTrust && excepted.reason == .excepted)
    #expect(
      excepted.rulesThatStay == [.atsTLSVersion, .atsNoForwardSecrecy, .atsCipherSuite, .atsKeySize, .atsLeafHash])
    let full = try decide("https://api.example/", "iOS 18.4").loosening
    #expect(!full.mayLoosenTrust && full.reason == .inForce && full.rulesThatStay.last == .atsTrustLoosening)
    let lifted = try decide("https://api.example/", "iOS 18.4", ["NSAllowsArbitraryLoads": true]).loosening
    #expect(lifted.mayLoosenTrust && lifted.reason == .leftAlone && lifted.rulesThatStay.isEmpty)
    #expect(try decide("http://api.example/", "iOS 18.4").loosening.reason == .insecure)
  }

  @Test("since 26.4 a NIAP level narrows the suites, and a domain can opt out")
  func niap() throws {
    let all: PropertyList = ["NSRequiresNIAPTLSPackageVersion": "FCP_v2.1"]
    let decision = try decide("https://api.example/", "iOS 26.4", all)
    let requirements = try #require(decision.requirements)
    #expect(decision.niapDemand?.package == .functionalPackage21)
    #expect(decision.niapDemand?.keyPath == "NSRequiresNIAPTLSPackageVersion")
    #expect(
      requirements.cipherSuites?.map(\.name) == [
        "TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256",
        "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
        "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
      ])
    #expect(requirements.requiresExtendedMasterSecret && !requirements.offersSHA1Signatures)
    #expect(requirements.requiresOfferedCertificateSignatures)
    #expect(decision.notes.contains { $0.note?.contains("NIAP") == true })
    let cbc = try #require(CipherSuite(name: "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA"))
    let negotiated = ATS.Negotiated(version: .tls12, cipherSuite: cbc)
    #expect(decision.findings(on: negotiated).deciding == [.atsCipherSuite])
    #expect(try decide("https://api.example/", "iOS 26.4").findings(on: negotiated).deciding == [])
    for os in ["iOS 26.3", "iOS 18.4", "macOS 15.4"] {
      #expect(try decide("https://api.example/", os, all).niapDemand == nil)
    }
    let optedOut: PropertyList = [
      "NSRequiresNIAPTLSPackageVersion": "FCP_v2.1",
      "NSExceptionDomains": ["api.example": ["NSExceptionRequiresNIAPTLSPackageVersion": "none"]],
    ]
    #expect(try decide("https://api.example/", "iOS 26.4", optedOut).niapDemand == nil)
    #expect(try decide("https://other.example/", "iOS 26.4", optedOut).niapDemand != nil)
    let own = entry("api.example", ["NSExceptionRequiresNIAPTLSPackageVersion": "recommended"])
    #expect(
      try decide("https://api.example/", "macOS 26.4", own).niapDemand?.confidence.note?.hasPrefix("unknown") == true)
    let wrong = entry("api.example", ["NSExceptionRequiresNIAPTLSPackageVersion": "2"])
    #expect(try decide("https://api.example/", "iOS 26.4", wrong).niapDemand == nil)
  }

  @Test("a NIAP level excludes earlier versions and RSA key exchange, whatever the entry's values")
  func niapAndExceptions() throws {
    let ats = entry(
      "api.example",
      [
        "NSExceptionRequiresNIAPTLSPackageVersion": "FCP_v2.1", "NSExceptionMinimumTLSVersion": "TLSv1.0",
        "NSExceptionRequiresForwardSecrecy": false,
      ])
    let narrow = try decide("https://api.example/", "iOS 26.4", ats)
    #expect(narrow.requirements?.minimumVersion == .tls12 && narrow.requirements?.requiresForwardSecrecy == true)
    let before = try decide("https://api.example/", "iOS 18.4", ats)
    #expect(before.requirements?.minimumVersion == .tls10 && before.requirements?.requiresForwardSecrecy == false)
  }

  @Test("pins are part of a decision about HTTPS, even without other requirements")
  func pins() throws {
    let ats: PropertyList = [
      "NSAllowsArbitraryLoads": true, "NSPinnedDomains": ["api.example": ["NSPinnedLeafIdentities": []]],
    ]
    #expect(try decide("https://api.example/", "iOS 18.4", ats).pinnedIdentities?.leaf == [])
    #expect(try decide("https://api.example/", "iOS 13", ats).pinnedIdentities == nil)
    #expect(try decide("http://api.example/", "iOS 18.4", ats).pinnedIdentities == nil)
    #expect(try decide("https://api.example/", "iOS 18.4", ats, .networkFramework).pinnedIdentities == nil)
    #expect(try decide("https://api.example/", "iOS 18.4", ats, .wkWebView).notes.contains { $0 != .certain })
  }

  @Test(
    "an unknown release decides like the newest known one, and the decision says so",
    arguments: [
      ("iOS 99", "likely"), ("macOS 27", "likely"), ("iOS 20", "unknown"), ("macOS 16", "unknown"), ("iOS 26.4", nil),
      ("iOS 18.4", nil), ("macOS 15.4", nil), ("macOS 26", nil), ("iOS 9", nil), ("macOS 10.11", nil), ("doc", nil),
    ])
  func releases(os: String, confidence: String?) throws {
    let decision = try decide("https://api.example/", os)
    #expect(decision.confidence.note?.hasPrefix(confidence ?? "?") ?? (confidence == nil))
    #expect(decision.profile.name == (os == "doc" ? .documentation : decision.profile.name))
  }

  @Test("a question that no source settles is reported")
  func doubts() throws {
    func note(_ url: String, _ os: String, _ ats: PropertyList) throws -> String {
      try decide(url, os, ats).confidence.note ?? "certain"
    }
    let upper = entry("API.example", open)
    #expect(try note("http://API.example/", "iOS 18.4", upper).contains("lower case"))
    #expect(try note("http://api.example/", "iOS 18.4", upper) == "certain")
    #expect(try note("http://b\u{fc}cher.example/", "iOS 18.4", upper).contains("internationalised"))
    #expect(try note("http://[2001:DB8:0::1]/", "iOS 18.4", entry("2001:db8::1", open)).contains("spelling"))
    #expect(try note("http://[2001:db8::1]/", "iOS 18.4", entry("2001:db8::1", open)) == "certain")
    let old = entry("api.example", ["NSThirdPartyExceptionAllowsInsecureHTTPLoads": true])
    #expect(try note("http://api.example/", "iOS 18.4", old).contains("old spellings"))
    let twice: PropertyList = ["NSExceptionDomains": ["10.0.0.0/8": open, "10.1.0.0/8": [:]]]
    #expect(try note("http://10.2.0.1/", "iOS 18.4", twice).contains("two ranges"))
    #expect(try note("http://www.apple.com/", "iOS 17", [:]).contains("Apple's own"))
    #expect(try note("http://127.0.0.1/", "doc", [:]).contains("127.0.0.1"))
    #expect(try decide("http://127.0.0.1/", "doc").because == [.atsInsecureHTTP])
    let session = entry(
      "api.example", ["NSExceptionAllowsInsecureHTTPLoads": true, "NSExceptionRequiresForwardSecrecy": false])
    #expect(
      try decide("https://api.example/", "iOS 18.4", session).notes.contains { $0.note?.contains("a session") == true })
    let low = entry("api.example", ["NSExceptionMinimumTLSVersion": "TLSv1.0"])
    #expect(try decide("https://api.example/", "iOS 26", low).notes.contains { $0.note?.contains("TLS 1.0") == true })
  }

  @Test("Apple's own apps are allowed by default if nothing else decides")
  func applesOwn() throws {
    func decision(_ ats: PropertyList) throws -> ATS.Decision {
      let load = ATS.Load(try LoadURL("http://api.example/"), os: OSVersion(.iOS, 18, 4), isApplesOwn: true)
      return ATS.decide(load, by: ATS.Configuration(dictionary: try #require(ats.dictionary)))
    }
    #expect(try decision([:]).verdict == .allowed)
    #expect(try decision(["NSAllowsArbitraryLoads": false]).because == [.atsInsecureHTTP])
    #expect(try decision(["NSAllowsLocalNetworking": true]).decidedBy == "NSAllowsLocalNetworking")
  }
}
