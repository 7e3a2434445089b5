// The extensions of the hello messages, by their registered names.
extension Glossary {
  static let extensionTerms = [
    Term(
      name: "application_layer_protocol_negotiation",
      meaning: "The extension of ALPN: the client lists its application protocols, and the server selects one.",
      source: "RFC 7301 section 3.1"),
    Term(
      name: "certificate_authorities",
      meaning: "The names of the CAs that the sender accepts, so that the other side can select a certificate.",
      source: "RFC 8446 section 4.2.4"),
    Term(
      name: "compress_certificate",
      meaning: "The methods with which the other side may compress its Certificate message. The compressed form is the "
        + "message CompressedCertificate.",
      source: "RFC 8879 section 3", others: ["CompressedCertificate"]),
    Term(
      name: "cookie",
      meaning: "In TLS, bytes in a HelloRetryRequest that the client repeats in its next ClientHello. They show that "
        + "the client can receive at its address, and let a server store nothing between the two hellos.",
      source: "RFC 8446 section 4.2.2"),
    Term(
      name: "ec_point_formats",
      meaning: "The forms of elliptic-curve points that the sender can read. Only uncompressed points are left, and "
        + "TLS 1.3 does not use this extension.",
      source: "RFC 8422 section 5.1.2"),
    Term(
      name: "encrypt_then_mac",
      meaning: "With this extension, CBC suites encrypt first and authenticate the ciphertext. This closes the padding "
        + "oracle of CBC records.",
      source: "RFC 7366 section 3"),
    Term(
      name: "extended_master_secret",
      meaning: "With this extension, the master secret depends on all handshake messages and not only on the two "
        + "random values. It prevents that two connections have the same master secret (triple handshake). TLS 1.3 "
        + "always works in this way.",
      source: "RFC 7627 section 4", others: ["EMS"]),
    Term(
      name: "key_share",
      meaning: "The extension with ephemeral public keys. The client sends one key for each group that it expects the "
        + "server to select, and the server answers with its own key in one of them. If the client sent no key in a "
        + "group that both support, the server requests one with a HelloRetryRequest.",
      source: "RFC 8446 section 4.2.8"),
    Term(
      name: "max_fragment_length",
      meaning: "A request of the client for shorter records. record_size_limit replaces it.",
      source: "RFC 6066 section 4"),
    Term(
      name: "oid_filters",
      meaning: "Extensions and values that a client certificate must have, in the server's CertificateRequest.",
      source: "RFC 8446 section 4.2.5"),
    Term(
      name: "post_handshake_auth",
      meaning: "The client's permission for the server to request a certificate after the handshake.",
      source: "RFC 8446 section 4.2.6"),
    Term(
      name: "psk_key_exchange_modes",
      meaning: "How the client accepts pre-shared keys: psk_ke uses the key alone, and psk_dhe_ke adds a key exchange, "
        + "which gives forward secrecy.",
      source: "RFC 8446 section 4.2.9"),
    Term(
      name: "record_size_limit",
      meaning: "The longest plaintext of a protected record that the sender accepts.",
      source: "RFC 8449 section 4"),
    Term(
      name: "renegotiation_info",
      meaning: "The extension that ties a renegotiation to the handshake before it. In a first handshake it is empty "
        + "and shows that the sender supports secure renegotiation.",
      source: "RFC 5746 section 3.2"),
    Term(
      name: "signature_algorithms",
      meaning: "The signature schemes that the sender accepts in the handshake, and in certificates if there is no "
        + "signature_algorithms_cert. In TLS 1.3, a scheme with ECDSA includes the curve.",
      source: "RFC 5246 section 7.4.1.4.1, RFC 8446 section 4.2.3"),
    Term(
      name: "signature scheme",
      meaning: "A signature algorithm with its hash and, in TLS 1.3, its curve or padding: rsa_pss_rsae_sha256 is PSS "
        + "with SHA-256 by an RSA key, and ecdsa_secp256r1_sha256 is ECDSA with SHA-256 by a key on P-256.",
      source: "RFC 8446 section 4.2.3",
      others: [
        "rsa_pss_rsae_sha256", "rsa_pss_rsae_sha384", "rsa_pss_rsae_sha512", "ecdsa_secp256r1_sha256",
        "ecdsa_secp384r1_sha384", "ecdsa_secp521r1_sha512", "rsa_pkcs1_sha256", "rsa_pkcs1_sha384", "rsa_pkcs1_sha512",
      ]),
    Term(
      name: "signature_algorithms_cert",
      meaning: "The signature schemes that the sender accepts in certificates, if they are not those that it accepts "
        + "in the handshake.",
      source: "RFC 8446 section 4.2.3"),
    Term(
      name: "supported_groups",
      meaning: "The groups of the sender for (EC)DHE in order of preference. The other side must use one of them. In "
        + "TLS 1.2 and earlier versions, this extension has only the client, and was called elliptic_curves.",
      source: "RFC 8422 section 5.1.1, RFC 8446 section 4.2.7", others: ["elliptic_curves"]),
    Term(
      name: "supported_versions",
      meaning: "The versions that the client supports, and in ServerHello the version that the server selected. TLS "
        + "1.3 is negotiated only here: the version field of its hellos states TLS 1.2, because some old servers "
        + "refuse a version that they do not know.",
      source: "RFC 8446 section 4.2.1", others: ["legacy_version"]),
  ]
}
