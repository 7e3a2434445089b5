import Explanation
import Oracles
import Testing
import URLLoading

@testable import Scenarios

@Suite("Delegates in scenarios") struct DelegateTests {
  private func complaint(_ client: String) -> String {
    do {
      _ = try Lab.read("client: \(client)\nexpect: { verdict: accepted }\n")
      return ""
    } catch let error as Diagnostics {
      return error.all.map { "\($0.mark?.line ?? 0):\($0.mark?.column ?? 0) \($0.message) | \($0.hint)" }.joined(
        separator: "\n")
    } catch { return "\(error)" }
  }

  @Test("every named delegate has a table that can be read")
  func presets() throws {
    for preset in DelegatePreset.all {
      let table = preset.description
      #expect(!table.rules.isEmpty, "\(preset.name)")
      for id in preset.remarks { #expect(RuleCatalogue.rule(id) != nil, "\(preset.name): \(id)") }
    }
    let dispatcher = try #require(DelegatePreset(named: "seed-003-dispatcher")).description
    #expect(dispatcher.methods == [.willSendRequest] && dispatcher.rules.count == 5)
    #expect(dispatcher.rules[4].answers == [.continueWithoutCredential])
    #expect(DelegatePreset(named: "seed-004")?.description.rules.first?.condition.failures == 0...4)
  }

  @Test(
    "a misspelt word in a delegate is an error with the nearest word",
    arguments: [
      ("{ delegate: accept-al }", "'accept-all'"),
      ("{ delegate: { rules: [{ answer: useCredentials }] } }", "'useCredential'"),
      ("{ delegate: { rules: [{ when: { method: ServerTrus }, answer: cancel }] } }", "'ServerTrust'"),
      ("{ delegate: { methods: [willSendRequests], rules: [{ answer: cancel }] } }", "'willSendRequest'"),
      ("{ delegate: { rules: [{ whn: {}, answer: cancel }] } }", "'when'"),
      ("{ delegate: { rules: [{ if: { results: [Procede] }, answer: cancel }] } }", "'Proceed'"),
      ("{ delegate: { rules: [{ when: { failures: { below: 0 } }, answer: cancel }] } }", "1 … 1000"),
      (
        "{ delegate: { rules: [{ when: { failures: { below: 2, atLeast: 5 } }, answer: cancel }] } }",
        "1:51 "
      ),
      ("{ delegate: {} }", "1:21 "),
      ("{ delegate: { preset: silent, rules: [{ answer: cancel }] } }", "1:21 "),
      ("{ delegate: own-anchors }", "1:21 "),
      ("{ delegate: seed-003-basic }", "1:21 "),
      ("{ delegate: { rules: [{ answer: { useCredential: identity } }] } }", "1:21 "),
      ("{ delegate: { rules: [{ answer: { useCredential: { user: alice } } }] } }", "1:58 "),
      ("{ delegate: { rules: [{ answer: { useCredential: trust, from: { port: 443 } } }] } }", "1:41 "),
      ("{ delegate: { rules: [{ when: { space: { whole: true } }, answer: cancel }] } }", "'in' … 'notIn'"),
      ("{ delegate: { rules: [{ when: { port: 70000 }, answer: cancel }] } }", "1 … 65535"),
      ("{ delegate: silent, serverTrust: accept-all }", "1:21 "),
      ("{ api: synchronous }", "loader: NSURLConnection"),
      ("{ api: synchronous, loader: NSURLConnection, delegate: silent }", "1:64 "),
      ("{ account: { identity: alice } }", "1:20 "),
      (
        "{ delegate: { rules: [{ when: { method: NSURLAuthenticationMethodServerTrust }, answer: cancel }] } }",
        "ServerTrust"
      ),
      ("{ delegate: { rules: [{ answer: { useCredential: acount } }] } }", "'account'"),
      ("{ delegate: { rules: [{ when: { failures: { below: two } }, answer: cancel }] } }", "1 … 1000"),
      ("{ account: { user: alice, pasword: secret } }", "'password'"),
      ("{ credentials: [{ space: { host: api.example }, user: alice }] }", "1:25 "),
    ])
  func slips(client: String, said: String) {
    let found = complaint(client)
    #expect(found.shows(said), "\(found)")
    #expect(!found.contains("\n"), "one typo is one error: \(found)")
  }

  @Test(
    "the correctly spelt words can be read",
    arguments: [
      "{ delegate: accept-all }", "{ delegate: { rules: [{ answer: none }] } }",
      "{ delegate: { rules: [{ when: { failures: { below: 5 } }, answer: [cancel, cancelConnection] }] } }",
      "{ delegate: { preset: own-anchors, anchors: [Root A] } }",
      "{ delegate: seed-003-dispatcher }", "{ delegate: seed-003-basic, account: { user: alice, password: secret } }",
      "{ delegate: { rules: [{ answer: { useCredential: stored, from: { host: api.example, port: 443 } } }] } }",
      "{ api: synchronous, loader: NSURLConnection }",
      "{ credentials: [{ space: { host: api.example }, user: alice, password: secret, persistence: permanent }] }",
    ])
  func good(client: String) {
    let found = complaint(client)
    #expect(found.isEmpty, "\(found)")
  }

  @Test(
    "a disposition has a short word and Apple's name, in delegates and in expectations",
    arguments: [
      ("cancel", "cancelAuthenticationChallenge"), ("cancelAuthenticationChallenge", "cancel"),
      ("performDefaultHandling", "performDefaultHandling"),
    ])
  func words(answer: String, expected: String) throws {
    let text = """
      client: { delegate: { rules: [{ answer: \(answer) }] } }
      expect: { verdict: \(answer.hasPrefix("cancel") ? "refused" : "accepted"), answers: [\(expected)] }
      """
    #expect(try Lab.diagnostics(text).isEmpty)
    #expect(try Lab.play(text).judgement.mismatches.isEmpty)
    let other = text.replacing("answers: [\(expected)]", with: "answers: [none]")
    #expect(try Lab.play(other).judgement.mismatches.map(\.path) == ["answers"])
  }
}
