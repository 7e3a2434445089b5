import Scenarios
import Simulator
import Testing

@Suite("Settings without effect are reported")
struct IdleSettingTests {
  @Test(
    "a case that changes nothing is an error, with the way to remove an entry",
    arguments: [
      BadText(
        "the same word", "client: { os: iOS 9 }\ncases:\n  - { name: b, with: { client.os: iOS 9 } }", 3, 24,
        "the case 'b' changes nothing", "client.os: null"),
      BadText(
        "an empty map",
        "client: { infoPlist: { NSAllowsArbitraryLoads: true } }\n"
          + "cases:\n  - { name: b, with: { client.infoPlist: {}, client.os: iOS 9 } }", 3, 24,
        "", "client.infoPlist: null"),
    ])
  func idleCase(_ text: BadText) throws { try text.isTold() }

  @Test("while a file is edited, a case that changes nothing is a warning")
  func idleCaseWhileEditing() throws {
    var reader = try ScenarioLibrary.curriculum().reader
    reader.isEditing = true
    let text = "client: { os: iOS 9 }\ncases:\n  - { name: b, with: { client.os: iOS 9 } }"
    let file = try reader.read(Array(text.utf8), path: "test.yaml")
    #expect(file.cases.map(\.caseName) == [Scenario.mainCase, "b"])
    #expect(file.warnings.map(\.mark?.line) == [3])
  }

  @Test("a case that changes one of two words, or removes an entry, is no error")
  func changingCase() throws {
    let file = "client: { os: iOS 9, cookie: id=7 }\ncases:\n  - { name: b, with: "
    for row in [
      "{ client.os: iOS 9, client.cookie: id=8 }", "{ client.cookie: null }",
      "{ client.infoPlist: {}, clock: 2017-01-01 }",
    ] {
      #expect(try Lab.diagnostics("\(file)\(row) }").isEmpty, "\(row)")
    }
  }

  @Test("deciding rules, or a layer, imply a refusal if no verdict is given")
  func impliedRefusal() throws {
    let expired =
      "clock: 2030-01-01\ncertificates: { api: { issuer: Issuing, names: [api.example], notBefore: 2016-01-01 } }\n"
    #expect(try Lab.read("expect: { because: [chain.expired] }").cases.first?.expectation?.expectedVerdict == .refused)
    #expect(try Lab.read("expect: { layer: chain }").cases.first?.expectation?.expectedVerdict == .refused)
    #expect(try Lab.read("expect: { content: hello }").cases.first?.expectation?.expectedVerdict == .accepted)
    #expect(try Lab.play(expired + "expect: { because: [chain.expired] }").judgement.result == .passed)
    #expect(try Lab.play("expect: { because: [chain.expired] }").judgement.result == .failed)
  }

  private func warnings(_ text: String) throws -> [Diagnostic] { try Lab.read(text).warnings }

