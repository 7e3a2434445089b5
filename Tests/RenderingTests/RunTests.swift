import Explanation
import Oracles
import PKIX
import Scenarios
import Testing

@testable import Rendering

@Suite struct RunTests {
  @Test("a diagram shows senders, messages and decisions")
  func diagram() throws {
    let view = RunView(try #require(Curriculum.result("L1-15")))
    #expect(
      view.diagram().text()
        == """
          client (iOS 10)              eavesdropper                       api.example
             │                               ┆                               │
          1  │             ✓ App Transport Security is in force              │
          2  ├── ClientHello client_random ──┆──────────────────────────────▶│ clear
          3  │           ✗ the server gives up: handshake_failure            │
          4  │◀──────────────────────────────┆────────────────────── Alert ──┤ clear
          5  │            ✗ the client receives handshake_failure            │
          6  │          ✗ without ATS, the server would have agreed          │
             ▼                               ┆                               ▼
           ✗ refused  ats.no-forward-secrecy

        """)
  }

  @Test("the path names the result that the app reads, and the system's if it differs")
  func resultOfTrust() throws {
    func facts(_ id: String) throws -> (chain: String, run: String?) {
      let result = try #require(Curriculum.result(id))
      return (PathView(result.simulation).document().text(), result.outcome.trustResult)
    }
    let unread = try facts("L11-18")
    #expect(unread.run == "kSecTrustResultInvalid")
    #expect(unread.chain.contains("kSecTrustResultInvalid for the app, "), "\(unread.chain)")
    let read = try facts("L11-11")
    #expect(read.run == "kSecTrustResultRecoverableTrustFailure")
    #expect(read.chain.contains("SecTrust      kSecTrustResultRecoverableTrustFailure\n"))
  }

