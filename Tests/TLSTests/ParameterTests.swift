import Cryptography
import Explanation
import Testing

@testable import TLS

@Suite("The parameters of TLS by name and number")
struct ParameterTests {
  @Test("the suites of TLS 1.3 are played, although the machines of TLS 1.2 do not support them")
  func played() {
    #expect(CipherSuite.implemented13.allSatisfy { $0.isPlayed && !$0.isImplemented })
    #expect(CipherSuite.implemented.allSatisfy { $0.isPlayed })
    // TLS_RSA_EXPORT_WITH_RC4_40_MD5 is known by name only.
    #expect(!CipherSuite(rawValue: 0x0003).isPlayed)
  }

  @Test("only the names of versions that scenarios use are read as versions")
  func versions() {
    for version in ProtocolVersion.known { #expect(ProtocolVersion(version.description) == version) }
    #expect(ProtocolVersion("TLSv1.2") == .tls12)
    #expect(ProtocolVersion("TLS 1.2") == nil && ProtocolVersion("tlsv1.2") == nil && ProtocolVersion("") == nil)
    #expect(ProtocolVersion.known == ProtocolVersion.known.sorted())
    #expect(ProtocolVersion(rawValue: 0x0305).description == "0x0305")
  }

  @Test("every suite is found by its name and its number, once each")
  func suites() {
    #expect(Set(CipherSuite.registry.map(\.suite)).count == CipherSuite.registry.count)
    #expect(Set(CipherSuite.registry.map(\.name)).count == CipherSuite.registry.count)
    for row in CipherSuite.registry { #expect(CipherSuite(name: row.name)?.registration == row) }
    #expect(CipherSuite(rawValue: 0x1305).name == "0x1305")
    #expect(CipherSuite(name: "TLS_RSA_WITH_NOTHING") == nil)
  }

  @Test("a GREASE value is named so in every registry, and similar values are not")
  func grease() {
    #expect(CipherSuite(rawValue: 0x3a3a).name == "GREASE (0x3a3a)")
    #expect(NamedGroup(rawValue: 0xfafa).description == "GREASE (0xfafa)")
    #expect(ProtocolVersion(rawValue: 0x0a0a).description == "GREASE (0x0a0a)")
    #expect(ExtensionType(rawValue: 0x8a8a).description == "GREASE (0x8a8a)")
    for almost: UInt16 in [0x3a4a, 0x3b3b, 0x0a0b, 0xaaab] {
      #expect(CipherSuite(rawValue: almost).name.hasPrefix("0x"), "\(almost)")
    }
    let drawn = (0..<64).map { Grease(RandomStreams(seed: .number($0), party: "client")) }
    for grease in drawn {
      let values = [grease.cipherSuite, grease.group, grease.version] + grease.extensions
      #expect(values.allSatisfy(\.isGrease) && grease.extensions[0] != grease.extensions[1])
    }
    #expect(Set(drawn.map(\.cipherSuite)).count > 8)
  }

  @Test("the registered names agree with the properties of the suites")
  func rows() {
    for row in CipherSuite.registry where row.keyExchange != .signalling && row.keyExchange != .null {
      #expect(row.name.contains(row.cipher.rawValue), "\(row.name)")
      #expect((row.prf == .sha384) == row.name.hasSuffix("SHA384"), "\(row.name)")
      let isAEAD = row.name.contains("GCM") || row.name.contains("POLY1305")
      #expect((row.mac == .aead) == isAEAD, "\(row.name)")
      if row.keyExchange != .tls13 {
        #expect(row.name.hasPrefix("TLS_\(row.keyExchange.rawValue)_WITH_"), "\(row.name)")
      }
    }
  }

  @Test(
    "suites with ephemeral Diffie-Hellman and those of TLS 1.3 have forward secrecy",
    arguments: [
      ("TLS_RSA_WITH_AES_128_GCM_SHA256", false), ("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", true),
      ("TLS_DHE_RSA_WITH_AES_128_CBC_SHA", true), ("TLS_AES_128_GCM_SHA256", true), ("TLS_RSA_WITH_RC4_128_MD5", false),
    ])
  func forwardSecrecy(_ name: String, _ expected: Bool) {
    #expect(CipherSuite(name: name)?.hasForwardSecrecy == expected)
  }

  @Test("alerts and groups have the RFC's names")
  func names() {
    #expect(AlertDescription.handshakeFailure.description == "handshake_failure")
    #expect(AlertDescription.badRecordMAC.rawValue == 20)
    #expect(AlertDescription(name: "no_application_protocol")?.rawValue == 120)
    #expect(Set(AlertDescription.registry.map(\.description)).count == AlertDescription.registry.count)
    #expect(NamedGroup(name: "secp256r1") == .secp256r1 && NamedGroup.x25519.description == "x25519")
    for group in NamedGroup.implemented { #expect(group.curve != nil) }
  }

  @Test("every rule has an id of its own layer, a statement and a clause")
  func rules() {
    #expect(Set(Rule.tls.map(\.id)).count == Rule.tls.count)
    for rule in Rule.tls {
      #expect(rule.layer == .handshake || rule.layer == .record || rule.layer == .clientAuth)
      #expect(rule.statement.hasSuffix(".") && !rule.fix.isEmpty && !rule.clause.section.isEmpty)
    }
  }
}
