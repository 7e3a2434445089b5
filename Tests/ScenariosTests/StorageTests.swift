import Explanation
import Testing

@testable import Scenarios
@testable import Simulator

@Suite("The credential storage of one app over several loads")
struct StorageTests {
  private func play(_ third: String, _ persistence: String = "session") throws -> CaseResult {
    try Lab.play(
      """
      server:
        authentication: { realm: mobile, users: { alice: secret } }
        content: { GET /mail/a: a, GET /mail/b: b, GET /news: c }
      client:
        loader: NSURLConnection
        delegate:
          methods: [willSendRequest]
          rules:
            - when: { method: Basic, failures: 0 }
              answer: { useCredential: { user: alice, password: secret, persistence: \(persistence) } }
            - answer: performDefaultHandling
      connections:
        - { name: first, request: "https://api.example/mail/a" }
        - { name: second, request: "https://api.example/mail/b" }
        - { name: third, request: "https://api.example/news", client: { \(third) } }
      expect: { verdict: accepted }
      """)
  }

  private func third(_ result: CaseResult) throws -> Outcome { try #require(result.connections.last) }

  @Test("a credential of the first load is proposed to the third, outside the known directory")
  func proposed() throws {
    let asked = try third(try play("loader: NSURLConnection"))
    #expect(asked.challenges.last?.challenge.proposedCredential != nil)
    #expect(asked.verdict.word == .accepted)
    // Without a delegate the default is to use the proposed credential.
    #expect(try third(try play("delegate: null")).verdict.word == .accepted)
    let kept = try third(try play("delegate: null", "none"))
    #expect(kept.verdict.because.map(\.id) == ["http-auth.unauthorized"])
  }

  @Test("after a relaunch of the app, only credentials in the keychain remain")
  func relaunched() throws {
    let session = try third(try play("delegate: null, relaunched: true"))
    #expect(session.verdict.because.map(\.id) == ["http-auth.unauthorized"])
    #expect(try third(try play("delegate: null, relaunched: true", "permanent")).verdict.word == .accepted)
  }
}
