import Endpoint
import Explanation
import TLS

// The remedies for the fixes of a handshake and of its records.
extension Remedy {
  static let handshake: [Remedy] = [
    Remedy(.noCommonSuite, says: "Enable a suite from the client's list on the server") { c in
      guard case .words(let offered) = c.finding.found else { return [] }
      let suite = offered.first { $0.hasPrefix("TLS_ECDHE_RSA_WITH_AES_128") }
      return suite.map { [c.serverList("cipherSuites", adding: $0)] } ?? []
    },
    Remedy(.suiteOfOtherVersion, repairs: "Enable TLS 1.2 on the server") { c in
      [c.serverList("versions", adding: "TLSv1.2", first: true)]
    },
    Remedy(.suiteOfOtherVersion, repairs: "enable an AES-CBC suite that uses SHA-1") { c in
      [c.serverList("cipherSuites", adding: "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA", first: true)]
    },
    Remedy(.keyPurpose, says: "Issue the certificate with digitalSignature") { c throws(NotPlayable) in
      try c.reissuing(try c.leaf(), "keyUsage", "[digitalSignature, keyEncipherment]")
    },
    Remedy(.noCommonVersion, says: "Enable a version on one side that the other side supports") { c in
      c.server("versions")?.words.contains("TLSv1.2") == true
        ? [] : [c.serverList("versions", adding: "TLSv1.2", first: true)]
    },
    Remedy(.noCommonVersion, says: "find out why its first attempt failed") { c throws(NotPlayable) in
      c.load.attempt > 0 ? try withoutAttack(c) : []
    },
    Remedy(.inappropriateFallback, says: "Find out why the client's first attempt failed", by: withoutAttack),
    Remedy(.noCommonSignatureScheme, says: "use a certificate for an RSA or P-256 key") { c throws(NotPlayable) in
      let leaf = try c.leaf()
      return ["\(try c.setting("key", of: leaf)) = rsa-2048"]
        + [c.serverList("cipherSuites", adding: "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256")]
    },
    Remedy(.noCommonSignatureScheme, says: "enable the current key's scheme on the client") { c in
      guard case .anyOf(let schemes) = c.finding.required, let first = schemes.first else { return [] }
      return ["\(c.clientPath("signatureAlgorithms")) = [\(first), rsa_pkcs1_sha256]"]
    },
    Remedy(.noCommonSignatureScheme, repairs: "sign with a scheme from the client's list") { c in
      let deviation = withoutDeviation(c)
      return deviation.isEmpty ? [] : deviation + ["\(c.serverPath("signatureAlgorithms")) = null"]
    },
    Remedy(.unrecognizedName, says: "Request a host that the server serves", by: askingForNamedHost),
    Remedy(.unrecognizedName, says: "give the server a certificate for the name") { c throws(NotPlayable) in
      let leaf = try c.leaf()
      let names = try c.entry(leaf).node["names"]
      return ["\(try c.setting("names", of: leaf)) = \(Node.flow(names, adding: c.host))"]
    },
    Remedy(.noApplicationProtocol, says: "Enable a protocol that the client offers") { c in
      [c.serverList("alpn", adding: "http/1.1")]
    },
    Remedy(.noCommonGroup, says: "Enable secp256r1 or x25519 on both sides") { c in
      [c.serverList("groups", adding: "secp256r1")]
    },
    Remedy(.noCommonGroup, repairs: "select a group from the client's list") { c in
      withoutDeviation(c) + [c.serverList("groups", adding: "secp256r1")]
    },
    Remedy(.shortDHGroup, says: "Use ECDHE") { c in
      [c.serverList("cipherSuites", adding: "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA", first: true)]
    },
    Remedy(.shortDHGroup, says: "a group of RFC 7919", by: namedGroup),
    Remedy(.badDHGroup, says: "Use a group of RFC 7919", by: namedGroup),
  ]

  @Sendable private static func namedGroup(_ c: FixContext) -> [String] { ["\(c.serverPath("dhGroup")) = ffdhe2048"] }
}

// The remedies for fixes that remove an attacker or repair an endpoint.
extension Remedy {
  static let attackers: [Remedy] = [
    Remedy(
      .badSignature, .finishedMismatch, .downgrade, .unexpectedMessage, .badMAC, .truncatedConnection,
      .malformedMessage, .incompleteMessage, says: "Find and remove the device or the attacker", by: withoutAttack),
    Remedy(
      .suiteNotOffered, .suiteOfOtherVersion, .illegalParameter, .badKeyShare, .decodeError, .recordOverflow,
      .unexpectedRecordType, .recordVersion, .stalling, .fatalAlert, .badCertificateVerify,
      says: "find and remove the device or the attacker", by: withoutAttack),
    Remedy(.unboundRenegotiation, says: "Find and remove the attacker", by: withoutAttack),
    Remedy(.malformedFrame, says: "Find and remove the proxy or the attacker", by: withoutAttack),
  ]

  static let repairs: [Remedy] = [
    Remedy(.illegalParameter, .badKeyShare, .emptyRecord, repairs: "Repair the peer"),
    Remedy(.unboundRenegotiation, repairs: "repair the peer"),
    Remedy(.suiteNotOffered, .suiteOfOtherVersion, .unsupportedExtension, repairs: "Repair the server"),
    Remedy(.badMAC, repairs: "repair the side that uses different keys"),
    Remedy(.badSignature, repairs: "configure the server to sign with the private key"),
    Remedy(.badCertificateVerify, repairs: "Configure the client to sign with its certificate's private key"),
    Remedy(.finishedMismatch, repairs: "repair the side that has a different secret") { c in
      guard let key = c.server("psk")?["key"]?.text, c.client("psk")?["key"]?.text != key else {
        return withoutDeviation(c)
      }
      return ["\(c.clientPath("psk")).key = \(key.inQuotes)"]
    },
  ]

  /// Removes the attackers that change or stop messages from the network.
  @Sendable private static func withoutAttack(_ c: FixContext) throws(NotPlayable) -> [String] {
    if c.at("calculation") != nil { throw NotPlayable("a calculation has no network") }
    if c.at("connections")?.items?.contains(where: { $0["replays"]?.text != nil }) == true {
      throw NotPlayable("an attacker replays a recording, and no client connects")
    }
    return try c.network { !["eavesdrop", "observe", "leak"].contains($0) }
  }
}

// The remedies for the fixes of an application's messages.
extension Remedy {
  static let application: [Remedy] = [
    Remedy(.redirectLoop, says: "Make the server respond with content at one of the URLs") { c in
      guard case .url(let url) = c.finding.subject else { return [] }
      return path(of: url).map { ["\(c.serverPath("content")).\("GET \($0)".inQuotes) = here"] } ?? []
    },
    Remedy(.webSocketNotOpened, says: "Respond to the opening handshake at this URL") { c in
      let request = path(of: c.load.url).map { "GET \($0)" } ?? ""
      let opening = ["\(c.serverPath("webSockets")) = true"]
      let redirect = "\(c.serverPath("content")).\(request.inQuotes)"
      return c.server("content")?[request] == nil ? opening : opening + ["\(redirect) = null"]
    },
  ]

  private static func path(of url: String) -> String? {
    url.firstMatch(of: /:\/\/[^\/]+(\/.*)/).map { String($0.1) }
  }
}
