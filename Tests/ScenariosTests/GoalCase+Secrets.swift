/// Cases of goals, worked out from the standards before the program was run.
extension GoalCase {
  /// Leaked secrets.
  static let secretsCases: [GoalCase] = [
    GoalCase(
      "PPP", "random numbers travel in the clear: RFC 5246 section 7.4.1.2",
      """
      server: { cipherSuites: [TLS_RSA_WITH_AES_128_CBC_SHA] }
      client: { os: iOS 8 }
      network: [eavesdrop, { leak: client_random, after: 1 day }]
      """),
    GoalCase(
      "LPP", "the next connection has another premaster secret: RFC 5246 section 8.1.1",
      """
      server: { cipherSuites: [TLS_RSA_WITH_AES_128_CBC_SHA] }
      client: { os: iOS 8 }
      network: [eavesdrop, { leak: premaster_secret, after: 1 day }]
      """),
    GoalCase(
      "PPP", "a MAC key decrypts nothing, and the connection is over: RFC 5246 section 6.2.3.1",
      """
      server: { cipherSuites: [TLS_RSA_WITH_AES_128_CBC_SHA] }
      client: { os: iOS 8 }
      network: [eavesdrop, { leak: client_write_MAC_key, after: 1 day }]
      """),
    GoalCase(
      "PPP", "Finished is an output of the PRF, which cannot be inverted: RFC 5246 section 7.4.9",
      """
      server: { cipherSuites: [TLS_RSA_WITH_AES_128_CBC_SHA] }
      client: { os: iOS 8 }
      network: [eavesdrop, { leak: server_verify_data, after: 1 day }]
      """),
    GoalCase(
      "LPL", "the key decrypts the recording, and authenticates the server: RFC 5246 section F.1.1.2",
      """
      server: { cipherSuites: [TLS_RSA_WITH_AES_128_CBC_SHA] }
      client: { os: iOS 8 }
      network: [eavesdrop, { leak: api.key, after: 1 day }]
      """),
    GoalCase(
      "LPP", "the client refuses the expired certificate, the recording opens: RFC 5280 section 4.1.2.5",
      """
      server: { cipherSuites: [TLS_RSA_WITH_AES_128_CBC_SHA] }
      client: { os: iOS 8 }
      network: [eavesdrop, { leak: api.key, after: 400 days }]
      """),
    GoalCase(
      "LPP", "an eavesdropper decrypts, and makes no connections: RFC 5246 section F.1.1.2",
      """
      server: { cipherSuites: [TLS_RSA_WITH_AES_128_CBC_SHA] }
      client: { os: iOS 8 }
      network: [eavesdrop, { leak: api.key, after: 1 day }]
      attackers: { capability: passive }
      """),
    GoalCase(
      "PPL", "the key signs and decrypts nothing: RFC 5246 section F.1.1.3",
      """
      network: [eavesdrop, { leak: api.key, after: 1 day }]
      """),
    GoalCase(
      "LPP", "an ephemeral key opens only its own connection: RFC 5246 section F.1.1.3",
      """
      network: [eavesdrop, { leak: server_ecdh_private, after: 1 day }]
      """),
    GoalCase(
      "LPP", "either private key gives the agreement: RFC 5246 section 8.1.2",
      """
      server: { cipherSuites: [TLS_DHE_RSA_WITH_AES_128_CBC_SHA] }
      client: { os: iOS 8 }
      network: [eavesdrop, { leak: client_dh_private, after: 1 day }]
      """),
    GoalCase(
      "LPP", "the tag and the key give the nonce: NIST SP 800-38D section 7.1",
      """
      network: [eavesdrop, { leak: client_write_key, after: 1 day }]
      """),
    GoalCase(
      "LPP", "the tag and the key give the nonce with AES-256: NIST SP 800-38D section 7.1",
      """
      server: { cipherSuites: [TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384] }
      network: [eavesdrop, { leak: server_write_key, after: 1 day }]
      """),
    GoalCase(
      "LPP", "in TLS 1.3 too, the tag and the key give the nonce, which is the IV: NIST SP 800-38D section 7.1",
      """
      server: { versions: [TLSv1.3] }
      client: { os: iOS 18 }
      network: [eavesdrop, { leak: server_application_write_key_0, after: 1 day }]
      """),
    GoalCase(
      "LPP", "the key after a KeyUpdate opens the records after it: RFC 8446 section 7.2",
      """
      server: { versions: [TLSv1.3], cipherSuites: [TLS_AES_256_GCM_SHA384], keyUpdate: own }
      client: { os: iOS 18 }
      network: [eavesdrop, { leak: server_application_write_key_1, after: 1 day }]
      """),
    GoalCase(
      "PPP", "the server sends no data under its keys before the KeyUpdate: RFC 8446 section 7.2",
      """
      server: { versions: [TLSv1.3], keyUpdate: own }
      client: { os: iOS 18 }
      network: [eavesdrop, { leak: server_application_write_key_0, after: 1 day }]
      """),
    GoalCase(
      "PPP", "the keys of the handshake open no application data: RFC 8446 section 7.1",
      """
      server: { versions: [TLSv1.3] }
      client: { os: iOS 18 }
      network: [eavesdrop, { leak: server_handshake_write_key, after: 1 day }]
      """),
    GoalCase(
      "PPL", "the client sends its ticket in the clear when it resumes, and the key opens it: RFC 8446 section 4.2.11",
      """
      server: { versions: [TLSv1.3], sessions: tickets }
      client: { os: iOS 18, sessions: tickets }
      network: [eavesdrop, { leak: session_ticket_key, after: 1 hour }]
      """),
    GoalCase(
      "PPP", "a client that does not resume sends no ticket: RFC 8446 section 4.2.11",
      """
      server: { versions: [TLSv1.3], sessions: tickets }
      client: { os: iOS 18, sessions: none }
      network: [eavesdrop, { leak: session_ticket_key, after: 1 hour }]
      """),
    GoalCase(
      "PPL", "the first secrets follow from the agreed key alone, and replace it: RFC 8446 section 7.1",
      """
      server: { versions: [TLSv1.3], psk: { identity: a, key: 000102030405060708090a0b0c0d0e0f } }
      client: { os: iOS 18, psk: { identity: a, key: 000102030405060708090a0b0c0d0e0f } }
      network: [eavesdrop, { leak: derived_early_secret, after: 1 day }]
      """),
    GoalCase(
      "LPL", "in psk_ke, handshake_secret follows from the agreed key alone: RFC 8446 section 7.1",
      """
      server: { versions: [TLSv1.3], psk: { key: 000102030405060708090a0b0c0d0e0f, mode: psk_ke } }
      client: { os: iOS 18, psk: { key: 000102030405060708090a0b0c0d0e0f, mode: psk_ke } }
      network: [eavesdrop, { leak: handshake_secret, after: 1 day }]
      """),
    GoalCase(
      "PPP", "without a pre-shared key, the first secret is the same for everyone: RFC 8446 section 7.1",
      """
      server: { versions: [TLSv1.3] }
      client: { os: iOS 18 }
      network: [eavesdrop, { leak: early_secret, after: 1 day }]
      """),
    GoalCase(
      "LPP", "the key after a HelloRetryRequest is the one that is used: RFC 8446 section 4.1.2",
      """
      server: { versions: [TLSv1.3], groups: [secp384r1] }
      client: { os: iOS 18 }
      network: [eavesdrop, { leak: ecdh_private.client.2, after: 1 day }]
      """),
    GoalCase(
      "PPP", "without the handshake messages, the master secret gives no keys: RFC 8446 section 7.1",
      """
      server: { versions: [TLSv1.3] }
      client: { os: iOS 18 }
      network: [eavesdrop, { leak: master_secret, after: 1 day }]
      """),
    GoalCase(
      "LPP", "the server's handshake key opens its messages, and the master secret gives the rest: RFC 8446 7.1",
      """
      server: { versions: [TLSv1.3] }
      client: { os: iOS 18 }
      network:
        - eavesdrop
        - { leak: server_handshake_write_key, after: 1 day }
        - { leak: derived_handshake_secret, after: 2 days }
      """),
    GoalCase(
      "PPP", "an IV without a key opens nothing: RFC 8446 section 5.3",
      """
      server: { versions: [TLSv1.3] }
      client: { os: iOS 18 }
      network: [eavesdrop, { leak: server_application_write_iv_0, after: 1 day }]
      """),
    GoalCase(
      "PPP", "the IV of ChaCha20-Poly1305 has 96 secret bits, and no tag reveals it: RFC 8446 section 5.3",
      """
      server: { versions: [TLSv1.3], cipherSuites: [TLS_CHACHA20_POLY1305_SHA256] }
      client: { os: iOS 18 }
      network: [eavesdrop, { leak: server_application_write_key_0, after: 1 day }]
      """),
    GoalCase(
      "PPP", "a nonce without a key opens nothing: RFC 5288 section 3",
      """
      network: [eavesdrop, { leak: client_write_IV, after: 1 day }]
      """),
    GoalCase(
      "PPP", "the nonce has 96 secret bits, and no tag reveals it: RFC 7905 section 2",
      """
      server: { cipherSuites: [TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256] }
      client: { os: iOS 12, infoPlist: { NSAllowsArbitraryLoads: true } }
      network: [eavesdrop, { leak: client_write_key, after: 1 day }]
      """),
    GoalCase(
      "LPP", "key and nonce open the records: RFC 7905 section 2",
      """
      server: { cipherSuites: [TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256] }
      client: { os: iOS 12, infoPlist: { NSAllowsArbitraryLoads: true } }
      network: [eavesdrop, { leak: client_write_key, after: 1 day }, { leak: client_write_IV, after: 2 days }]
      """),
    GoalCase(
      "LPP", "the block before the record is its initialization vector: RFC 2246 section 6.3",
      """
      server: { versions: [TLSv1.0], cipherSuites: [TLS_RSA_WITH_AES_128_CBC_SHA] }
      client: { os: iOS 8 }
      network: [eavesdrop, { leak: client_write_key, after: 1 day }]
      """),
    GoalCase(
      "LPP", "a stream cipher has no initialization vector: RFC 5246 section 6.2.3.1",
      """
      server: { cipherSuites: [TLS_RSA_WITH_RC4_128_SHA] }
      client: { os: iOS 8 }
      network: [eavesdrop, { leak: server_write_key, after: 1 day }]
      """),
    GoalCase(
      "LPL", "the client encrypts the same secret to the next server: RFC 5246 section F.1.1.2",
      """
      server: { cipherSuites: [TLS_RSA_WITH_AES_128_CBC_SHA] }
      client: { os: iOS 8, random: { premaster_secret: repeats } }
      network: [eavesdrop, { leak: premaster_secret, after: 1 day }]
      """),
    GoalCase(
      "LPP", "a master secret does not give the premaster secret: RFC 5246 section 8.1",
      """
      server: { random: good, cipherSuites: [TLS_RSA_WITH_AES_128_CBC_SHA] }
      client: { os: iOS 8, random: { premaster_secret: repeats } }
      network: [eavesdrop, { leak: master_secret, after: 1 day }]
      """),
    GoalCase(
      "LPL", "an attacker that has the master secret resumes the session: RFC 5246 section F.1.4",
      """
      server: { sessions: resumable }
      client: { os: iOS 10, sessions: resumable }
      network: [eavesdrop, { leak: master_secret, after: 1 hour }]
      """),
    GoalCase(
      "LPP", "a session ends after 24 hours: RFC 5246 section F.1.4",
      """
      server: { sessions: resumable }
      client: { os: iOS 10, sessions: resumable }
      network: [eavesdrop, { leak: master_secret, after: 25 hours }]
      """),
    GoalCase(
      "LPL", "the client does not know the lifetime of a session id at the server: RFC 5246 section F.1.4",
      """
      server: { sessions: resumable, sessionLifetime: 1 hour }
      client: { os: iOS 10, sessions: resumable }
      network: [eavesdrop, { leak: master_secret, after: 2 hours }]
      """),
    GoalCase(
      "LPP", "the client honours the lifetime of a ticket: RFC 5077 section 3.3",
      """
      server: { sessions: tickets, sessionLifetime: 1 hour }
      client: { os: iOS 10, sessions: tickets }
      network: [eavesdrop, { leak: master_secret, after: 2 hours }]
      """),
    GoalCase(
      "LPL", "a resumption has no certificate to compare with pins: RFC 5246 section 7.3",
      """
      server: { sessions: resumable }
      client: { sessions: resumable, serverTrust: { pins: [api] } }
      network: [eavesdrop, { leak: master_secret, after: 1 hour }]
      """),
    GoalCase(
      "LPL", "the key opens tickets, and each has a master secret: RFC 5077 section 4",
      """
      server: { sessions: tickets }
      client: { os: iOS 10, sessions: tickets }
      network: [eavesdrop, { leak: session_ticket_key, after: 1 hour }]
      """),
    GoalCase(
      "SSS", "on the second date the ticket travels under a key that leaked: RFC 5077 section 3.3",
      """
      server: { sessions: tickets }
      client: { sessions: tickets }
      timeline:
        - date: 2016-12-15
          expect: { verdict: accepted }
      network: [eavesdrop, { leak: session_ticket_key, after: 30 days }]
      """),
    GoalCase(
      "LPS", "a replaced certificate stays valid, and decrypts nothing new: RFC 5280 section 3.3",
      """
      certificates:
        api: { issuer: Issuing, names: [api.example] }
        renewed: { issuer: Issuing, names: [api.example] }
      server: { cipherSuites: [TLS_RSA_WITH_AES_128_CBC_SHA] }
      client: { os: iOS 8 }
      timeline:
        - date: 2016-12-15
          changes: { server.presents: [renewed, Issuing] }
          expect: { verdict: accepted }
      network: [eavesdrop, { leak: api.key, after: 30 days }]
      """),
    GoalCase(
      "LPL", "a revocation ends the old certificate: RFC 5280 section 3.3",
      """
      authorities:
        Root A: { trust: system }
        Issuing: { issuer: Root A, pathLength: 0, responder: "http://ocsp.example/" }
      certificates:
        api: { issuer: Issuing, names: [api.example], revoked: 2016-12-02 }
        renewed: { issuer: Issuing, names: [api.example] }
      server: { presents: [api, Issuing], cipherSuites: [TLS_RSA_WITH_AES_128_CBC_SHA] }
      client: { os: iOS 8, revocation: hard-fail }
      timeline:
        - date: 2016-12-15
          changes: { server.presents: [renewed, Issuing] }
          expect: { verdict: accepted }
      network: [eavesdrop, { leak: api.key, after: 30 days }]
      """),
    GoalCase(
      "LPP", "an eavesdropper resumes no session: RFC 5246 section F.1.4",
      """
      server: { sessions: resumable }
      client: { os: iOS 10, sessions: resumable }
      network: [eavesdrop, { leak: master_secret, after: 1 hour }]
      attackers: { capability: passive }
      """),
    GoalCase(
      "PPP", "a client's key opens no connection and authenticates no server: RFC 5246 section 7.4.8",
      """
      authorities: { Root A: { trust: system }, Issuing: { issuer: Root A, pathLength: 0 }, Members: {} }
      certificates: { api: { issuer: Issuing, names: [api.example] }, alice: { issuer: Members, \
      extendedKeyUsage: [clientAuth] } }
      server: { presents: [api, Issuing], clientAuthentication: required, clientAuthorities: [Members] }
      client: { os: iOS 10, identity: alice }
      network: [eavesdrop, { leak: alice.key, after: 1 day }]
      """),
  ]
}
