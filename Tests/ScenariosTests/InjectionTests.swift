import Explanation
import TLS
import Testing
import URLLoading

@testable import Scenarios
@testable import Simulator

@Suite("Messages that an attacker forges")
struct InjectionTests {
  // RFC 5246 section 6.2.1: the length of a record is a uint16.
  @Test("an injected message that no record can hold is an error", arguments: [(65_535, 0), (65_536, 1)])
  func size(count: Int, errors: Int) throws {
    let text = String(repeating: "a", count: count)
    let scenario = "network: [{ inject: ApplicationData, after: ServerHello, from: server, text: \(text) }]"
    #expect(try Lab.diagnostics(scenario).filter { $0.severity == .error }.count == errors)
  }

  private static let tls13 =
    """
    clock: 2026-01-01
    client: { os: iOS 26 }
    certificates: { api: { issuer: Root A, names: [api.example], notBefore: 2025-12-01, days: 90, timestamps: 3 } }

    """
    + "authorities: { Root A: { trust: system, notBefore: 2020-01-01 } }\n"
    + "server: { presents: [api], versions: [TLSv1.3], cipherSuites: [TLS_AES_128_GCM_SHA256] }\n"

  private static func verdict(_ text: String, _ faults: [Fault] = []) throws -> Verdict {
    let mutant = Mutant("test", [.client], "", faults, source: "")
    let scenario = try #require(try Lab.read(text).scenario(named: Scenario.mainCase))
    return try ScenarioLibrary.player(keys: Lab.keys, mutant: mutant).play(scenario).outcome.verdict
  }

  private static func injected(_ message: String, after: String = "ServerHello") -> String {
    "network: [{ inject: \(message), after: \(after), from: server }]"
  }

  @Test("a client of TLS 1.2 refuses each forged handshake message", arguments: HandshakeType.known)
  func tls12(_ type: HandshakeType) throws {
    let verdict = try Self.verdict(Self.injected(type.description))
    switch type {
    case .helloRequest: #expect(verdict.word == .accepted)
    // The forged message is in place of the server's own, which is then unexpected.
    case .certificate: #expect(verdict.because.map(\.id) == ["handshake.illegal-parameter"])
    default: #expect(verdict.because.map(\.id) == ["handshake.unexpected-message"])
    }
  }

  @Test("a client of TLS 1.3 refuses each unprotected message after ServerHello", arguments: HandshakeType.known)
  func tls13(_ type: HandshakeType) throws {
    let verdict = try Self.verdict(Self.tls13 + Self.injected(type.description))
    #expect(verdict.because.map(\.id) == ["record.unexpected-type"])
  }

  @Test("without a forged message, the connection is accepted")
  func correct() throws {
    #expect(try Self.verdict("seed: 2").word == .accepted)
    #expect(try Self.verdict(Self.tls13).word == .accepted)
  }

  @Test("a client refuses an early ChangeCipherSpec (CVE-2014-0224)")
  func earlyChangeCipherSpec() throws {
    let verdict = try Self.verdict(Self.injected("ChangeCipherSpec"))
    #expect(verdict.because.map(\.id) == ["handshake.unexpected-message"])
  }

  // The first message already ends the handshake (RFC 5246 section 7.4), before the second is forged.
  @Test("the client reacts to a forged message before the next one is forged")
  func reaction() throws {
    let second = "{ inject: Alert, after: ServerHello, from: server, text: internal_error }"
    let text = Self.injected("ChangeCipherSpec").dropLast() + ", \(second)]"
    let steps = try Lab.play(String(text)).simulation.trace.steps
    let forged = steps.indices.filter { steps[$0].interference?.kind == .injected }
    let refused = try #require(steps.firstIndex { $0.findings.contains { $0.rule == .unexpectedMessage } })
    #expect(forged.count == 2 && forged[0] < refused && refused < forged[1])
  }

  private static let skipping = """
    network:
      - { inject: Finished, after: ServerKeyExchange, from: server, takesOver: true }
      - { inject: ApplicationData, after: ServerKeyExchange, from: server, text: "RESPONSE" }
    """.replacing("RESPONSE", with: "HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nhi")

  @Test("only a client with the bug accepts a forged Finished without keys (SKIP-TLS)")
  func skip() throws {
    let bug: Fault = .tls { $0.accepts = { $1.kind == .handshake(.finished) ? .skips : .none } }
    #expect(try Self.verdict(Self.skipping).because.map(\.id) == ["handshake.unexpected-message"])
    let verdict = try Self.verdict(Self.skipping, [bug])
    #expect(verdict.word == .accepted, "\(verdict.because.map(\.id))")
    let other = Self.skipping.replacing("Finished,", with: "Finished, body: \"000102030405060708090a0b\",")
    #expect(try Self.verdict(other, [bug]).because.map(\.id) == ["handshake.finished-mismatch"])
  }

  @Test("every forged handshake message can be decoded in TLS 1.2 or TLS 1.3", arguments: HandshakeType.known)
  func shortest(_ type: HandshakeType) throws {
    let body = type == .finished ? [UInt8](repeating: 0, count: 12) : Injection.shortest(type)
    let bytes = [type.onWire.rawValue, 0, 0, UInt8(body.count)] + body
    let forms = try [
      Negotiated(version: .tls12, suite: #require(CipherSuite(rawValue: 0xc02f).registration)),
      Negotiated(version: .tls13, suite: #require(CipherSuite.aes128GCMSHA256.registration)),
    ]
    let read = forms.compactMap { try? HandshakeMessage(decoding: bytes, under: $0) }
    #expect(read.contains { if case .unknown = $0.body { false } else { $0.type == type } })
  }

  @Test("a forged message arrives before or after a message, in the order of the file")
  func order() throws {
    let result = try Lab.play(
      """
      network:
        - { inject: HelloRequest, before: ServerHello, from: server }
        - { inject: Alert, after: ServerHello, from: server, text: user_canceled }
        - { inject: HelloRequest, after: ServerHello, from: server }
      """)
    let steps = result.simulation.trace.steps.filter { $0.interference?.kind == .injected }
    #expect(steps.map(\.interference?.message.description) == ["HelloRequest", "Alert", "HelloRequest"])
    #expect(result.outcome.verdict.word == .accepted)
    for base in ["", Self.tls13] {
      let alert = "network: [{ inject: Alert, before: ServerHello, from: server, text: handshake_failure }]"
      #expect(try Self.verdict(base + alert).because.map(\.id) == ["handshake.fatal-alert"])
    }
  }

  static let texts = [
    BadText("a text", "network: [{ inject: Finished, after: ServerHello, text: ab }]", 1, 51, "'text'", "body"),
    BadText(
      "a body", "network: [{ inject: Alert, after: ServerHello, body: ab, text: internal_error }]", 1, 48, "'body'",
      "text"),
    BadText("no alert", "network: [{ inject: Alert, after: ServerHello }]", 1, 11, "'text'", "internal_error"),
    BadText("no place", "network: [{ inject: Finished }]", 1, 11, "'before'", "after"),
    BadText(
      "two places", "network: [{ inject: Finished, after: ServerHello, before: Certificate }]", 1, 11, "'before'"),
    BadText("half a byte", "network: [{ inject: Finished, after: ServerHello, body: abc }]", 1, 57, "'abc'"),
    BadText("no such message", "network: [{ inject: Finish, after: ServerHello }]", 1, 21, "'Finish'", "Finished"),
  ]

  @Test("an error in these words has its place", arguments: texts)
  func told(_ text: BadText) throws { try text.isTold() }
}
