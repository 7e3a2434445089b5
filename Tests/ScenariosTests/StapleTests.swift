import Cryptography
import PKIX
import Scenarios
import Simulator
import TLS
import Testing

@Suite("Revocation and stapling in scenarios")
struct StapleTests {
  private static func play(_ changes: String) throws -> CaseResult {
    try Lab.play(
      """
      authorities:
        Root A:  { trust: system }
        Issuing: { issuer: Root A, pathLength: 0 }
      certificates: { api: { issuer: Issuing, names: [api.example] } }
      server: { presents: [api, Issuing] }
      expect: { verdict: accepted }
      cases: [{ name: changed, with: { \(changes) } }]
      """, "changed")
  }

  private static func because(_ changes: String) throws -> [String] {
    try play(changes).outcome.verdict.because.map(\.id)
  }

  static let texts = [
    BadText(
      "an unknown response", "server: { staple: god }", 1, 19, "'god'", "'good'"),
    BadText(
      "an unknown signer", "server: { staple: { signer: Isuing } }", 1, 29, "'Isuing'",
      "'Issuing'"),
    BadText("an invalid age", "server: { staple: { age: 3 } }", 1, 26, ""),
    BadText(
      "older responses of no responder", "network: [{ outdate: 5 days }]", 1, 10, "",
      "responder"),
  ]

  @Test("an error in the words of revocation has its place and the nearest word", arguments: texts)
  func told(_ text: BadText) throws { try text.isTold() }

  @Test("the response travels between Certificate and the key exchange, and is about the certificate")
  func message() throws {
    let simulation = try Self.play("server.staple: current").simulation
    let titles = simulation.trace.steps.compactMap(\.message?.description)
    let index = try #require(titles.firstIndex(of: "CertificateStatus"))
    #expect(titles[index - 1] == "Certificate" && titles[index + 1] == "ServerKeyExchange")
    let step = try #require(simulation.trace.steps.first { $0.message == .handshake(.certificateStatus) })
    // The header of a record, of a handshake message, then type and length: RFC 6066 section 8.
    #expect(step.bytes[5] == 22 && step.bytes[9] == 1)
    let answer = try OCSPResponse(der: Array(step.bytes.dropFirst(13)))
    let chain = simulation.accounts[0].client.evaluation?.path ?? []
    let single = try #require(answer.basic?.responses.first)
    #expect(single.certificate.identifies(chain[0], of: chain[1]) && single.status == .good)
    let acceptance = OCSPResponseValidation(answer, about: chain[0], of: chain[1], at: simulation.world.clock)
    #expect(acceptance.status == .good)
    #expect(try Self.play("seed: 2").simulation.trace.steps.allSatisfy { $0.message != .handshake(.certificateStatus) })
  }

  @Test("stapled revocation counts since iOS 10 and macOS 10.12; before, on request")
  func releases() throws {
    let revoked = "certificates.api.revoked: 2016-10-20, server.staple: current, client.os: "
    for os in ["iOS 10", "iOS 14", "macOS 10.12"] { #expect(try Self.because(revoked + os) == ["chain.revoked"]) }
    for os in ["iOS 9", "macOS 10.11"] {
      #expect(try Self.because(revoked + os) == [])
      #expect(try Self.because("\(revoked)\(os), client.revocation: soft-fail") == ["chain.revoked"])
    }
    // Clients before iOS 9 request no stapled response, so none is sent.
    #expect(try Self.because("certificates.api.revoked: 2016-10-20, server.staple: revoked, client.os: iOS 8") == [])
    #expect(try Self.because("server.staple: current") == [])
  }

  @Test("must-staple applies only if the client enables it and requests a staple")
  func mustStaple() throws {
    let certificate = "certificates.api.mustStaple: true"
    #expect(try Self.because(certificate) == [])
    let advised = try Self.play(certificate).outcome.findings.filter { $0.rule.id == "chain.must-staple" }
    #expect(advised.map(\.outcome) == [.violated] && advised.map(\.weight) == [.advises])
    #expect(try Self.because("\(certificate), client.mustStaple: true") == ["chain.must-staple"])
    #expect(try Self.because("\(certificate), client.mustStaple: true, server.staple: good") == [])
    #expect(try Self.because("\(certificate), client.mustStaple: true, server.staple: stale") == ["chain.must-staple"])
    // SEC_ERROR_OCSP_UNKNOWN_CERT, as in Mozilla's test_ocsp_stapling.js for a stapled response.
    let unknown = "\(certificate), client.mustStaple: true, server.staple: unknown"
    #expect(try Self.because(unknown) == ["chain.must-staple"])
    #expect(try Self.because("client.mustStaple: true") == [])
    #expect(try Self.because("\(certificate), client.mustStaple: true, client.os: iOS 8") == [])
  }

  @Test("a responder is queried unencrypted on its own connection if the staple is missing")
  func fetch() throws {
    let responder = "authorities.Issuing.responder: \"http://ocsp.ca.example/\", client.revocation: hard-fail"
    let result = try Self.play(responder)
    #expect(result.outcome.verdict.word == .accepted)
    let steps = result.simulation.trace.steps.filter(\.isFetch)
    #expect(
      steps.map(\.message) == [.httpRequest, .httpResponse] && steps.map { $0.to?.name } == ["Issuing", "client"])
    let request = String(decoding: steps[0].bytes, as: UTF8.self)
    let line = try #require(request.split(separator: "\r\n").first)
    #expect(line.hasPrefix("GET /") && line.hasSuffix(" HTTP/1.1"))
    let encoded = line.dropFirst(5).dropLast(9).replacing("%2B", with: "+").replacing("%2F", with: "/")
      .replacing("%3D", with: "=")
    let asked = try OCSPRequest(der: Base64.decode(String(encoded)))
    #expect(asked.nonce == nil && asked.certificates.map(\.hash) == [.sha1])
    #expect(try Self.play("\(responder), server.staple: good").simulation.trace.steps.allSatisfy { !$0.isFetch })
    let stale = try Self.play("\(responder), server.staple: stale")
    #expect(stale.outcome.verdict.word == .accepted && stale.simulation.trace.steps.contains(where: \.isFetch))
    let none = try Self.play("authorities.Issuing.responder: \"http://ocsp.ca.example/\"")
    #expect(none.simulation.trace.steps.allSatisfy { !$0.isFetch })
    let other = try Self.play(
      "authorities.Issuing.responder: \"http://ocsp.ca.example/path\", client.revocation: hard-fail")
    let asking = try #require(other.simulation.trace.steps.first { $0.isFetch })
    #expect(String(decoding: asking.bytes.prefix(12), as: UTF8.self) == "GET /path/MF")
    let long = "authorities.Issuing.responder: \"http://ocsp.ca.example/\(String(repeating: "a", count: 120))\""
    let posted = try Self.play("\(long), client.revocation: hard-fail").simulation.trace.steps.filter(\.isFetch)
    #expect(String(decoding: posted[0].bytes.prefix(6), as: UTF8.self) == "POST /")
    #expect(posted.count == 2)
  }
}
