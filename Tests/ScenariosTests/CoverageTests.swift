import Explanation
import Simulator
import TLS
import Testing

@testable import Scenarios

@Suite("Coverage")
struct CoverageTests {
  private static func coverage(
    _ texts: String..., statements: [(name: String, shownBy: [String])] = []
  ) throws -> Coverage {
    let files = try texts.enumerated().map { try Lab.read($0.element, path: "file\($0.offset).yaml") }
    return try Coverage(of: files, by: Lab.player, statements: statements, jobs: 2)
  }

  private static func example(_ kind: Coverage.Kind, _ name: String, in coverage: Coverage) throws -> String? {
    try #require(coverage.parts[kind]?.first { $0.name == name }).example
  }

  @Test("a rule is violated by one case and satisfied by another, and each names its first case")
  func rules() throws {
    let text = """
      certificates: { api: { issuer: Issuing, names: [api.example], break: client-auth-only } }
      expect: { because: [chain.extended-key-usage] }
      cases: [{ name: for servers, with: { certificates.api.break: null }, expect: { verdict: accepted } }]
      """
    let coverage = try Self.coverage(text, text)
    #expect(coverage.cases == 4)
    #expect(try Self.example(.violated, "chain.extended-key-usage", in: coverage) == "file0")
    #expect(try Self.example(.satisfied, "chain.extended-key-usage", in: coverage) == "file0/for servers")
    #expect(coverage.missing(.violated).contains { $0.name == "chain.expired" })
    #expect(!coverage.missing(.satisfied).contains { $0.name == "chain.expired" })
  }

  @Test("a server's checks of client certificates are rules of client-auth")
  func clientCertificates() throws {
    let coverage = try Self.coverage(MutationTests.clientVersion)
    #expect(try Self.example(.violated, "client-auth.version", in: coverage) == "file0")
    #expect(try Self.example(.violated, "chain.version", in: coverage) == nil)
    #expect(try Self.example(.transitions, "TLS 1.2, client: ClientHello, Certificate", in: coverage) == "file0")
  }

  @Test("alerts and transitions are those of the messages that the two ends send")
  func messages() throws {
    let coverage = try Self.coverage(
      "client: { os: iOS 8 }\nserver: { cipherSuites: [TLS_RSA_WITH_RC4_128_MD5] }\nclock: 2030-01-01T00:00:00Z",
      "client: { os: iOS 8 }")
    for message in ["start, ClientHello", "ClientKeyExchange, ChangeCipherSpec", "ChangeCipherSpec, Finished"] {
      #expect(try Self.example(.transitions, "TLS 1.2, client: \(message)", in: coverage) != nil)
    }
    #expect(try Self.example(.transitions, "TLS 1.2, server: Finished, HelloRequest", in: coverage) == nil)
    #expect(try Self.example(.transitions, "TLS 1.3, client: start, ClientHello", in: coverage) == nil)
    #expect(try Self.example(.alerts, "close_notify", in: coverage) != nil)
    #expect(try Self.example(.alerts, "certificate_expired", in: coverage) == nil)
  }

  @Test("a key of App Transport Security counts for the systems that read it and that an app uses")
  func keys() throws {
    let coverage = try Self.coverage(
      """
      client: { os: iOS 12, infoPlist: { NSExceptionDomains: { api.example: { NSIncludesSubdomains: true } } } }
      """)
    #expect(try Self.example(.keys, "exception-domain.NSIncludesSubdomains, iOS 10", in: coverage) == "file0")
    #expect(try Self.example(.keys, "exception-domain.NSIncludesSubdomains, iOS 9", in: coverage) == nil)
    #expect(try Self.example(.keys, "global.NSAllowsArbitraryLoads, iOS 10", in: coverage) == nil)
    let names = try #require(coverage.parts[.keys]).map(\.name)
    #expect(!names.contains("global.NSAllowsLocalNetworking, iOS 9"))
    #expect(Set(names).count == names.count)
  }

  @Test("a statement is exercised by a scenario that shows it, if that scenario is played")
  func statements() throws {
    let coverage = try Self.coverage(
      "request: https://api.example/", statements: [("1. one", ["L1-01", "file0"]), ("2. two", ["L1-01"]), ("3.", [])])
    #expect(coverage.parts[.statements]?.map(\.example) == ["file0", nil, nil])
    #expect(coverage.missing(.statements).map(\.name) == ["2. two", "3."])
  }

  @Test("an error of the app is exercised by a refused load")
  func errors() throws {
    let coverage = try Self.coverage("request: http://api.example/\nexpect: { verdict: refused }")
    #expect(coverage.parts[.errors]?.filter { $0.example != nil }.count == 1)
  }

  @Test("each transition has a unique name, and is possible under some conditions of the figures")
  func transitions() {
    let names = MessageTransition.all.map(\.description)
    #expect(Set(names).count == names.count)
    #expect(names.contains("TLS 1.2, server: ServerHello, ChangeCipherSpec"))
    #expect(names.contains("TLS 1.3, client: Certificate, Finished"))
    let impossible = [
      "TLS 1.2, client: Certificate, Certificate", "TLS 1.3, client: ClientHello, CertificateVerify",
      "TLS 1.3, client: EndOfEarlyData, Certificate", "TLS 1.3, server: Certificate, Finished",
      "TLS 1.3, server: CertificateRequest, Finished",
    ]
    #expect(Set(names).isDisjoint(with: impossible))
  }

  @Test("a case that cannot be played is an error with its file")
  func unplayable() {
    #expect(throws: Diagnostics.self) {
      try Self.coverage("calculation: { given: { a: 2 }, steps: [{ inverse: a, of: 4 }] }")
    }
  }
}
