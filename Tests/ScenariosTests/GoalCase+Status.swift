/// Cases of goals, worked out from the standards before the program was run.
extension GoalCase {
  /// Revocation.
  static let statusCases: [GoalCase] = [
    GoalCase(
      "PPL", "the holder of the CA key signs the response too: RFC 6960 section 4.2.2.2",
      """
      authorities:
        Root A: { trust: system }
        Issuing: { issuer: Root A, responder: "http://ocsp.example/", pathLength: 0 }
      client: { os: iOS 10, revocation: hard-fail }
      network: [eavesdrop, { leak: Issuing.key, after: 1 day }]
      """),
    GoalCase(
      "PPL", "the holder of the CA key signs the CRL, too: RFC 5280 section 5",
      """
      authorities:
        Root A: { trust: system }
        Issuing: { issuer: Root A, crl: "http://crl.example/a.crl", pathLength: 0 }
      client: { os: macOS 10.13, revocation: hard-fail }
      network: [eavesdrop, { leak: Issuing.key, after: 1 day }]
      """),
    GoalCase(
      "PPP", "the client refuses a revoked certificate without a response: RFC 6960 section 2.2",
      """
      authorities:
        Root A: { trust: system }
        Issuing: { issuer: Root A, responder: "http://ocsp.example/", pathLength: 0 }
      certificates: { api: { issuer: Issuing, names: [api.example], revoked: 2016-11-15 } }
      server: { presents: [api, Issuing] }
      client: { os: iOS 10, revocation: hard-fail }
      network: [eavesdrop, { leak: api.key, after: 30 days }]
      """),
    GoalCase(
      "PPL", "an attacker drops the response: RFC 6960 section 5",
      """
      authorities:
        Root A: { trust: system }
        Issuing: { issuer: Root A, responder: "http://ocsp.example/", pathLength: 0 }
      certificates: { api: { issuer: Issuing, names: [api.example], revoked: 2016-11-15 } }
      server: { presents: [api, Issuing] }
      client: { os: iOS 10, revocation: soft-fail }
      network: [eavesdrop, { leak: api.key, after: 30 days }]
      """),
    GoalCase(
      "PPL", "a stolen key works until it is revoked: RFC 5280 section 3.3",
      """
      authorities:
        Root A: { trust: system }
        Issuing: { issuer: Root A, responder: "http://ocsp.example/", pathLength: 0 }
      certificates: { api: { issuer: Issuing, names: [api.example], revoked: 2016-11-15 } }
      server: { presents: [api, Issuing] }
      client: { os: iOS 10, revocation: hard-fail }
      network: [eavesdrop, { leak: api.key, after: 9 days }]
      """),
    GoalCase(
      "PPL", "an older response counts until its nextUpdate: RFC 6960 section 3.2",
      """
      authorities:
        Root A: { trust: system }
        Issuing: { issuer: Root A, responder: "http://ocsp.example/", pathLength: 0 }
      certificates: { api: { issuer: Issuing, names: [api.example], revoked: 2016-11-29 } }
      server: { presents: [api, Issuing] }
      client: { os: iOS 10, revocation: hard-fail }
      network: [eavesdrop, { leak: api.key, after: 30 days }]
      """),
    GoalCase(
      "PPP", "an attacker with a revoked key has no response that says good: RFC 6960 section 2.2",
      """
      authorities:
        Root A: { trust: system }
        Issuing: { issuer: Root A, pathLength: 0, responder: "http://ocsp.example/" }
      certificates:
        api: { issuer: Issuing, names: [api.example], revoked: 2016-10-15 }
        renewed: { issuer: Issuing, names: [api.example] }
        responder: { issuer: Issuing, names: [ocsp.example], extendedKeyUsage: [OCSPSigning] }
      server: { presents: [renewed, Issuing], staple: { signer: responder } }
      attackers: { certificates: [api] }
      client: { os: iOS 10, revocation: hard-fail }
      """),
    GoalCase(
      "PPL", "a delegate of the CA signs a good response: RFC 6960 section 4.2.2.2",
      """
      authorities:
        Root A: { trust: system }
        Issuing: { issuer: Root A, pathLength: 0, responder: "http://ocsp.example/" }
      certificates:
        api: { issuer: Issuing, names: [api.example], revoked: 2016-10-15 }
        renewed: { issuer: Issuing, names: [api.example] }
        responder: { issuer: Issuing, names: [ocsp.example], extendedKeyUsage: [OCSPSigning] }
      server: { presents: [renewed, Issuing], staple: { signer: responder } }
      attackers: { certificates: [api] }
      client: { os: iOS 10, revocation: hard-fail }
      network: [eavesdrop, { leak: responder.key, after: 1 day }]
      """),
    GoalCase(
      "PPL", "the CA key signs a good response: RFC 6960 section 4.2.2.2",
      """
      authorities:
        Root A: { trust: system }
        Issuing: { issuer: Root A, pathLength: 0, responder: "http://ocsp.example/" }
      certificates:
        api: { issuer: Issuing, names: [api.example], revoked: 2016-10-15 }
        renewed: { issuer: Issuing, names: [api.example] }
      server: { presents: [renewed, Issuing] }
      attackers: { certificates: [api] }
      client: { os: iOS 10, revocation: hard-fail }
      network: [eavesdrop, { leak: Issuing.key, after: 1 day }]
      """),
    GoalCase(
      "PPP", "the intermediate was revoked: RFC 5280 section 6.3",
      """
      authorities:
        Root A: { trust: system, responder: "http://ocsp.root.example/" }
        Issuing: { issuer: Root A, pathLength: 0 }
        Old: { issuer: Root A, pathLength: 0, revoked: 2016-10-15 }
      certificates: { api: { issuer: Issuing, names: [api.example] } }
      server: { presents: [api, Issuing] }
      attackers: { certificates: [Old] }
      client: { os: iOS 10, revocation: hard-fail }
      """),
    GoalCase(
      "PPS", "an attacker drops the intermediate's response: RFC 6960 section 5",
      """
      authorities:
        Root A: { trust: system, responder: "http://ocsp.root.example/" }
        Issuing: { issuer: Root A, pathLength: 0 }
        Old: { issuer: Root A, pathLength: 0, revoked: 2016-10-15 }
      certificates: { api: { issuer: Issuing, names: [api.example] } }
      server: { presents: [api, Issuing] }
      attackers: { certificates: [Old] }
      client: { os: iOS 10, revocation: soft-fail }
      """),
    GoalCase(
      "PPP", "no good response remains to staple: RFC 7633 section 4",
      """
      authorities:
        Root A: { trust: system }
        Issuing: { issuer: Root A, responder: "http://ocsp.example/", pathLength: 0 }
      certificates: { api: { issuer: Issuing, names: [api.example], revoked: 2016-11-15, mustStaple: true } }
      server: { presents: [api, Issuing], staple: current }
      client: { os: iOS 10, mustStaple: true }
      network: [eavesdrop, { leak: api.key, after: 30 days }]
      """),
  ]
}
