import Foundation
import Oracles
import TLS
import Testing
import Trust

@testable import URLLoading

/// Property lists that analysers are known to misread, each with the key that decides and the reason.
@Suite struct PitfallTests {
  @Test("forward secrecy is off for <false/>, which is not a string")
  func forwardSecrecyOff() throws {
    let ats = entry("api.example", ["NSExceptionRequiresForwardSecrecy": false])
    for os in ["iOS 9", "iOS 13", "iOS 17", "iOS 18.4", "doc"] {
      let decision = try decide("https://api.example/", os, ats)
      #expect(decision.decidedBy == "NSExceptionDomains.api.example" && decision.isRequired)
      #expect(decision.requirements?.requiresForwardSecrecy == false)
      #expect(decision.requirements?.cipherSuites?.contains { $0.keyExchange == .rsa } == true)
      #expect(decision.notes.contains { $0.note?.contains("key size") == true })
      let on = try decide("https://api.example/", os, entry("api.example", ["NSExceptionRequiresForwardSecrecy": true]))
      #expect(on.requirements?.cipherSuites?.contains { $0.keyExchange == .rsa } == false)
    }
    let text = try decide(
      "https://api.example/", "iOS 18.4", entry("api.example", ["NSExceptionRequiresForwardSecrecy": "NO"]))
    #expect(text.requirements?.requiresForwardSecrecy == true)
  }

  @Test("NSRequiresCertificateTransparency = YES is obsolete and requires nothing today")
  func transparency() throws {
    let ats = entry("api.example", ["NSRequiresCertificateTransparency": true])
    let modern = try decide("https://api.example/", "iOS 18.4", ats)
    #expect(modern.decidedBy == "NSExceptionDomains.api.example" && !modern.requiresCertificateTransparency)
    #expect(modern.findings.last?.rule == .atsCertificateTransparency)
    #expect(modern.findings.last?.outcome == .notApplicable)
    #expect(try decide("https://api.example/", "iOS 10", ats).requiresCertificateTransparency)
    #expect(try !decide("https://api.example/", "iOS 9", ats).requiresCertificateTransparency)
  }

  @Test("NSAllowsLocalNetworking next to NSAllowsArbitraryLoads turns the latter off, since iOS 10")
  func arbitraryAndLocal() throws {
    let ats: PropertyList = ["NSAllowsArbitraryLoads": true, "NSAllowsLocalNetworking": true]
    for os in ["iOS 10", "iOS 17", "iOS 18.4", "doc"] {
      let decision = try decide("http://api.example/", os, ats)
      #expect(decision.because == [.atsInsecureHTTP] && decision.decidedBy == "NSAllowsLocalNetworking")
      #expect(decision.overridingKey == .allowsLocalNetworking)
      #expect(try decide("http://printer.local/", os, ats).verdict == .allowed)
    }
    let old = try decide("http://api.example/", "iOS 9", ats)
    #expect(old.verdict == .allowed && old.decidedBy == "NSAllowsArbitraryLoads" && old.overridingKey == nil)
  }

  @Test("NSAllowArbitraryLoads is not a key")
  func misspelt() throws {
    for os in ["iOS 9", "iOS 10", "iOS 18.4", "doc"] {
      let decision = try decide("http://api.example/", os, ["NSAllowArbitraryLoads": true])
      #expect(decision.because == [.atsInsecureHTTP] && decision.decidedBy == "default")
      #expect(decision.appReview.isEmpty)
      #expect(try decide("http://api.example/", os, ["NSAllowsArbitraryLoads": true]).verdict == .allowed)
    }
  }

  @Test("NSAllowsArbitraryLoadsInMedia allows no media through, and turns nothing off")
  func inMedia() throws {
    let ats: PropertyList = ["NSAllowsArbitraryLoadsInMedia": true]
    for os in ["iOS 9", "iOS 10", "iOS 17", "iOS 18.4", "doc"] {
      let decision = try decide("http://api.example/", os, ats, .avFoundation)
      #expect(decision.because == [.atsInsecureHTTP] && decision.decidedBy == "default")
      let both: PropertyList = ["NSAllowsArbitraryLoadsInMedia": true, "NSAllowsArbitraryLoads": true]
      #expect(try decide("http://api.example/", os, both).decidedBy == "NSAllowsArbitraryLoads")
    }
    let real = try decide("http://api.example/", "iOS 10", ["NSAllowsArbitraryLoadsForMedia": true], .avFoundation)
    #expect(real.verdict == .allowed && real.decidedBy == "NSAllowsArbitraryLoadsForMedia")
  }

  @Test("an exception for localhost:3000 matches nothing, and is not needed since iOS 10")
  func port() throws {
    let ats = entry("localhost:3000", open)
    let old = try decide("http://localhost:3000/", "iOS 9", ats)
    #expect(old.because == [.atsInsecureHTTP] && old.decidedBy == "default")
    #expect(try decide("http://localhost:3000/", "iOS 9", entry("localhost", open)).verdict == .allowed)
    let modern = try decide("http://localhost:3000/", "iOS 18.4", ats)
    #expect(modern.standing == .notApplicable(.localName) && modern.decidedBy == "default")
  }

  @Test(
    "every property list of a shipped app has a decision for all hosts and systems",
    .needsData("plists"), arguments: SharedData.plists)
  func shippedApps(name: String) throws {
    let configuration = try ATS.Configuration(readingInfoPlist: SharedData.bytes("plists/\(name)"))
    let hosts = ["api.example", "localhost", "10.0.0.1", "[::1]", "apple.com", "b\u{fc}cher.example"]
    for os in [
      "iOS 8", "iOS 9", "iOS 10", "iOS 14", "iOS 17", "iOS 18.4", "iOS 26.4", "macOS 10.11", "macOS 15", "doc",
    ] {
      for url in hosts.flatMap({ ["http://\($0)/", "https://\($0):8443/"] }) {
        let load = ATS.Load(try LoadURL(url), os: try #require(OSVersion(os)))
        let decision = ATS.decide(load, by: configuration)
        #expect(decision.verdict != .unknown && !decision.decidedBy.isEmpty && !decision.findings.isEmpty)
        #expect((decision.verdict == .blocked) == (decision.isRequired && !load.url.isSecure))
        #expect((decision.errors.isEmpty) == (decision.verdict == .allowed))
      }
    }
  }
}
