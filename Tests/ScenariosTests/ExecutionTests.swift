import Endpoint
import Explanation
import Oracles
import Scenarios
import Simulator
import TLS
import Testing

@Suite("Proofs, carried out")
struct ExecutionTests {
  private func play(_ id: String, _ name: String = Scenario.mainCase) throws -> Simulation {
    let scenario = try #require(Lab.cases.first { $0.id == id && $0.caseName == name })
    return try Lab.player.play(scenario).simulation
  }

  private func execution(
    of value: Value.ID, as party: Party = .eavesdropper, in run: Simulation, limit: Int = Execution.quickSearchLimit
  ) throws -> Execution {
    try #require(Execution(of: value, as: party, in: run, limit: limit))
  }

  @Test("every derivation by a third party gives the value of the run", arguments: Lab.sample)
  func everything(name: String) throws {
    try check(try Lab.player.play(try Lab.scenario(named: name)))
  }

  /// Computes every value that decides a goal again, and compares it with the run's.
  func check(_ result: CaseResult) throws {
    for connection in result.connections {
      for evidence in connection.evidence.values {
        let proof = try execution(of: evidence.value, as: evidence.party, in: result.simulation)
        #expect(proof.holds, "\(evidence.value): \(String(describing: proof.steps.last))")
        if let obstacle = proof.obstacle {
          switch obstacle {
          case .tooLarge, .quantum: continue
          default: Issue.record("\(evidence.value) was not computed: \(obstacle)")
          }
        }
      }
    }
  }

  @Test("a stolen key opens the recording of an RSA key exchange, byte for byte")
  func record() throws {
    let proof = try execution(of: "application_data.client.1", in: try play("L7-01"))
    #expect(proof.holds && proof.isComplete)
    let playback = try #require(proof.playback)
    #expect(playback.secrets == ["api.key"] && playback.isEqual && playback.recovered > 40)
    #expect(playback.sides == [.client, .server])
  }

  // RFC 8446 section 7.3: each side has a traffic secret of its own.
  @Test("a traffic secret of TLS 1.3 decrypts the application data of one side")
  func trafficSecrets() throws {
    let proof = try execution(of: "application_data.server.1", in: try play("L16-07"))
    let playback = try #require(proof.playback)
    #expect(playback.secrets == ["server_application_traffic_secret_0"] && playback.sides == [.server])
    #expect(playback.isEqual)
  }

  // RFC 5246 section 7.4.9: the hash covers the messages before this one.
  @Test(
    "the Finished of either side can be computed from the messages of its handshake", arguments: ["L1-01", "L1-16"])
  func finished(id: String) throws {
    let run = try play(id)
    let names = run.trace.valueNames.filter { $0.kind == .verifyData }
    #expect(names.count >= 2)
    for name in names {
      let proof = try execution(of: name, as: .client, in: run)
      #expect(proof.holds && proof.isComplete, "\(name): \(String(describing: proof.obstacle))")
    }
  }

  @Test("the same key opens nothing of an ECDHE key exchange")
  func forwardSecrecy() throws {
    let run = try play("L7-02")
    #expect(Execution(of: "application_data.client.1", as: .eavesdropper, in: run) == nil)
    let recording = ConnectionRecording(ValueScope(), in: run.trace)
    #expect(!recording.portions.isEmpty)
    let key = try Lab.keys.rsaKey(owner: "api", bits: 2048)
    let opened = recording.applicationData(with: SessionSecrets(serverKey: .rsa(key)))
    #expect(opened.values.filter { !$0.isEmpty } == [])
    let rsa = ConnectionRecording(ValueScope(), in: try play("L7-01").trace)
    #expect(rsa.applicationData(with: SessionSecrets(serverKey: .rsa(key))).count == 2)
    let kept = try play("L7-02", "the ephemeral key was kept, and leaks")
    let proof = try execution(of: "application_data.server.1", in: kept)
    #expect(proof.playback?.isEqual == true)
  }

  @Test("a search finds the secret and counts its trials, unless it is too long")
  func search() throws {
    let run = try Lab.play(
      """
      server: { cipherSuites: [TLS_RSA_WITH_AES_128_CBC_SHA256] }
      client: { os: iOS 8, random: { premaster_secret: 9 bits } }
      request: https://api.example/
      """
    ).simulation
    let found = try execution(of: "premaster_secret", in: run, limit: 9)
    #expect(found.holds && found.isComplete && (1...512).contains(found.trials))
    let postponed = try execution(of: "premaster_secret", in: run, limit: 8)
    #expect(postponed.obstacle == .tooLarge(bits: 9, limit: 8) && postponed.trials == 0 && postponed.holds)
  }

  @Test("a search finds a seed of time and few bits; good generators have none")
  func seeds() throws {
    let proof = try execution(of: "premaster_secret", in: try play("L8-02"))
    #expect(proof.holds && proof.isComplete && (1...256).contains(proof.trials))
    let good = try play("L8-02", "with a good generator")
    #expect(Execution(of: "premaster_secret", as: .eavesdropper, in: good) == nil)
  }

  @Test("a shared prime reveals both keys; keys without a common prime resist")
  func sharedPrime() throws {
    let run = try play("L8-05")
    for name in ["camera.key", "printer.key"] as [Value.ID] {
      let proof = try execution(of: name, in: run)
      #expect(proof.holds && proof.isComplete && proof.steps.count == 3)
    }
    let good = try play("L8-05", "with primes of their own")
    #expect(Execution(of: "camera.key", as: .eavesdropper, in: good) == nil)
  }

  @Test("a generator with a back door reveals the next number from the last")
  func backDoor() throws {
    let proof = try execution(of: "application_data.server.1", in: try play("L1-09"))
    #expect(proof.holds && proof.isComplete && proof.playback?.isEqual == true)
  }

  @Test("a search finds a key of 4 bits; one of 15 bits is only recomputed")
  func weakKeys() throws {
    let proof = try execution(of: "api.key", in: try play("L8-01"))
    #expect(proof.holds && proof.isComplete && proof.trials == 1)
    let small = try Lab.play(
      """
      certificates:
        api: { issuer: Issuing, names: [api.example], key: rsa-1024, entropy: 4 }
      client: { os: iOS 8 }
      request: https://api.example/
      """
    ).simulation
    let whole = try execution(of: "api.key", in: small)
    #expect(whole.holds && whole.isComplete && (1...16).contains(whole.trials))
  }

  @Test("a server that answers differently is a decryption oracle; a uniform server is not")
  func oracle() throws {
    let proof = try execution(of: "application_data.server.1", as: .interceptor, in: try play("L7-04"))
    #expect(proof.holds && proof.isComplete && proof.playback?.isEqual == true)
    #expect((500...5000).contains(proof.trials))
    let uniform = try play("L7-04", "a server that answers everything alike")
    #expect(Execution(of: "premaster_secret", as: .interceptor, in: uniform) == nil)
    let questions = uniform.trace.steps.compactMap { step -> Int? in
      if case .oracleAsked(let attack) = step.event { attack.questions } else { nil }
    }
    #expect(questions == [2])
  }
}
