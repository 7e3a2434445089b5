import Explanation
import TLS

extension ValueEntry {
  /// The values that only a connection of TLS 1.3 has.
  static let tls13 = exchanged + scheduled + keys

  private static let exchanged = [
    ValueEntry(
      .ecdhPrivate, of: .client, number: 2,
      "the client's private key after a HelloRetryRequest (RFC 8446 section 4.1.4)"),
    ValueEntry(.ecdhPublic, of: .client, number: 2, "the client's public key after a HelloRetryRequest"),
    ValueEntry(.mlkemSeed, of: .client, "the seed of the client's ML-KEM key (FIPS 203 section 7.1)"),
    ValueEntry(.mlkemPublic, of: .client, "the client's ML-KEM key, to which the server encapsulates (FIPS 203)"),
    ValueEntry(.mlkemRandomness, of: .server, "the randomness of the server's encapsulation (FIPS 203 section 7.2)"),
    ValueEntry(.mlkemCiphertext, of: .server, "the ciphertext of the server's encapsulation (FIPS 203)"),
    ValueEntry(.mlkemSharedSecret, "the secret that ML-KEM encapsulates, a part of shared_secret (RFC 10024)"),
    ValueEntry(.ecdhSharedSecret, "the result of X25519, a part of shared_secret (RFC 10024)"),
    ValueEntry(.sharedSecret, "the result of (EC)DHE (RFC 8446 section 7.4)"),
  ]

  /// The values in the order of the key schedule.
  private static let scheduled = [
    ValueEntry(.externalPSK, "the key that both sides have agreed on outside TLS (RFC 8446 section 2.2)"),
    ValueEntry(.psk, "the pre-shared key that the handshake uses (RFC 8446 section 4.2.11)"),
    ValueEntry(.earlySecret, "the first secret of the key schedule, from the pre-shared key (RFC 8446 section 7.1)"),
    ValueEntry(
      .earlySecret, number: 2, "the first secret of a server that rejects the pre-shared key of early data, from zeros"),
    ValueEntry(
      .earlyTrafficSecret, of: .client, "the secret of the keys for early data (RFC 8446 section 7.1)"),
    ValueEntry(.earlyExporterSecret, "the secret of exported values before the handshake (RFC 8446 section 7.5)"),
    ValueEntry(.handshakeSecret, "the second secret of the key schedule, from shared_secret (RFC 8446 section 7.1)"),
    ValueEntry(
      .handshakeTrafficSecret, of: .client, "the secret of the client's keys in the handshake (RFC 8446 section 7.1)"),
    ValueEntry(
      .handshakeTrafficSecret, of: .server, "the secret of the server's keys in the handshake (RFC 8446 section 7.1)"),
    ValueEntry(
      .applicationTrafficSecret(0), of: .client,
      "the secret of the client's first keys for application data (RFC 8446 section 7.1)"),
    ValueEntry(
      .applicationTrafficSecret(0), of: .server,
      "the secret of the server's first keys for application data (RFC 8446 section 7.1)"),
    ValueEntry(
      .applicationTrafficSecret(1), of: .client,
      "the client's traffic secret after its KeyUpdate (RFC 8446 section 7.2)"),
    ValueEntry(
      .applicationTrafficSecret(1), of: .server,
      "the server's traffic secret after its KeyUpdate (RFC 8446 section 7.2)"),
    ValueEntry(.exporterSecret, "the secret of exported values (RFC 8446 section 7.5)"),
    ValueEntry(.resumptionSecret, "the secret of the tickets' keys (RFC 8446 section 7.1)"),
    ValueEntry(.ticketNonce, number: 1, "the nonce of the first ticket (RFC 8446 section 4.6.1)"),
    ValueEntry(.psk, number: 1, "the pre-shared key of the first ticket (RFC 8446 section 4.6.1)"),
    ValueEntry(.sessionTicket, number: 1, "the first ticket (RFC 8446 section 4.6.1)"),
    ValueEntry(.derived(.early), "the salt of handshake_secret (RFC 8446 section 7.1)"),
    ValueEntry(.derived(.handshake), "the salt of master_secret (RFC 8446 section 7.1)"),
    ValueEntry(
      .transcriptHash(.clientHello), "the hash of ClientHello, for the secrets of early data (RFC 8446 section 4.4.1)"),
    ValueEntry(
      .transcriptHash(.serverHello), "the hash of the messages up to ServerHello (RFC 8446 section 4.4.1)"),
    ValueEntry(
      .transcriptHash(.serverFinished),
      "the hash of the messages up to the server's Finished (RFC 8446 section 4.4.1)"),
    ValueEntry(
      .transcriptHash(.clientFinished),
      "the hash of the messages up to the client's Finished (RFC 8446 section 4.4.1)"),
  ]

  private static let keys =
    keys(of: .client, .early, "early data")
    + keys(of: .client, .handshake, "messages in the handshake")
    + keys(of: .server, .handshake, "messages in the handshake")
    + keys(of: .client, .first, "application data") + keys(of: .server, .first, "application data")
    + keys(of: .client, .second, "data after its KeyUpdate") + keys(of: .server, .second, "data after its KeyUpdate")

  /// The keys that follow from one traffic secret.
  private static func keys(of side: Side, _ phase: TrafficEpoch.Phase, _ data: String) -> [ValueEntry] {
    let epoch = TrafficEpoch(side, phase)
    let keys = [
      ValueEntry(epoch.keyKind, of: side, "the key that encrypts the \(side)'s \(data) (RFC 8446 section 7.3)"),
      ValueEntry(
        epoch.ivKind, of: side, "the fixed part of the nonces for the \(side)'s \(data) (RFC 8446 section 5.3)"),
    ]
    guard phase == .handshake || phase == .first && side == .client else { return keys }
    let place = phase == .handshake ? "" : " after the handshake"
    return keys + [
      ValueEntry(
        epoch.finishedKeyKind, of: side,
        "the key of the MAC in the \(side)'s Finished\(place) (RFC 8446 section 4.4.4)")
    ]
  }
}

extension TrafficEpoch.Phase {
  /// The phase of application data before any KeyUpdate.
  fileprivate static let first = Self.application(generation: 0)
  /// The phase of application data after one KeyUpdate.
  fileprivate static let second = Self.application(generation: 1)
}
