import Explanation
import TLS

extension ValueEntry {
  /// The values that only a connection of TLS 1.3 has, in the order of its key schedule.
  static let tls13 = [
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
    ValueEntry(.externalPSK, "the key that both sides have agreed on outside TLS (RFC 8446 section 2.2)"),
    ValueEntry(.psk, "the pre-shared key that the handshake uses (RFC 8446 section 4.2.11)"),
    ValueEntry(.earlySecret, "the first secret of the key schedule, from the pre-shared key (RFC 8446 section 7.1)"),
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
  ]
}
