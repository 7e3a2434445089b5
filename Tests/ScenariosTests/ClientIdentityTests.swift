import Explanation
import Oracles
import Simulator
import Testing
import URLLoading

@testable import Scenarios

@Suite("Scenario words for client authentication")
struct ClientIdentityTests {
  @Test(
    "an impossible setting is an error with its place and a fix",
    arguments: [
      ("server: { authentication: { schemes: [Basik] } }", 39, "'Basik'", "Basic"),
      ("server: { authentication: { digest: { algorithm: MD4 } } }", 50, "'MD4'", "MD5"),
      ("server: { authentication: { lockAfter: 0 } }", 40, "", ""),
      ("server: { authentication: { relm: a } }", 29, "'relm'", "realm"),
      ("server: { knownClients: [apj] }", 26, "'apj'", "api"),
      ("client: { identity: { passphrase: test } }", 21, "", "p12: NAME"),
      ("client: { identity: { p12: api, file: a.p12 } }", 21, "", "p12: NAME"),
      ("client: { identity: { p12: apj } }", 28, "'apj'", "api"),
      ("client: { identity: { p12: api, mac: md5 } }", 38, "'md5'", ""),
      ("client: { identity: { p12: api, encryption: pbes2 } }", 45, "'pbes2'", "pbes2-aes-256"),
      ("server: { content: { GET /: { pkcs12: apj } } }", 39, "'apj'", "api"),
      ("server: { content: { GET /: { passphrase: test } } }", 43, "passphrase … pkcs12", "pkcs12: NAME"),
      ("server: { content: { GET /: { pkcs12: api, redirect: /a } } }", 29, "", ""),
      ("client: { identity: { file: nowhere.p12 } }", 29, "'nowhere.p12'", ""),
    ])
  func mistakes(text: String, column: Int, message: String, hint: String) throws {
    let faults = try Lab.faults(text)
    let found = try #require(faults.first { $0.mark?.column == column && $0.shows(message, hint) }, "\(faults)")
    #expect(found.severity == .error)
  }

  private static let members = """
    authorities:
      Root A:  { trust: system }
      Issuing: { issuer: Root A, pathLength: 0 }
      Members: { key: rsa-2048 }
    certificates:
      api:   { issuer: Issuing, names: [api.example] }
      alice: { issuer: Members, extendedKeyUsage: [clientAuth] }
    server: { clientAuthentication: required, clientAuthorities: [Members] }

    """

  @Test("a list is the complete chain of the client, and a single name includes the issuers")
  func chain() throws {
    let text =
      Self.members.replacing("Members: { key: rsa-2048 }", with: "Members: {}\n  Club:    { issuer: Members }")
      .replacing("issuer: Members, ext", with: "issuer: Club, ext")
    func sent(_ identity: String) throws -> [String] {
      let steps = try Lab.play(text + "client: { identity: \(identity) }").simulation.trace.steps
      let names = steps.filter { $0.from == .client }.flatMap(\.values).map(\.id).filter { $0.kind == .certificate }
      return names.map(\.scope.owner)
    }
    #expect(try sent("alice") == ["alice", "Club"])
    #expect(try sent("[alice]") == ["alice"])
    #expect(try sent("[alice, Club]") == ["alice", "Club"])
  }

  @Test("an app's mistake with a file is a finding, and refuses no connection")
  func remarks() throws {
    let careless = "client: { identity: { p12: alice, passphrase: test, passphraseFrom: binary, retained: false } }"
    let account = try #require(try Lab.play(Self.members + careless).simulation.accounts.first)
    #expect(account.verdict.word == .accepted)
    let violated = account.findings.filter { $0.outcome == .violated }.map(\.rule)
    #expect(violated.contains(.passphraseInBinary) && violated.contains(.danglingIdentity))
    let careful = "client: { identity: { p12: alice, passphrase: test } }"
    let other = try #require(try Lab.play(Self.members + careful).simulation.accounts.first)
    #expect(!other.findings.contains { $0.rule.layer == .pkcs12 && $0.outcome == .violated })
  }

  @Test("without HSTS hosts, the run does not mention them")
  func strictHosts() throws {
    let none = try #require(try Lab.read("title: a").cases.first)
    #expect(!ClientDescription.section.sentences(on: none.connections[0].client).joined().contains("api.example"))
    let one = try #require(try Lab.read("client: { hsts: [api.example] }").cases.first)
    let sentences = ClientDescription.section.sentences(on: one.connections[0].client)
    #expect(sentences.contains { $0.shows("api.example … HTTPS") })
  }

  @Test("account locks last over connections and dates; a nonce is valid on its connection only")
  func accounts() throws {
    let text = """
      server: { authentication: { schemes: [Digest], realm: mobile, users: { alice: secret }, lockAfter: 2 } }
      requests: ["https://alice:1@api.example/", "https://alice:2@api.example/", "https://alice:secret@api.example/"]
      """
    let accounts = try Lab.play(text).simulation.accounts
    #expect(accounts.map(\.verdict.because) == [[.unauthorized], [.accountLocked], [.accountLocked]])
    #expect(accounts.last?.server.authenticator?.locked == ["alice"])
    #expect(accounts.last?.server.authenticator?.attempts == 3)
  }
}
