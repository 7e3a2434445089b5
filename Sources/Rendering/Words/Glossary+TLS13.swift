// The terms of TLS 1.3.
extension Glossary {
  static let tls13Terms = [
    Term(
      name: "0-RTT",
      meaning: "Data that a client sends with its first message, protected with a key of an earlier connection. An "
        + "attacker can send it to the server again.",
      source: "RFC 8446 sections 2.3 and 8", others: ["early data", "early_data", "EndOfEarlyData"]),
    Term(
      name: "anti-replay",
      meaning: "The measures of a server against replayed early data: tickets that permit it once (single use), a "
        + "memory of hellos, and a limit on the age of tickets.",
      source: "RFC 8446 section 8", others: ["single-use"]),
    Term(
      name: "compatibility mode",
      meaning: "The form in which TLS 1.3 looks like a resumed handshake of TLS 1.2 to devices on the path: with a "
        + "legacy_session_id that the server repeats, and with ChangeCipherSpec.",
      source: "RFC 8446 appendix D.4",
      others: ["middlebox compatibility", "legacy_session_id", "legacy_session_id_echo"]),
    Term(
      name: "downgrade sentinel",
      meaning: "The last eight bytes of server_random if a server of TLS 1.3 selects an older version: DOWNGRD and 01 "
        + "or 00. A client that supports TLS 1.3 refuses them, because an attacker may have removed the newer version.",
      source: "RFC 8446 section 4.1.3", others: ["DOWNGRD"]),
    Term(
      name: "EncryptedExtensions",
      meaning: "The first encrypted message of a server in TLS 1.3, with its answers to the ClientHello that the key "
        + "exchange does not need.",
      source: "RFC 8446 section 4.3.1"),
    Term(
      name: "HelloRetryRequest",
      meaning: "A ServerHello with a fixed random value, in which the server requests another ClientHello: with a key "
        + "share in another group, or with a cookie.",
      source: "RFC 8446 section 4.1.4", others: ["HRR"]),
    Term(
      name: "HKDF",
      meaning: "The functions that derive keys in TLS 1.3. HKDF-Extract combines a secret with a salt, and "
        + "HKDF-Expand-Label derives a secret for one purpose.",
      source: "RFC 5869, RFC 8446 section 7.1",
      others: ["HKDF-Extract", "HKDF-Expand-Label", "key schedule", "Derive-Secret"]),
    Term(
      name: "KeyUpdate",
      meaning: "A message after which its sender uses its next keys. New keys follow from old ones, but old keys do "
        + "not follow from new ones.",
      source: "RFC 8446 section 4.6.3"),
    Term(
      name: "ML-KEM",
      meaning: "A key encapsulation that no known algorithm of a quantum computer breaks. One side sends an "
        + "encapsulation key, and the other side a ciphertext that contains the shared secret.",
      source: "FIPS 203", others: ["ML-KEM-768", "Kyber", "X25519MLKEM768", "post-quantum"]),
    Term(
      name: "NewSessionTicket",
      meaning: "The message with a ticket for resumption. In TLS 1.2 the server sends it before its Finished. In TLS "
        + "1.3 it sends it after the handshake, encrypted, as often as it wants.",
      source: "RFC 5077 section 3.3, RFC 8446 section 4.6.1"),
    Term(
      name: "pre-shared key",
      meaning: "A key that both sides have before the handshake: from the ticket of an earlier connection, or agreed "
        + "on outside TLS. With psk_dhe_ke it is combined with a new key exchange; with psk_ke it is used alone.",
      source: "RFC 8446 section 2.2",
      others: ["PSK", "psk_ke", "psk_dhe_ke", "binder", "obfuscated_ticket_age", "ticket_age_add"]),
    Term(
      name: "Selfie",
      meaning: "An attack on an external pre-shared key that more than one client and one server have. The attacker "
        + "routes a client to another holder of the key, or back to the client's own server. The handshake succeeds, "
        + "because the key authenticates the group and not one party.",
      source: "N. Drucker and S. Gueron, 2019; RFC 9257 section 4.1"),
    Term(
      name: "traffic secret",
      meaning: "The secret from which TLS 1.3 derives the keys of one side in one phase: early data, handshake or "
        + "application data.",
      source: "RFC 8446 section 7.1"),
  ]
}
