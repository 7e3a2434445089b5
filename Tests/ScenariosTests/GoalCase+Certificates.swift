/// Cases of goals, worked out from the standards before the program was run.
extension GoalCase {
  /// Certificates and trust.
  static let certificatesCases: [GoalCase] = [
    GoalCase(
      "PPS", "the client compares names up to a byte 00: CVE-2009-2408",
      """
      client: { os: iOS 8, mutant: null-prefix }
      """),
    GoalCase(
      "PPP", "a pin of the leaf compares keys, not names: CVE-2009-2408",
      """
      client: { os: iOS 8, mutant: null-prefix, serverTrust: { pins: [api] } }
      """),
    GoalCase(
      "PPP", "the client compares complete names: RFC 9525 section 6.3",
      """
      client: { os: iOS 8 }
      """),
    GoalCase(
      "PPL", "a wildcard covers the excluded host: CVE-2025-61727",
      """
      authorities:
        Root A: { trust: system }
        Issuing: { issuer: Root A, pathLength: 0 }
        Sub: { issuer: Root A, nameConstraints: { excluded: [api.shop.example] } }
      certificates:
        api: { issuer: Issuing, names: [api.shop.example] }
        www: { issuer: Sub, names: [www.company.example] }
      servers:
        api.shop.example: { presents: [api, Issuing] }
        www.company.example: { presents: [www, Sub] }
      request: https://api.shop.example/
      client: { mutant: wildcard-excluded }
      network: [eavesdrop, { leak: Sub.key, after: 1 day }]
      """),
    GoalCase(
      "PPP", "the host is within the excluded subtree: RFC 5280 section 4.2.1.10",
      """
      authorities:
        Root A: { trust: system }
        Issuing: { issuer: Root A, pathLength: 0 }
        Sub: { issuer: Root A, nameConstraints: { excluded: [api.shop.example] } }
      certificates:
        api: { issuer: Issuing, names: [api.shop.example] }
        www: { issuer: Sub, names: [www.company.example] }
      servers:
        api.shop.example: { presents: [api, Issuing] }
        www.company.example: { presents: [www, Sub] }
      request: https://api.shop.example/
      network: [eavesdrop, { leak: Sub.key, after: 1 day }]
      """),
    GoalCase(
      "PPP", "the host is outside the permitted subtree: RFC 5280 section 4.2.1.10",
      """
      authorities:
        Root A: { trust: system }
        Issuing: { issuer: Root A, pathLength: 0 }
        Sub: { issuer: Root A, nameConstraints: { permitted: [company.example] } }
      certificates:
        api: { issuer: Issuing, names: [api.example] }
        www: { issuer: Sub, names: [www.company.example] }
      servers:
        api.example: { presents: [api, Issuing] }
        www.company.example: { presents: [www, Sub] }
      request: https://api.example/
      network: [eavesdrop, { leak: Sub.key, after: 1 day }]
      """),
    GoalCase(
      "PPL", "another host is excluded: RFC 5280 section 4.2.1.10",
      """
      authorities:
        Root A: { trust: system }
        Issuing: { issuer: Root A, pathLength: 0 }
        Sub: { issuer: Root A, nameConstraints: { excluded: [other.example] } }
      certificates:
        api: { issuer: Issuing, names: [api.example] }
        www: { issuer: Sub, names: [www.company.example] }
      servers:
        api.example: { presents: [api, Issuing] }
        www.company.example: { presents: [www, Sub] }
      request: https://api.example/
      network: [eavesdrop, { leak: Sub.key, after: 1 day }]
      """),
    GoalCase(
      "PPL", "permitted names of one kind leave other kinds free: RFC 5280 section 4.2.1.10",
      """
      authorities:
        Root A: { trust: system }
        Issuing: { issuer: Root A, pathLength: 0 }
        Sub: { issuer: Root A, nameConstraints: { permitted: [company.example] } }
      certificates:
        api: { issuer: Issuing, names: [192.0.2.1] }
        www: { issuer: Sub, names: [www.company.example] }
      servers:
        192.0.2.1: { presents: [api, Issuing] }
        www.company.example: { presents: [www, Sub] }
      request: https://192.0.2.1/
      client: { os: iOS 8 }
      network: [eavesdrop, { leak: Sub.key, after: 1 day }]
      """),
    GoalCase(
      "PPP", "the address is outside the permitted subtree: RFC 5280 section 4.2.1.10",
      """
      authorities:
        Root A: { trust: system }
        Issuing: { issuer: Root A, pathLength: 0 }
        Sub: { issuer: Root A, nameConstraints: { permitted: [198.51.100.0/24] } }
      certificates:
        api: { issuer: Issuing, names: [192.0.2.1] }
        www: { issuer: Sub, names: [198.51.100.7] }
      servers:
        192.0.2.1: { presents: [api, Issuing] }
        198.51.100.7: { presents: [www, Sub] }
      request: https://192.0.2.1/
      client: { os: iOS 8 }
      network: [eavesdrop, { leak: Sub.key, after: 1 day }]
      """),
    GoalCase(
      "PPL", "the client's certificate names the host and may serve: RFC 5280 section 4.2.1.12",
      """
      authorities: { Root A: { trust: system }, Issuing: { issuer: Root A, pathLength: 0 } }
      certificates: { api: { issuer: Issuing, names: [api.example] }, alice: { issuer: Issuing, names: [api.example], \
      extendedKeyUsage: [clientAuth, serverAuth] } }
      server: { presents: [api, Issuing], clientAuthentication: required, clientAuthorities: [Issuing] }
      client: { identity: alice }
      network: [eavesdrop, { leak: alice.key, after: 1 day }]
      """),
    GoalCase(
      "PPP", "the certificate is only for clients: RFC 5280 section 4.2.1.12",
      """
      authorities: { Root A: { trust: system }, Issuing: { issuer: Root A, pathLength: 0 } }
      certificates: { api: { issuer: Issuing, names: [api.example] }, alice: { issuer: Issuing, names: [api.example], \
      extendedKeyUsage: [clientAuth] } }
      server: { presents: [api, Issuing], clientAuthentication: required, clientAuthorities: [Issuing] }
      client: { identity: alice }
      network: [eavesdrop, { leak: alice.key, after: 1 day }]
      """),
    GoalCase(
      "PPP", "the intermediate is the anchor, so the root is not used: RFC 5280 section 6.1.1 (d)",
      """
      authorities:
        Root A: { trust: system }
        Issuing: { issuer: Root A, pathLength: 0 }
      certificates: { api: { issuer: Issuing, names: [api.example] } }
      server: { presents: [api, Issuing] }
      client: { os: iOS 8, serverTrust: { anchors: [Issuing] } }
      network: [eavesdrop, { leak: Root A.key, after: 1 day }]
      """),
    GoalCase(
      "PPP", "a CA with pathLen 0 has no CA below it: RFC 5280 section 4.2.1.9",
      """
      authorities:
        Root A: { trust: system }
        Issuing: { issuer: Root A, pathLength: 0 }
        Evil: { issuer: Issuing }
      certificates: { api: { issuer: Issuing, names: [api.example] } }
      server: { presents: [api, Issuing] }
      attackers: { certificates: [Evil] }
      """),
    GoalCase(
      "PPS", "a pinned CA certifies the attacker as a CA: RFC 5280 section 4.2.1.9",
      """
      authorities:
        Root A: { trust: system }
        Issuing: { issuer: Root A }
        Evil: { issuer: Issuing }
      certificates: { api: { issuer: Issuing, names: [api.example] } }
      server: { presents: [api, Issuing] }
      attackers: { certificates: [Evil] }
      client: { serverTrust: { pins: [Issuing] } }
      """),
    GoalCase(
      "PPP", "the client does not trust the second root: RFC 5280 section 6.1.1 (d)",
      """
      authorities:
        Root A: { trust: system }
        Root B: { trust: none }
        Issuing: { issuer: Root A, pathLength: 0 }
        Cross: { issuer: Root B, crossSigns: Issuing }
      certificates: { api: { issuer: Issuing, names: [api.example] } }
      servers: { api.example: { presents: [api, Issuing, Cross] } }
      request: https://api.example/
      network: [eavesdrop, { leak: Root B.key, after: 1 day }]
      """),
    GoalCase(
      "PPL", "any chain to an anchor is valid: RFC 5280 section 3.2",
      """
      authorities:
        Root A: { trust: system }
        Root B: { trust: system }
        Issuing: { issuer: Root A, pathLength: 0 }
        Cross: { issuer: Root B, crossSigns: Issuing }
      certificates: { api: { issuer: Issuing, names: [api.example] } }
      servers: { api.example: { presents: [api, Issuing, Cross] } }
      request: https://api.example/
      network: [eavesdrop, { leak: Root B.key, after: 1 day }]
      """),
    GoalCase(
      "PPP", "the system distrusts the root on the day of the leak",
      """
      authorities:
        Root A: { trust: system }
        Issuing: { issuer: Root A, pathLength: 0 }
        Root B: { trust: system }
      certificates:
        api: { issuer: Issuing, names: [api.example] }
        evil: { issuer: Root B, names: [evil.example] }
      server: { presents: [api, Issuing] }
      attackers: { certificates: [evil] }
      timeline:
        - date: 2016-12-01
          changes: { authorities."Root B".trust: distrusted }
          expect: { verdict: accepted }
      network: [eavesdrop, { leak: Root B.key, after: 30 days }]
      """),
    GoalCase(
      "PPP", "the app pins on the day of the leak",
      """
      authorities:
        Root A: { trust: system }
        Issuing: { issuer: Root A, pathLength: 0 }
        Root B: { trust: system }
      certificates:
        api: { issuer: Issuing, names: [api.example] }
        evil: { issuer: Root B, names: [evil.example] }
      server: { presents: [api, Issuing] }
      attackers: { certificates: [evil] }
      timeline:
        - date: 2016-11-15
          changes: { client.serverTrust: { pins: [Issuing] } }
          expect: { verdict: accepted }
      network: [eavesdrop, { leak: Root B.key, after: 30 days }]
      """),
    GoalCase(
      "PPL", "the app pins two weeks after the leak",
      """
      authorities:
        Root A: { trust: system }
        Issuing: { issuer: Root A, pathLength: 0 }
        Root B: { trust: system }
      certificates:
        api: { issuer: Issuing, names: [api.example] }
        evil: { issuer: Root B, names: [evil.example] }
      server: { presents: [api, Issuing] }
      attackers: { certificates: [evil] }
      timeline:
        - date: 2016-12-15
          changes: { client.serverTrust: { pins: [Issuing] } }
          expect: { verdict: accepted }
      network: [eavesdrop, { leak: Root B.key, after: 30 days }]
      """),
    GoalCase(
      "PPS", "the key leaked before the second date",
      """
      timeline:
        - date: 2016-12-15
          expect: { verdict: accepted }
      network: [eavesdrop, { leak: api.key, after: 30 days }]
      """),
  ]
}
