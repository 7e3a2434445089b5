/// Cases of goals, worked out from the standards before the program was run.
extension GoalCase {
  /// Apps and the network.
  static let appsCases: [GoalCase] = [
    GoalCase(
      "PPP", "a delegate does not overrule App Transport Security",
      """
      client: { os: iOS 10, serverTrust: accept-all, infoPlist: {} }
      """),
    GoalCase(
      "PPS", "App Transport Security is off",
      """
      client: { os: iOS 10, serverTrust: accept-all, infoPlist: { NSAllowsArbitraryLoads: true } }
      """),
    GoalCase(
      "PPP", "an entry for the host turns it on again",
      """
      client: { os: iOS 10, serverTrust: accept-all, infoPlist: { NSAllowsArbitraryLoads: true, \
      NSExceptionDomains: { api.example: {} } } }
      """),
    GoalCase(
      "PPS", "the hop of the redirect has an exception",
      """
      certificates:
        api: { issuer: Issuing, names: [api.example] }
        other: { issuer: Issuing, names: [other.example] }
      servers: { api.example: { presents: [api, Issuing], \
      content: { GET /: { redirect: "https://other.example/" } } }, other.example: { presents: [other, Issuing] } }
      request: https://api.example/
      client: { serverTrust: accept-all, \
      infoPlist: { NSExceptionDomains: { other.example: { NSExceptionAllowsInsecureHTTPLoads: true } } } }
      """),
    GoalCase(
      "PPP", "the exception is for another host",
      """
      client: { os: iOS 8, delegate: { rules: [{ when: { method: ServerTrust, host: other.example }, \
      answer: useCredential }, { answer: performDefaultHandling }] } }
      """),
    GoalCase(
      "PPS", "RecoverableTrustFailure includes an unknown root",
      """
      client: { os: iOS 8, delegate: { rules: [{ when: { method: ServerTrust }, if: { results: [Proceed, Unspecified, \
      RecoverableTrustFailure] }, answer: useCredential, else: cancel }] } }
      """),
    GoalCase(
      "PPL", "pins of a domain leave its subdomains free without NSIncludesSubdomains",
      """
      authorities:
        Root A: { trust: system }
        Issuing: { issuer: Root A, pathLength: 0 }
        Root B: { trust: system }
      certificates:
        api: { issuer: Issuing, names: [www.api.example] }
        evil: { issuer: Root B, names: [evil.example] }
      server: { host: www.api.example, presents: [api, Issuing] }
      attackers: { certificates: [evil] }
      request: https://www.api.example/
      network: [eavesdrop, { leak: Root B.key, after: 1 day }]
      client: { os: iOS 14, \
      i\
      n\
      f\
      o\
      Plist: { NSPinnedDomains: { api.example: { NSPinnedCAIdentities: [{ SPKI-SHA256-BASE64: spki(Issuing) }] } } } }
      """),
    GoalCase(
      "PPS", "the pinned CA certifies any attacker: RFC 9525 section 6",
      """
      client: { os: iOS 8, serverTrust: { library: AFNetworking 3.1, pinning: public-key, pins: [Issuing], \
      validatesDomainName: false } }
      """),
    GoalCase(
      "PPP", "the attacker's certificate has another name: RFC 9525 section 6.3",
      """
      client: { os: iOS 8, serverTrust: { library: AFNetworking 3.1, pinning: public-key, pins: [Issuing] } }
      """),
    GoalCase(
      "PPS", "the pinned CA certifies any attacker: RFC 9525 section 6",
      """
      client: { os: iOS 8, serverTrust: { library: Alamofire 5.9, evaluators: { api.example: { kind: public-keys, \
      pins: [Issuing], validateHost: false } } } }
      """),
    GoalCase(
      "PPL", "a report does not stop an attacker",
      """
      certificates:
        api: { issuer: Issuing, names: [api.example] }
        backup: { issuer: Issuing, names: [backup.example] }
      servers: { api.example: { presents: [api, Issuing] }, backup.example: { presents: [backup, Issuing] } }
      request: https://api.example/
      client: { os: iOS 8, serverTrust: { library: TrustKit 3.0, \
      pinnedDomains: { api.example: { publicKeyHashes: [api, backup.key], enforcePinning: false } } } }
      network: [eavesdrop, { leak: Root A.key, after: 1 day }]
      """),
    GoalCase(
      "PPS", "the app requires no pin under a root of the user",
      """
      authorities:
        Root A: { trust: system }
        Issuing: { issuer: Root A, pathLength: 0 }
        Root B: { trust: user }
      certificates:
        api: { issuer: Issuing, names: [api.example] }
        evil: { issuer: Root B, names: [api.example] }
      server: { presents: [api, Issuing] }
      attackers: { certificates: [evil] }
      client: { serverTrust: { pins: [Issuing], exemptsUserAnchors: true } }
      """),
    GoalCase(
      "PPP", "the client requires SCTs: RFC 6962 section 5.2",
      """
      clock: 2020-03-01
      authorities:
        Root A: { trust: system }
        Issuing: { issuer: Root A, pathLength: 0 }
        Root B: { trust: system }
      certificates:
        api: { issuer: Issuing, names: [api.example], timestamps: 3 }
        evil: { issuer: Root B, timestamps: 0, names: [api.example] }
      server: { presents: [api, Issuing] }
      client: { os: iOS 13 }
      attackers: { certificates: [evil] }
      """),
    GoalCase(
      "PPL", "an attacker has its certificate logged: RFC 6962 section 3.1",
      """
      clock: 2020-03-01
      authorities:
        Root A: { trust: system }
        Issuing: { issuer: Root A, pathLength: 0 }
        Root B: { trust: system }
      certificates:
        api: { issuer: Issuing, names: [api.example], timestamps: 3 }
        evil: { issuer: Root B, timestamps: 3, names: [evil.example] }
      server: { presents: [api, Issuing] }
      client: { os: iOS 13 }
      network: [eavesdrop, { leak: Root B.key, after: 1 day }]
      attackers: { certificates: [evil] }
      """),
    GoalCase(
      "PPL", "the certificate of another server names the host: RFC 9525 section 6.3",
      """
      certificates:
        api: { issuer: Issuing, names: [api.example] }
        other: { issuer: Issuing, names: [other.example, api.example] }
      servers: { api.example: { presents: [api, Issuing] }, other.example: { presents: [other, Issuing] } }
      request: https://api.example/
      network: [eavesdrop, { leak: other.key, after: 1 day }]
      """),
    GoalCase(
      "PPS", "OS X 10.10 has no App Transport Security",
      """
      client: { os: macOS 10.10, serverTrust: accept-all }
      """),
    GoalCase(
      "PPP", "the client knows the host: RFC 6797 section 8.3",
      """
      request: http://api.example/
      client: { os: iOS 8, hsts: [api.example] }
      """),
    GoalCase(
      "PSP", "the body ends with the connection: RFC 9112 section 9.8",
      """
      server: { content: { GET /: { body: [half, " and half"], framing: close } } }
      client: { mutant: incomplete-close }
      """),
    GoalCase(
      "DDD", "the client refuses the interceptor: RFC 5280 section 6.1",
      """
      authorities: { Root A: { trust: system }, Issuing: { issuer: Root A, pathLength: 0 }, Rogue: { trust: none } }
      certificates: { api: { issuer: Issuing, names: [api.example] }, evil: { issuer: Rogue, names: [api.example] } }
      server: { presents: [api, Issuing] }
      network: [{ intercept: { presents: [evil] } }]
      """),
  ]
}