  @Test("a step names its parties, and the values that each now knows")
  func step() throws {
    let result = try #require(Curriculum.result("L1-15"))
    let view = StepView(step: result.simulation.trace.steps[1], simulation: result.simulation)
    #expect(view.oneLine == "2  client → server  ClientHello")
    #expect(
      view.document(.story).text() == """
          2  client → server  ClientHello
             The client's random number (not encrypted) and the cipher suites that it
             accepts. This is the ClientHello recorded as Safari 10 iOS 10, except for
             values that change in every ClientHello. Likely: an app on iOS 10 sends the
             browser's ClientHello. App Transport Security has removed the parts that it
             does not allow.
             ✓ 5 checks pass: handshake 5
             + everyone: client_random

        """)
  }

  @Test("an option limits a verdict to its first reason")
  func firstError() throws {
    let result = try #require(Curriculum.result("L4-12"))
    let reasons = result.outcome.verdict.because.map(\.id)
    #expect(reasons.count == 3)
    let all = FindingsView(result.outcome.findings, verdict: result.outcome.verdict).why(rule: nil).text()
    #expect(reasons.allSatisfy { all.contains("✗ \($0)\n") })
    let first = RunView(result).document(.story, firstError: true).text()
    #expect(reasons.map { first.contains("    ✗ \($0)\n        rule") } == [true, false, false])
  }

  @Test("unknown facts behind a verdict are named, not only counted")
  func unknown() throws {
    let outcome = try #require(Curriculum.result("L1-01")).outcome
    let subject = Finding.Subject.certificate(index: 0, name: "api")
    let open = Enforcement.standard.note(.revoked, on: subject, .unknown, found: .word("no list"))
    let named = FindingsView(outcome.findings + [open], verdict: outcome.verdict).why().text()
    #expect(named.contains("unknown\n") && named.contains("chain.revoked\n") && named.contains("no list"))
    #expect(!FindingsView(outcome.findings, verdict: outcome.verdict).why().text().contains("unknown\n"))
  }

  @Test("why not names the nearest rule, and reports a rule that was not checked")
  func why() throws {
    let outcome = try #require(Curriculum.result("L1-15")).outcome
    let view = FindingsView(outcome.findings, verdict: outcome.verdict)
    #expect(view.why(rule: "chain.expird").text().contains("'chain.expired'"))
    #expect(view.why(rule: "chain.expired").text().hasPrefix("chain.expired "))
    #expect(view.why(rule: "ats.no-forward-secrecy").text().contains("required    ECDHE\n"))
  }

  @Test("a proof leads from the leaked secret to the content")
  func proof() throws {
    let name = "with the exception, and the key stolen a month later"
    let stolen = try #require(Curriculum.result("L1-15", name)).simulation
    let value: ValueName = "application_data.client.1"
    let proof = KnowledgeView.proof(of: value, as: .eavesdropper, in: stolen).text()
    #expect(proof.split(separator: "\n")[0].shows("✓ … eavesdropper … application_data.client.1"))
    #expect(proof.contains("api.key: it leaked"))
    let kept = try #require(Curriculum.result("L1-15", "with the exception")).simulation
    let lack = KnowledgeView.proof(of: value, as: .eavesdropper, in: kept).text()
    #expect(lack.contains("lacks client_write_key"))
  }

  @Test(
    "the printed commands that reproduce a value print that value",
    .needs(.python))
  func commands() throws {
    let old = [
      ("TLS_DHE_RSA_WITH_AES_128_CBC_SHA", "server_dh_private"), ("TLS_RSA_WITH_3DES_EDE_CBC_SHA", "api.key"),
      ("TLS_RSA_WITH_RC4_128_SHA", "api.key"),
    ].map { suite, secret in
      """
      server: { versions: [TLSv1.0], cipherSuites: [\(suite)] }
      client: { os: iOS 8 }
      network: [eavesdrop, { leak: \(secret), after: 1 day }]
      expect: { verdict: accepted }
      """
    }
    let reader = try ScenarioLibrary.curriculum().reader
    let played = try old.flatMap { try reader.read(Array($0.utf8), path: "old.yaml").cases }.map(Curriculum.player.play)
    for result in try ["L1-14", "L7-01", "L16-01"].map({ try #require(Curriculum.result($0)) }) + played {
      let values = Array(result.simulation.trace.values.values)
      let lines = RunView(result).document(.numbers).text().split(separator: "\n", omittingEmptySubsequences: false)
      let commands = Self.commands(lines.map(String.init))
      #expect(commands.count >= 6)
      for command in commands {
        let printed = try #require(Program.output(["PATH=\(Python.searchPath)", "sh", "-c", command])).dropLast()
        #expect(values.contains { Hex.string($0.bytes) == printed }, "\(command)")
      }
    }
  }

  @Test(
    "every secret of TLS 1.3 that HKDF derives has a command that prints it", .needs(.python),
    arguments: [
      ("L16-01", nil), ("L16-04", nil), ("L16-05", nil), ("L16-09", nil), ("L16-09", "the key alone"), ("L16-10", nil),
    ])
  func keySchedule(id: String, name: String?) throws {
    let result = try #require(name.map { Curriculum.result(id, $0) } ?? Curriculum.result(id))
    let values = result.simulation.trace.values
    let derived = values.values.filter { value in
      value.derivations.contains { derivation in
        // The secrets of a replayed connection are unknown.
        guard case .computed(let method, let inputs) = derivation, inputs.allSatisfy({ values[$0] != nil }) else {
          return false
        }
        return ["hkdf-extract", "hkdf-expand-label"].contains(method.id) && !value.bytes.isEmpty
      }
    }
    #expect(derived.count >= 20)
    for value in derived {
      let command = try #require(Reproduction(result.simulation).commands(for: value).first, "\(value.id)")
      let printed = Program.output(["PATH=\(Python.searchPath)", "sh", "-c", command.description])?.dropLast()
      #expect(printed.map(String.init) == Hex.string(value.bytes), "\(value.id): \(command)")
    }
  }

  /// The commands of a text, joined if they are shown on several lines.
  private static func commands(_ lines: [String]) -> [String] {
    var commands: [String] = []
    var isOpen = false
    for line in lines {
      if line.contains("python3 -c") { commands.append("") } else if !isOpen { continue }
      commands[commands.count - 1] += line + "\n"
      isOpen = line.hasSuffix("\\")
    }
    return commands
  }
}