  @Test(
    "a setting whose counterpart is missing gets a warning at its place",
    arguments: [
      ("client: { sessions: resumable }", "server: { sessions: resumable }\nclient: { sessions: resumable }"),
      ("server: { sessions: tickets }", "server: { sessions: tickets }\nclient: { sessions: tickets }"),
      ("server: { cookie: true }", "server: { cookie: true, versions: [TLSv1.3] }"),
      ("server: { padding: 9 }", "server: { padding: 9, versions: [TLSv1.3] }"),
      ("server: { keyUpdate: own }", "server: { keyUpdate: own, versions: [TLSv1.3] }"),
      ("server: { certificateCompression: zlib }", "server: { certificateCompression: zlib, versions: [TLSv1.3] }"),
      (
        "client: { psk: { key: 000102030405060708090a0b0c0d0e0f }, os: iOS 13 }",
        "client: { psk: { key: 000102030405060708090a0b0c0d0e0f }, os: iOS 13 }\n"
          + "server: { psk: { key: 000102030405060708090a0b0c0d0e0f }, versions: [TLSv1.3] }"
      ),
      (
        "server: { earlyData: {}, versions: [TLSv1.3] }\nclient: { earlyData: safe, os: iOS 13 }",
        "server: { earlyData: {}, versions: [TLSv1.3], sessions: tickets }\n"
          + "client: { sessions: tickets, earlyData: safe, os: iOS 13 }"
      ),
      (
        "server: { earlyData: {}, versions: [TLSv1.3], sessions: tickets }\nclient: { sessions: tickets }",
        "server: { earlyData: {}, versions: [TLSv1.3], sessions: tickets }\n"
          + "client: { sessions: tickets, earlyData: safe, os: iOS 13 }"
      ),
      (
        "client: { sessions: tickets, earlyData: safe, os: iOS 13 }\nserver: { sessions: tickets, versions: [TLSv1.3] }",
        "client: { sessions: tickets, earlyData: safe, os: iOS 13 }\n"
          + "server: { earlyData: {}, versions: [TLSv1.3], sessions: tickets }"
      ),
      (
        "client: { os: iOS 13, random: { premaster_secret: 8 bits } }\nserver: { versions: [TLSv1.3] }",
        "client: { os: iOS 13, random: { client_ecdh_private: 8 bits } }\nserver: { versions: [TLSv1.3] }"
      ),
      ("client: { os: iOS 12, padding: 9 }", "client: { os: iOS 13, padding: 9 }"),
      ("client: { os: iOS 12, keyUpdate: own }", "client: { os: iOS 13, keyUpdate: own }"),
      ("client: { os: iOS 12, postHandshakeAuth: true }", "client: { os: iOS 13, postHandshakeAuth: true }"),
      (
        "server: { dhGroup: ffdhe3072 }",
        "server: { dhGroup: ffdhe3072, cipherSuites: [TLS_DHE_RSA_WITH_AES_128_CBC_SHA] }\nclient: { os: iOS 8 }"
      ),
      (
        "server: { versions: [TLSv1.3], cipherSuites: [TLS_RSA_WITH_AES_128_CBC_SHA256] }",
        "server: { versions: [TLSv1.3, TLSv1.2], cipherSuites: [TLS_RSA_WITH_AES_128_CBC_SHA256] }"
      ),
      (
        "server: { cipherSuites: [TLS_AES_128_GCM_SHA256] }",
        "server: { cipherSuites: [TLS_AES_128_GCM_SHA256] }\n"
          + "cases: [{ name: new, with: { server.versions: [TLSv1.3] } }]"
      ),
      (
        "servers: { api.example: { versions: [TLSv1.1], cipherSuites: [TLS_AES_128_GCM_SHA256] } }",
        "servers: { api.example: { versions: [TLSv1.3], cipherSuites: [TLS_AES_128_GCM_SHA256] } }"
      ),
      (
        "client: { loader: UIWebView, delegate: accept-all }", "client: { loader: WKWebView, delegate: accept-all }"
      ),
    ])
  func idleSetting(_ idle: String, _ effective: String) throws {
    let found = try warnings(idle)
    #expect(found.map(\.mark?.line) == [1], "\(idle): \(found)")
    #expect(try warnings(effective).isEmpty, "\(effective)")
  }

  @Test("a certificate that expires before the first load gets a warning with its dates")
  func shortValidity() throws {
    func text(_ words: String) -> String {
      "certificates: { api: { issuer: Issuing, names: [api.example], \(words) } }"
    }
    let found = try warnings(text("days: 30")).filter { $0.hint.contains("notBefore: 2016-11-01") }
    #expect(found.count == 1)
    for valid in ["days: 31", "days: 30, notBefore: 2016-10-31"] {
      #expect(try warnings(text(valid)).allSatisfy { !$0.hint.contains("notBefore: ") }, "\(valid)")
    }
  }

  @Test("a leaked key uses its certificate, because an attacker can present it")
  func leakedKey() throws {
    let text =
      "certificates: { api: { issuer: Issuing, names: [api.example] }, old: { issuer: Issuing, names: [api.example] } }\n"
    #expect(try Lab.diagnostics(text + "network: [eavesdrop, { leak: old.key }]").isEmpty)
    #expect(try Lab.diagnostics(text).contains { $0.message.contains("'old'") })
  }

  @Test("a known host is a host name, not a URL")
  func knownHost() throws {
    let wrong = try Lab.diagnostics("client: { hsts: [\"https://api.example/\"] }")
    #expect(wrong.contains { $0.hint == "write hsts: [api.example]" })
    #expect(try Lab.diagnostics("client: { hsts: [api.example] }").isEmpty)
  }
}
