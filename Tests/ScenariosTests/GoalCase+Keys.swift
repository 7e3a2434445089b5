/// Cases of goals, worked out from the standards before the program was run.
extension GoalCase {
  /// Keys and randomness.
  static let keysCases: [GoalCase] = [
    GoalCase(
      "PPS", "an attacker on the path connects to the server, and gets the certificate of the weak key: RFC 8446 4.4.2",
      """
      certificates: { api: { issuer: Issuing, names: [api.example], entropy: 6 } }
      server: { versions: [TLSv1.3] }
      client: { os: iOS 18 }
      attackers: { capability: on-path }
      """),
    GoalCase(
      "PPP", "an eavesdropper does not see the certificate of the weak key: RFC 8446 section 4.4.2",
      """
      certificates: { api: { issuer: Issuing, names: [api.example], entropy: 6 } }
      server: { versions: [TLSv1.3] }
      client: { os: iOS 18 }
      attackers: { capability: passive }
      """),
    GoalCase(
      "SSS", "anyone factors the modulus by the p - 1 method, and RSA key exchange has no forward secrecy",
      """
      certificates: { api: { issuer: Issuing, names: [api.example], smoothPrime: true } }
      server: { cipherSuites: [TLS_RSA_WITH_AES_128_CBC_SHA] }
      client: { os: iOS 8 }
      """),
    GoalCase(
      "PPS", "the factored key signs for an attacker, and ECDHE keeps the recording secret",
      """
      certificates: { api: { issuer: Issuing, names: [api.example], smoothPrime: true } }
      client: { os: iOS 10 }
      """),
    GoalCase(
      "PPP", "a key from a good generator is not found",
      """
      server: { versions: [TLSv1.3] }
      client: { os: iOS 18 }
      attackers: { capability: on-path }
      """),
    GoalCase(
      "SSS", "the server signs for the new random number, and the attacker finishes: RFC 5246 section 7.4.3",
      """
      server: { random: { server_ecdh_private: 6 bits } }
      client: { os: iOS 10, random: good }
      """),
    GoalCase(
      "SSS", "forwarding the messages requires only a position on the path: RFC 5246 section 7.4.3",
      """
      server: { random: { server_ecdh_private: 6 bits } }
      client: { os: iOS 10, random: good }
      attackers: { capability: on-path }
      """),
    GoalCase(
      "SSS", "in TLS 1.3 too, an attacker forwards the signed messages and finishes: RFC 8446 section E.1",
      """
      server: { versions: [TLSv1.3], random: { server_ecdh_private: 6 bits } }
      client: { os: iOS 18 }
      """),
    GoalCase(
      "SSS", "after a HelloRetryRequest, the client's generator is as weak as before: RFC 8446 section 4.1.4",
      """
      server: { versions: [TLSv1.3], groups: [secp384r1] }
      client: { os: iOS 18, random: { client_ecdh_private: 6 bits } }
      """),
    GoalCase(
      "PPP", "after a HelloRetryRequest, the client's first key has no use: RFC 8446 section 4.1.2",
      """
      server: { versions: [TLSv1.3], groups: [secp384r1] }
      client: { os: iOS 18 }
      network: [eavesdrop, { leak: client_ecdh_private, after: 1 day }]
      """),
    GoalCase(
      "LPP", "after a HelloRetryRequest, the second key decrypts the connection: RFC 8446 section 4.1.4",
      """
      server: { versions: [TLSv1.3], groups: [secp384r1] }
      client: { os: iOS 18 }
      network: [eavesdrop, { leak: ecdh_private.client.2, after: 1 day }]
      """),
    GoalCase(
      "LPL", "the client uses the leaked second key again: RFC 8446 section 4.1.4",
      """
      server: { versions: [TLSv1.3], groups: [secp384r1] }
      client: { os: iOS 18, random: { client_ecdh_private: repeats } }
      network: [eavesdrop, { leak: ecdh_private.client.2, after: 1 day }]
      """),
    GoalCase(
      "SPP", "an eavesdropper computes the secret: RFC 8422 section 5.10",
      """
      server: { random: { server_ecdh_private: 6 bits } }
      client: { os: iOS 10, random: good }
      attackers: { capability: passive }
      """),
    GoalCase(
      "SSS", "the kangaroo method finds a key of 60 bits with 2^32 additions: J. Pollard, 1978",
      """
      server: { random: { server_ecdh_private: 60 bits } }
      client: { os: iOS 10, random: good }
      """),
    GoalCase(
      "PPP", "2^32 additions are beyond a budget of 2^30: J. Pollard, 1978",
      """
      server: { random: { server_ecdh_private: 60 bits } }
      client: { os: iOS 10, random: good }
      attackers: { budget: 2^30 }
      """),
    GoalCase(
      "SSS", "a recorded ServerKeyExchange fits again: RFC 5246 section 7.4.3",
      """
      server: { random: { server_ecdh_private: 6 bits } }
      client: { os: iOS 10, random: { client_random: constant } }
      """),
    GoalCase(
      "PPP", "a reused key that does not leak reveals nothing: RFC 8422 section 5.10",
      """
      server: { random: { server_ecdh_private: repeats } }
      client: { os: iOS 10, random: good }
      """),
    GoalCase(
      "LPL", "the server uses the leaked key again, and signs it: RFC 5246 section 7.4.3",
      """
      server: { random: { server_ecdh_private: repeats } }
      client: { os: iOS 10, random: good }
      network: [eavesdrop, { leak: server_ecdh_private, after: 1 day }]
      """),
    GoalCase(
      "LPP", "the client refuses the expired certificate: RFC 5280 section 4.1.2.5",
      """
      server: { random: { server_ecdh_private: repeats } }
      client: { os: iOS 10, random: good }
      network: [eavesdrop, { leak: server_ecdh_private, after: 400 days }]
      """),
    GoalCase(
      "LPL", "pins compare the genuine certificate: RFC 5246 section 7.4.3",
      """
      server: { random: { server_ecdh_private: repeats } }
      client: { serverTrust: { pins: [api] } }
      network: [eavesdrop, { leak: server_ecdh_private, after: 1 day }]
      """),
    GoalCase(
      "LPP", "a master secret does not give the reused key: RFC 5246 section 8.1",
      """
      server: { random: { server_ecdh_private: repeats } }
      client: { os: iOS 10, random: good }
      network: [eavesdrop, { leak: master_secret, after: 1 day }]
      """),
    GoalCase(
      "LPP", "the leaked key is used in no later connection: RFC 5246 section F.1.1.3",
      """
      server: { random: good }
      client: { os: iOS 10, random: good }
      network: [eavesdrop, { leak: server_ecdh_private, after: 1 day }]
      """),
    GoalCase(
      "LPL", "a recorded ServerKeyExchange fits again: RFC 5246 section 7.4.3",
      """
      server: { random: good }
      client: { os: iOS 10, random: { client_random: repeats } }
      network: [eavesdrop, { leak: server_ecdh_private, after: 1 day }]
      """),
    GoalCase(
      "PPP", "a random number that repeats gives no key: RFC 5246 section 7.4.3",
      """
      server: { random: good }
      client: { os: iOS 10, random: { client_random: repeats } }
      """),
    GoalCase(
      "SSS", "the agreement is as weak as the weaker of two keys: RFC 8422 section 5.10",
      """
      server: { random: good }
      client: { os: iOS 10, random: { client_ecdh_private: 6 bits } }
      """),
    GoalCase(
      "LPL", "the client uses the leaked key again: RFC 8422 section 5.10",
      """
      server: { random: good }
      client: { os: iOS 10, random: { client_ecdh_private: repeats } }
      network: [eavesdrop, { leak: client_ecdh_private, after: 1 day }]
      """),
    GoalCase(
      "LPP", "the client generates another key for the recorded ServerKeyExchange: RFC 8422 section 5.10",
      """
      server: { random: good }
      client: { os: iOS 10, random: { client_random: repeats } }
      network: [eavesdrop, { leak: client_ecdh_private, after: 1 day }]
      """),
    GoalCase(
      "SSS", "a hop of a redirect is a connection too: RFC 9110 section 15.4",
      """
      certificates:
        api: { issuer: Issuing, names: [api.example] }
        other: { issuer: Issuing, names: [other.example] }
      servers: { api.example: { presents: [api, Issuing], \
      content: { GET /: { redirect: "https://other.example/" } } }, other.example: { presents: [other, Issuing], \
      random: { server_ecdh_private: 6 bits } } }
      request: https://api.example/
      """),
    GoalCase(
      "SSS", "a hop of a redirect in a weak group: NIST SP 800-57 part 1, table 2",
      """
      certificates:
        api: { issuer: Issuing, names: [api.example] }
        other: { issuer: Issuing, names: [other.example] }
      servers: { api.example: { presents: [api, Issuing], \
      content: { GET /: { redirect: "https://other.example/" } } }, other.example: { presents: [other, Issuing], \
      cipherSuites: [TLS_DHE_RSA_WITH_AES_128_CBC_SHA], dhGroup: oakley-1024 } }
      request: https://api.example/
      client: { os: iOS 8 }
      attackers: { budget: 2^80 }
      """),
    GoalCase(
      "SSS", "a second attempt is a connection too: RFC 7507 section 1",
      """
      server: { versions: [TLSv1.0], cipherSuites: [TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA], \
      random: { server_ecdh_private: 6 bits } }
      client: { os: iOS 7 }
      network: [eavesdrop, { drop: ClientHello, above: TLSv1.0 }]
      """),
    GoalCase(
      "LPL", "the server of two hops uses the leaked key again: RFC 5246 section 7.4.3",
      """
      certificates:
        api: { issuer: Issuing, names: [api.example] }
      server: { presents: [api, Issuing], content: { GET /: { redirect: /a }, GET /a: hi }, \
      random: { server_ecdh_private: repeats } }
      request: https://api.example/
      network: [eavesdrop, { leak: hop2.server_ecdh_private, after: 1 day }]
      """),
    GoalCase(
      "SSS", "the server uses the leaked key on the second date: RFC 5246 section 7.4.3",
      """
      server: { random: { server_ecdh_private: repeats } }
      timeline:
        - date: 2016-12-15
          expect: { verdict: accepted }
      network: [eavesdrop, { leak: 2016-11-01.server_ecdh_private, after: 30 days }]
      """),
    GoalCase(
      "LPP", "a new key on the second date: RFC 5246 section F.1.1.3",
      """
      timeline:
        - date: 2016-12-15
          expect: { verdict: accepted }
      network: [eavesdrop, { leak: 2016-11-01.server_ecdh_private, after: 30 days }]
      """),
    GoalCase(
      "LPS", "the recording of the first date fits on the second: RFC 5246 section 7.4.3",
      """
      client: { random: { client_random: repeats } }
      timeline:
        - date: 2016-12-15
          expect: { verdict: accepted }
      network: [eavesdrop, { leak: 2016-11-01.server_ecdh_private, after: 30 days }]
      """),
    GoalCase(
      "SSS", "the attacker forwards the stapled response, too: RFC 6066 section 8",
      """
      authorities:
        Root A: { trust: system }
        Issuing: { issuer: Root A, pathLength: 0, responder: "http://ocsp.example/" }
      certificates: { api: { issuer: Issuing, names: [api.example], mustStaple: true } }
      server: { presents: [api, Issuing], staple: current, random: { server_ecdh_private: 6 bits } }
      client: { mustStaple: true }
      """),
    GoalCase(
      "SSS", "the first handshake is full: RFC 5246 section 7.3",
      """
      server: { sessions: resumable, random: { server_ecdh_private: 6 bits } }
      client: { sessions: resumable }
      requests: [https://api.example/, https://api.example/]
      """),
    GoalCase(
      "SSS", "a tunnel forwards all data: RFC 9110 section 9.3.6",
      """
      client: { proxy: { host: proxy.example, port: 8080 } }
      server: { random: { server_ecdh_private: 6 bits } }
      """),
    GoalCase(
      "SSS", "a logarithm of 1024 bits is 2^80 operations: NIST SP 800-57 part 1, table 2",
      """
      server: { cipherSuites: [TLS_DHE_RSA_WITH_AES_128_CBC_SHA], dhGroup: oakley-1024 }
      client: { os: iOS 8 }
      attackers: { budget: 2^80 }
      """),
    GoalCase(
      "PPP", "a budget with one bit less is too small: NIST SP 800-57 part 1, table 2",
      """
      server: { cipherSuites: [TLS_DHE_RSA_WITH_AES_128_CBC_SHA], dhGroup: oakley-1024 }
      client: { os: iOS 8 }
      attackers: { budget: 2^79 }
      """),
    GoalCase(
      "PPS", "a factored key signs: NIST SP 800-57 part 1, table 2",
      """
      certificates: { api: { issuer: Issuing, names: [api.example], key: rsa-1024 } }
      client: { os: iOS 8 }
      attackers: { budget: 2^80 }
      """),
    GoalCase(
      "SSS", "a factored key decrypts: NIST SP 800-57 part 1, table 2",
      """
      certificates: { api: { issuer: Issuing, names: [api.example], key: rsa-1024 } }
      server: { cipherSuites: [TLS_RSA_WITH_AES_128_CBC_SHA] }
      client: { os: iOS 8 }
      attackers: { budget: 2^80 }
      """),
    GoalCase(
      "PPS", "a factored root key certifies any attacker: NIST SP 800-57 part 1, table 2",
      """
      authorities:
        Root A: { trust: system, key: rsa-1024 }
        Issuing: { issuer: Root A }
      client: { os: iOS 8 }
      attackers: { budget: 2^80 }
      """),
    GoalCase(
      "PPS", "a trusted CA is factored, even if the server does not present it: NIST SP 800-57 part 1, table 2",
      """
      authorities:
        Root A: { trust: system }
        Issuing: { issuer: Root A }
        Old: { issuer: Root A, key: rsa-1024 }
      certificates:
        api: { issuer: Issuing, names: [api.example] }
        old: { issuer: Old, names: [old.example] }
      servers: { api.example: { presents: [api, Issuing] }, old.example: { presents: [old, Old] } }
      request: https://api.example/
      client: { os: iOS 8 }
      attackers: { budget: 2^80 }
      """),
    GoalCase(
      "PPP", "the client does not trust the factored root: RFC 5280 section 6.1.1 (d)",
      """
      authorities:
        Root A: { trust: system }
        Issuing: { issuer: Root A, pathLength: 0 }
        Root B: { trust: none, key: rsa-1024 }
      certificates:
        api: { issuer: Issuing, names: [api.example] }
        evil: { issuer: Root B, names: [api.example] }
      server: { presents: [api, Issuing] }
      client: { os: iOS 8 }
      attackers: { budget: 2^80, certificates: [evil] }
      """),
    GoalCase(
      "PPP", "a pin of the leaf stops a CA whose key was factored",
      """
      authorities:
        Root A: { trust: system, pathLength: 1 }
        Issuing: { issuer: Root A, entropy: 15 }
      client: { os: iOS 8, serverTrust: { pins: [api] } }
      """),
    GoalCase(
      "PPS", "the other certificate is public, whichever server the client contacts: N. Heninger and others, 2012",
      """
      certificates:
        other: { issuer: Issuing, names: [other.example] }
        api: { issuer: Issuing, names: [api.example], sharesPrimeWith: other }
      servers: { api.example: { presents: [api, Issuing] }, other.example: { presents: [other, Issuing] } }
      client: { os: iOS 8 }
      request: https://api.example/
      """),
    GoalCase(
      "SPP", "an eavesdropper computes the gcd: N. Heninger and others, 2012",
      """
      certificates:
        other: { issuer: Issuing, names: [other.example] }
        api: { issuer: Issuing, names: [api.example], sharesPrimeWith: other }
      servers: { api.example: { presents: [api, Issuing], cipherSuites: [TLS_RSA_WITH_AES_128_CBC_SHA] }, \
      other.example: { presents: [other, Issuing], cipherSuites: [TLS_RSA_WITH_AES_128_CBC_SHA] } }
      client: { os: iOS 8 }
      request: https://api.example/
      attackers: { capability: passive }
      """),
    GoalCase(
      "PSP", "the server accepts a replayed recording: RFC 5246 section F.1.1",
      """
      server: { random: { server_random: constant }, cipherSuites: [TLS_RSA_WITH_AES_128_CBC_SHA] }
      client: { os: iOS 8, random: good }
      """),
    GoalCase(
      "PPP", "a new ephemeral key of the server stops it: RFC 5246 section F.1.1.3",
      """
      server: { random: { server_random: constant } }
      client: { os: iOS 10, random: good }
      """),
    GoalCase(
      "PPP", "a position on the path does not include connections to the server",
      """
      server: { random: { server_random: 20 bits }, cipherSuites: [TLS_RSA_WITH_AES_128_CBC_SHA] }
      client: { os: iOS 8, random: good }
      attackers: { capability: on-path }
      """),
    GoalCase(
      "SPP", "the client falls back to SSL 3.0 if its offers are dropped: RFC 7507 section 1",
      """
      server: { versions: [SSLv3, TLSv1.0], cipherSuites: [TLS_RSA_WITH_AES_128_CBC_SHA] }
      client: { os: iOS 7, cookie: id=k7 }
      """),
    GoalCase(
      "PPP", "the client does not fall back: RFC 7507 section 1",
      """
      server: { versions: [SSLv3, TLSv1.0], cipherSuites: [TLS_RSA_WITH_AES_128_CBC_SHA] }
      client: { os: iOS 7, cookie: id=k7, fallback: none }
      """),
    GoalCase(
      "PPP", "the server refuses a fallback with the SCSV: RFC 7507 section 3",
      """
      server: { versions: [SSLv3, TLSv1.0], cipherSuites: [TLS_RSA_WITH_AES_128_CBC_SHA] }
      client: { os: iOS 7, cookie: id=k7, fallback: signalled }
      """),
    GoalCase(
      "PPS", "an impostor chooses RSA, and uses the server's oracle: RFC 5246 section 7.4.7.1",
      """
      server: { cipherSuites: [TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA, TLS_RSA_WITH_AES_128_CBC_SHA], mutant: robot }
      client: { os: iOS 8 }
      """),
    GoalCase(
      "PPS", "another server with the key is an oracle, and no app loads from it: RFC 5246 section 7.4.7.1",
      """
      server: { cipherSuites: [TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA, TLS_RSA_WITH_AES_128_CBC_SHA] }
      servers: { api.example: {}, old.example: { mutant: robot } }
      client: { os: iOS 8 }
      """),
    GoalCase(
      "SPS", "the oracle of another server decrypts a recorded ClientKeyExchange: RFC 5246 section 7.4.7.1",
      """
      server: { cipherSuites: [TLS_RSA_WITH_AES_128_CBC_SHA] }
      servers: { api.example: {}, old.example: { mutant: robot } }
      client: { os: iOS 8 }
      """),
    GoalCase(
      "SPS", "an oracle answers in any suite with RSA key exchange: RFC 5246 section 7.4.7.1",
      """
      server: { cipherSuites: [TLS_RSA_WITH_3DES_EDE_CBC_SHA], mutant: robot }
      client: { os: iOS 8 }
      """),
    GoalCase(
      "PPP", "another server with another key is an oracle: RFC 5246 section 7.4.7.1",
      """
      server: { cipherSuites: [TLS_RSA_WITH_AES_128_CBC_SHA] }
      servers: { api.example: {}, old.example: { mutant: robot, presents: [Issuing] } }
      client: { os: iOS 8 }
      """),
    GoalCase(
      "PPP", "the client offers no RSA key exchange: RFC 5246 section 7.4.1.3",
      """
      server: { cipherSuites: [TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA, TLS_RSA_WITH_AES_128_CBC_SHA], mutant: robot }
      client: { os: iOS 10 }
      """),
  ]
}
