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
    Remedy(
      .badSignature, .finishedMismatch, .downgrade, says: "Find and remove the device or the attacker",
      by: withoutAttack),
  ]

  static let records: [Remedy] = [
    Remedy(.badMAC, .truncatedConnection, says: "Find and remove the device or the attacker", by: withoutAttack),
    Remedy(.incompleteMessage, says: "Check for a device that cuts the connection", by: withoutAttack),
    Remedy(.redirectLoop, says: "Make the server respond with content at one of the URLs") { c throws(NotPlayable) in
      guard case .url(let url) = c.finding.subject, let path = url.firstMatch(of: /:\/\/[^\/]+(\/.*)/)?.1 else {
        return []
      }
      return ["\(c.serverPath("content")).\("GET \(path)".inQuotes) = here"]
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
