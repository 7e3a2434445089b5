import Explanation
import TLS
import Testing
import Trust

@testable import URLLoading

@Suite struct RequirementTests {
  private func offer(_ os: String, _ ats: PropertyList = [:]) throws -> ClientOffer {
    ClientOffer(for: try decide("https://api.example/", os, ats))
  }

  private func suite(_ name: String) throws -> CipherSuite { try #require(CipherSuite(name: name)) }

  @Test(
    "each era offers its own suites, which are all registered",
    arguments: [
      ("doc", 11, 17), ("iOS 9", 12, 18), ("iOS 12", 12, 18), ("macOS 10.11", 12, 18), ("iOS 12.2", 15, 21),
      ("iOS 13", 17, 23), ("iOS 15.3", 17, 23), ("macOS 12.2", 17, 23), ("iOS 15.4", 13, 17), ("macOS 12.3", 13, 17),
      ("iOS 17", 13, 17), ("iOS 18.4", 13, 17),
    ])
  func counts(os: String, forwardSecret: Int, with rsa: Int) throws {
    let full = try decide("https://api.example/", os).requirements?.cipherSuites ?? []
    #expect(full.count == forwardSecret && Set(full).count == full.count)
    #expect(full.allSatisfy { $0.hasForwardSecrecy })
    let without = entry("api.example", ["NSExceptionRequiresForwardSecrecy": false])
    #expect(try decide("https://api.example/", os, without).requirements?.cipherSuites?.count == rsa)
  }

  @Test("only documentation offers CBC with SHA-2 after iOS 15.4; ChaCha20 exists since iOS 13")
  func eras() throws {
    let cbc = try suite("TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256")
    let chacha = try suite("TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256")
    #expect(try offer("doc").cipherSuites.contains(cbc) && offer("iOS 15").cipherSuites.contains(cbc))
    #expect(try !offer("iOS 15.4").cipherSuites.contains(cbc))
    #expect(try !offer("iOS 12").cipherSuites.contains(chacha) && offer("iOS 13").cipherSuites.contains(chacha))
    let missing = try suite("TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA")
    #expect(try !offer("doc").cipherSuites.contains(missing) && offer("iOS 10").cipherSuites.contains(missing))
    // The recording of an iOS 9 app has the documentation's list, which is one suite shorter than the library's.
    let recorded = try offer("iOS 9").cipherSuites.filter { !$0.isSignalling }
    #expect(Set(recorded) == Set(try offer("doc").cipherSuites) && recorded.count == 11)
    #expect(
      try offer("iOS 18.4").cipherSuites.prefix(5).map(\.name) == [
        "TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256",
        "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
      ])
  }

  @Test("the system decides the offered versions, and the entry the lowest one")
  func versions() throws {
    #expect(try offer("iOS 9").minimumVersion == .tls12 && offer("iOS 9").maximumVersion == .tls12)
    #expect(try offer("iOS 13").maximumVersion == .tls13 && offer("doc").maximumVersion == .tls12)
    let low = entry("api.example", ["NSExceptionMinimumTLSVersion": "TLSv1.0"])
    #expect(try offer("iOS 9", low).minimumVersion == .tls10)
    // OWASP MASTG-BEST-0042: since iOS 26, no exception allows less than TLS 1.2.
    for os in ["iOS 18.4", "iOS 26", "iOS 26.4", "macOS 26"] {
      #expect(try offer(os, low).minimumVersion == (os == "iOS 18.4" ? .tls10 : .tls12), "\(os)")
      let system = try #require(OSVersion(os))
      #expect(system.confidence(in: .tls11).isLikely("MASTG") == (os != "iOS 18.4"))
    }
    #expect(try decide("https://api.example/", "iOS 9", low).appReview == ["NSExceptionMinimumTLSVersion"])
    let high = entry("api.example", ["NSExceptionMinimumTLSVersion": "TLSv1.3"])
    #expect(try offer("iOS 13", high).minimumVersion == .tls13)
    #expect(try decide("https://api.example/", "iOS 13", high).appReview.isEmpty)
    #expect(try offer("iOS 9", high).minimumVersion == .tls12)
    #expect(try offer("iOS 8").minimumVersion == .sslv3 && offer("iOS 8").maximumVersion == .tls12)
    let lifted: PropertyList = ["NSAllowsArbitraryLoads": true]
    #expect(try offer("iOS 9", lifted).minimumVersion == .tls10 && offer("iOS 26.4", lifted).minimumVersion == .tls12)
  }

