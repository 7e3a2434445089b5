import Endpoint
import Explanation
import Oracles
import Testing

@testable import Simulator
@testable import TLS

@Suite("Knowledge of a secret in X25519MLKEM768")
struct HybridExecutionTests {
  /// The values of both sides, and secrets that the eavesdropper stole.
  struct Exchange: TracedRun {
    let trace: Trace
    let parties = [Party.client, .server, .eavesdropper]
    let stolen: Set<Value.ID>

    func stolen(by party: Party) -> Set<Leak.Content> {
      party == .eavesdropper ? Set(stolen.map(Leak.Content.secret)) : []
    }
  }

  private func exchange(stolen: Set<Value.ID> = []) throws -> Exchange {
    let names = ValueScope()
    let client = try #require(HybridKeyShare(random: RandomStreams(seed: .number(1), party: "client")))
    let server = try HybridServerShare(
      to: client.publicKey, random: RandomStreams(seed: .number(1), party: "server"))
    let secret = try client.secret(with: server.publicKey)
    var trace = Trace(isShared: true)
    for (party, values) in [
      (Party.client, client.values(party: .client, names)),
      (.server, server.values(party: .server, names) + server.secret.values(names)),
      (.client, secret.values(names)),
    ] {
      var step = Step(.computed(values), at: try #require(Instant("2026-11-01")), from: party)
      step.values = values
      trace.record(step)
    }
    return Exchange(trace: trace, stolen: stolen)
  }

  @Test("both sides compute the secret again, each in its own way", arguments: [Party.client, .server])
  func endpoints(_ party: Party) throws {
    let proof = try #require(Execution(of: "shared_secret", as: party, in: try exchange()))
    #expect(proof.holds && proof.isComplete)
  }

  @Test("the public values follow from the random ones")
  func publicValues() throws {
    let run = try exchange()
    for name: Value.ID in ["client_mlkem_public", "server_mlkem_ciphertext"] {
      let value = try #require(run.trace.values[name])
      guard case .computed(let method, let names) = value.derivations.first else {
        Issue.record("\(name) is not computed")
        continue
      }
      let inputs = names.map { Execution.Input(name: $0, bytes: run.trace.values[$0]?.bytes ?? []) }
      let application = Application(method: method, value: name, inputs: inputs, known: [:], run: run, limit: 8)
      #expect(try application.carriedOut().result == value.bytes)
      let cut = Application(
        method: method, value: name, inputs: inputs.map { .init(name: $0.name, bytes: []) }, known: [:], run: run,
        limit: 8)
      #expect(throws: Obstacle.self) { try cut.carriedOut() }
    }
  }

  @Test("an eavesdropper needs a secret of each part")
  func eavesdropper() throws {
    let seeds: [Value.ID] = ["client_mlkem_seed", "server_mlkem_randomness"]
    let keys: [Value.ID] = ["client_ecdh_private", "server_ecdh_private"]
    #expect(!(try exchange(stolen: Set(seeds))).knowledge(of: .eavesdropper).knows("shared_secret"))
    #expect(!(try exchange(stolen: Set(keys))).knowledge(of: .eavesdropper).knows("shared_secret"))
    for (seed, key) in zip(seeds, keys) {
      let run = try exchange(stolen: [seed, key])
      let proof = try #require(Execution(of: "shared_secret", as: .eavesdropper, in: run))
      #expect(proof.holds && proof.isComplete)
    }
  }
}