  @Test("only the open engine keeps all suites without forward secrecy and with plain HTTP")
  func suitesLeftAlone() throws {
    let ats = entry(
      "api.example", ["NSExceptionRequiresForwardSecrecy": false, "NSExceptionAllowsInsecureHTTPLoads": true])
    let modern = try decide("https://api.example/", "iOS 18.4", ats)
    #expect(modern.requirements != nil && modern.requirements?.cipherSuites == nil)
    #expect(modern.requirements?.minimumVersion == .tls12)
    #expect(ClientOffer(for: modern).cipherSuites == ClientOffer.systemDefault(os: OSVersion(.iOS, 18, 4)).cipherSuites)
    #expect(try decide("https://api.example/", "iOS 12", ats).requirements?.cipherSuites?.count == 18)
  }

  @Test(
    "without App Transport Security a release sends its recorded offer",
    arguments: [
      // AES-GCM came with iOS 9; RC4 was removed with iOS 10, DHE with iOS 9; 3DES stayed, except on macOS 10.13.
      ("iOS 5.1", "TLS_RSA_WITH_AES_128_CBC_SHA256", true), ("iOS 5.1", "TLS_RSA_WITH_AES_128_GCM_SHA256", false),
      ("iOS 8", "TLS_RSA_WITH_AES_128_CBC_SHA256", true), ("iOS 8", "TLS_RSA_WITH_AES_128_GCM_SHA256", false),
      ("iOS 8", "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", false), ("iOS 8", "TLS_DHE_RSA_WITH_AES_128_CBC_SHA", true),
      ("iOS 8", "TLS_RSA_WITH_RC4_128_SHA", true), ("iOS 9", "TLS_RSA_WITH_AES_128_GCM_SHA256", true),
      ("iOS 9", "TLS_RSA_WITH_RC4_128_SHA", true), ("iOS 9", "TLS_DHE_RSA_WITH_AES_128_CBC_SHA", false),
      ("iOS 10", "TLS_RSA_WITH_RC4_128_SHA", false), ("iOS 10", "TLS_RSA_WITH_3DES_EDE_CBC_SHA", true),
      ("macOS 10.10", "TLS_RSA_WITH_3DES_EDE_CBC_SHA", true), ("macOS 10.13", "TLS_RSA_WITH_3DES_EDE_CBC_SHA", false),
      ("iOS 18.4", "TLS_RSA_WITH_AES_128_GCM_SHA256", true), ("iOS 18.4", "TLS_RSA_WITH_3DES_EDE_CBC_SHA", true),
      ("iOS 18.4", "TLS_RSA_WITH_AES_128_CBC_SHA256", false),
    ])
  func systemDefault(os: String, suite name: String, isOffered: Bool) throws {
    let offer = ClientOffer.systemDefault(os: try #require(OSVersion(os)))
    #expect(offer.cipherSuites.contains(try suite(name)) == isOffered)
    #expect((offer.confidence == .certain) == (os != "iOS 18.4"))
    let arbitrary: PropertyList = ["NSAllowsArbitraryLoads": true]
    #expect(try self.offer(os, arbitrary) == offer)
  }

  @Test("x25519 came with iOS 11 and its contemporaries")
  func groups() throws {
    for os in ["iOS 5.1", "iOS 8", "iOS 9", "iOS 10.3"] {
      #expect(try offer(os).groups == [.secp256r1, .secp384r1, .secp521r1])
    }
    for os in ["iOS 11", "iOS 12.2", "iOS 18.4"] {
      #expect(try offer(os).groups == [.x25519, .secp256r1, .secp384r1, .secp521r1])
    }
  }

  @Test("a rule that a mutant skips does not narrow the offer")
  func mutants() throws {
    let decision = try decide("https://api.example/", "iOS 12")
    let rsa = try suite("TLS_RSA_WITH_AES_128_GCM_SHA256")
    let forgetful = Enforcement.standard.overriding("ats.no-forward-secrecy", by: .mutant)
    #expect(ClientOffer(for: decision, enforcement: forgetful).cipherSuites.contains(rsa))
    #expect(!ClientOffer(for: decision).cipherSuites.contains(rsa))
    let old = Enforcement.standard.overriding("ats.tls-version", by: .mutant)
    #expect(ClientOffer(for: decision, enforcement: old).minimumVersion == .tls10)
  }

  @Test(
    "the agreement without App Transport Security names the violated rules",
    arguments: [
      ("iOS 10", "TLSv1.2", "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", []),
      ("iOS 10", "TLSv1.2", "TLS_RSA_WITH_AES_128_GCM_SHA256", ["ats.no-forward-secrecy"]),
      ("iOS 10", "TLSv1.2", "TLS_RSA_WITH_AES_128_CBC_SHA", ["ats.no-forward-secrecy"]),
      ("iOS 18.4", "TLSv1.2", "TLS_RSA_WITH_AES_128_GCM_SHA256", ["ats.no-forward-secrecy"]),
      ("doc", "TLSv1.2", "TLS_RSA_WITH_AES_128_GCM_SHA256", ["ats.no-forward-secrecy"]),
      ("iOS 10", "TLSv1.2", "TLS_DHE_RSA_WITH_AES_128_GCM_SHA256", ["ats.no-forward-secrecy"]),
      ("iOS 10", "TLSv1.1", "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA", ["ats.tls-version"]),
      ("iOS 10", "TLSv1.0", "TLS_RSA_WITH_AES_128_CBC_SHA", ["ats.tls-version", "ats.no-forward-secrecy"]),
      ("iOS 10", "TLSv1.2", "TLS_ECDHE_RSA_WITH_RC4_128_SHA", ["ats.cipher-suite"]),
      ("iOS 10", "TLSv1.2", "TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA", ["ats.cipher-suite"]),
      ("iOS 10", "TLSv1.2", "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256", []),
      ("iOS 15.4", "TLSv1.2", "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256", ["ats.cipher-suite"]),
      ("iOS 10", "TLSv1.2", "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256", ["ats.cipher-suite"]),
      (
        "iOS 9", "TLSv1.0", "TLS_RSA_WITH_RC4_128_SHA",
        ["ats.tls-version", "ats.no-forward-secrecy", "ats.cipher-suite"]
      ),
      ("iOS 13", "TLSv1.3", "TLS_AES_128_GCM_SHA256", []),
      ("iOS 8", "TLSv1.0", "TLS_RSA_WITH_RC4_128_SHA", []),
    ])
  func explanations(os: String, version: String, suite name: String, because: [String]) throws {
    let negotiated = ATS.Negotiated(
      version: try #require(ProtocolVersion(version)), cipherSuite: try suite(name))
    let findings = try decide("https://api.example/", os).findings(on: negotiated)
    #expect(findings.deciding.map(\.id) == because)
    #expect(findings.count == 3)
  }

  @Test("an exception overrides only the violation that it is for")
  func exceptions() throws {
    let weak = ATS.Negotiated(version: .tls10, cipherSuite: try suite("TLS_RSA_WITH_AES_128_CBC_SHA"))
    let version = entry("api.example", ["NSExceptionMinimumTLSVersion": "TLSv1.0"])
    let secrecy = entry("api.example", ["NSExceptionRequiresForwardSecrecy": false])
    func because(_ ats: PropertyList) throws -> [Rule] {
      try decide("https://api.example/", "iOS 12", ats).findings(on: weak).deciding
    }
    #expect(try because([:]) == [.atsTLSVersion, .atsNoForwardSecrecy])
    #expect(try because(version) == [.atsNoForwardSecrecy])
    #expect(try because(secrecy) == [.atsTLSVersion])
    #expect(try because(entry("api.example", open)) == [.atsTLSVersion, .atsNoForwardSecrecy])
    #expect(try because(["NSAllowsArbitraryLoads": true]) == [])
    let overridden = try decide("https://api.example/", "iOS 12", version).findings(on: weak)
    #expect(overridden.first?.outcome == .violated && overridden.first?.weight == .overridden(by: .exception))
    let dhe = ATS.Negotiated(version: .tls12, cipherSuite: try suite("TLS_DHE_RSA_WITH_AES_128_GCM_SHA256"))
    #expect(try decide("https://api.example/", "iOS 12", secrecy).findings(on: dhe).deciding == [.atsCipherSuite])
    let higher = entry("api.example", ["NSExceptionMinimumTLSVersion": "TLSv1.3"])
    let good = ATS.Negotiated(version: .tls12, cipherSuite: try suite("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"))
    #expect(try decide("https://api.example/", "iOS 13", higher).findings(on: good).deciding == [.atsTLSVersion])
    #expect(try decide("https://api.example/", "iOS 13").findings(on: good).deciding == [])
  }

  @Test("a narrowed offer has exactly the suites and versions that violate nothing")
  func offerAgreesWithRules() throws {
    let dictionaries: [PropertyList] = [
      [:], ["NSAllowsArbitraryLoads": true], entry("api.example", open),
      entry("api.example", ["NSExceptionRequiresForwardSecrecy": false]),
      entry("api.example", ["NSExceptionMinimumTLSVersion": "TLSv1.0"]),
    ]
    for os in ["iOS 8", "iOS 9", "iOS 12", "iOS 13", "iOS 15.4", "iOS 18.4"] {
      for ats in dictionaries {
        let decision = try decide("https://api.example/", os, ats)
        let offer = ClientOffer(for: decision)
        for suite in ClientOffer.systemDefault(os: decision.load.os).cipherSuites where !suite.isSignalling {
          // The hello recorded under App Transport Security lacks one suite of the library's list.
          if offer.hello == .ats9, suite.name == "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA" { continue }
          let negotiated = ATS.Negotiated(version: .tls12, cipherSuite: suite)
          let message = Comment(rawValue: "\(os) \(ats) \(suite)")
          #expect(decision.findings(on: negotiated).deciding.isEmpty == offer.cipherSuites.contains(suite), message)
        }
        for version in [ProtocolVersion.tls10, .tls11, .tls12] {
          let first = try #require(offer.cipherSuites.first { !$0.isSignalling })
          let negotiated = ATS.Negotiated(version: version, cipherSuite: first)
          #expect(decision.findings(on: negotiated).deciding.isEmpty == (version >= offer.minimumVersion))
        }
      }
    }
  }

  @Test("without a counterfactual the cause remains unknown")
  func noCounterfactual() throws {
    let findings = try decide("https://api.example/", "iOS 12").findingsWithoutCounterfactual()
    #expect(findings.map(\.outcome) == [.unknown, .unknown, .unknown] && findings.deciding.isEmpty)
  }

  @Test(
    "the server's certificate must have a long key and a signature with SHA-2",
    arguments: [
      (ATS.ServerCertificate.Key.rsa(bits: 2048), "SHA-256", 256, []),
      (.rsa(bits: 2047), "SHA-256", 256, ["ats.key-size"]),
      (.rsa(bits: 1024), "SHA-1", 160, ["ats.key-size", "ats.leaf-hash"]),
      (.ellipticCurve(bits: 256), "SHA-384", 384, []),
      (.ellipticCurve(bits: 224), "SHA-256", 256, ["ats.key-size"]),
      (.rsa(bits: 4096), "SHA-224", 224, ["ats.leaf-hash"]),
      (.rsa(bits: 4096), "MD5", 128, ["ats.leaf-hash"]),
      (.other("DSA"), "SHA-256", 256, ["ats.key-size"]),
    ])
  func certificates(key: ATS.ServerCertificate.Key, hash: String, bits: Int, because: [String]) throws {
    let leaf = ATS.ServerCertificate(name: "api", key: key, signatureHash: hash, signatureHashBits: bits)
    #expect(try decide("https://api.example/", "iOS 12").findings(on: leaf).deciding.map(\.id) == because)
    #expect(
      try decide("https://api.example/", "iOS 8").findings(on: leaf).map(\.outcome).allSatisfy { $0 == .notApplicable })
    let lifted = try decide("https://api.example/", "iOS 12", ["NSAllowsArbitraryLoads": true]).findings(on: leaf)
    #expect(lifted.deciding == [] && lifted.filter { $0.outcome == .violated }.count == because.count)
    let insecure = try decide("https://api.example/", "iOS 12", entry("api.example", open)).findings(on: leaf)
    #expect(insecure.deciding.map(\.id) == because)
  }

  @Test("by documentation only, disabling forward secrecy removes the check of the key")
  func keySizeException() throws {
    let leaf = ATS.ServerCertificate(
      name: "api", key: .rsa(bits: 1024), signatureHash: "SHA-256", signatureHashBits: 256)
    let ats = entry("api.example", ["NSExceptionRequiresForwardSecrecy": false])
    for (os, because) in [("iOS 12", []), ("doc", []), ("iOS 18.4", [Rule.atsKeySize])] {
      let findings = try decide("https://api.example/", os, ats).findings(on: leaf)
      #expect(findings.deciding == because && findings.first?.confidence != .certain)
    }
  }

  @Test("trust can be loosened only if the domain is excepted")
  func loosening() throws {
    func because(_ os: String, _ ats: PropertyList = [:]) throws -> [Rule] {
      [try decide("https://api.example/", os, ats).findingOnLooseningTrust()].deciding
    }
    #expect(try because("iOS 12") == [.atsTrustLoosening])
    #expect(
      try because("iOS 12", entry("api.example", ["NSExceptionRequiresForwardSecrecy": false])) == [.atsTrustLoosening])
    #expect(try because("iOS 12", entry("api.example", open)) == [])
    #expect(try because("iOS 12", ["NSAllowsArbitraryLoads": true]) == [])
    #expect(try because("iOS 8") == [])
  }
}
