import Endpoint
import Explanation
import Oracles
import Simulator
import Testing

/// A handmade run with an attacker that has a stolen key.
private struct HandmadeRun: TracedRun {
  let trace: Trace
  let parties: [Party] = [.client, .server, .eavesdropper, .interceptor]
  var stolenByInterceptor: Set<Leak.Content> = []

  func stolen(by party: Party) -> Set<Leak.Content> { party == .interceptor ? stolenByInterceptor : [] }
}

@Suite("Knowledge of each party, step by step")
struct KnowledgeHistoryTests {
  private let day = Instant(secondsSince1970: 0)

  private func step(_ event: StepEvent, from party: Party, to peer: Party? = nil, _ values: Value...) -> Step {
    var step = Step(event, at: day, from: party, to: peer)
    step.values = values
    return step
  }

  /// An encrypted premaster secret is sent; later the key that decrypts it leaks.
  private func run(stolen: Set<Leak.Content> = []) -> HandmadeRun {
    var trace = Trace(held: [Value("api.key", [1], .generated(by: .server))])
    trace.record(
      step(
        .computed([]), from: .client,
        Value(
          "premaster_secret", [3], .generated(by: .client),
          .computed(.rsaDecryption, from: ["encrypted_premaster_secret", "api.key"]))))
    trace.record(
      step(.message(from: .client), from: .client, to: .server, Value("encrypted_premaster_secret", [2], .published)))
    trace.record(
      step(
        .computed([]), from: .server,
        Value("premaster_secret", [3], .computed(.rsaDecryption, from: ["encrypted_premaster_secret", "api.key"]))))
    var leak = step(.disclosed("api.key"), from: .eavesdropper)
    leak.leaked = ["api.key"]
    trace.record(leak)
    return HandmadeRun(trace: trace, stolenByInterceptor: stolen)
  }

  private func learnt(_ party: Party, in number: Int, of run: HandmadeRun) -> [Value.ID] {
    KnowledgeHistory(run).learnt(in: number).filter { $0.party == party }.map(\.value)
  }

  @Test("a leak gives every third party, the interceptor too, all values that follow from it")
  func leak() {
    for party in [Party.eavesdropper, .interceptor] {
      #expect(learnt(party, in: 2, of: run()) == ["encrypted_premaster_secret"])
      #expect(learnt(party, in: 4, of: run()) == ["api.key", "premaster_secret"])
    }
    #expect(learnt(.client, in: 4, of: run()) == [])
  }

  @Test("a stolen key decrypts the message at once, and is not reported as learned")
  func stolen() {
    #expect(
      learnt(.interceptor, in: 2, of: run(stolen: ["api.key"])) == ["encrypted_premaster_secret", "premaster_secret"])
    #expect(learnt(.eavesdropper, in: 2, of: run(stolen: ["api.key"])) == ["encrypted_premaster_secret"])
  }

  @Test("a value that an endpoint could compute, but has not yet, is open")
  func open() throws {
    let history = KnowledgeHistory(run())
    let atMessage = try #require(history.learnt(in: 2).last { $0.party == .server })
    #expect(atMessage.value == "premaster_secret" && atMessage.isOpen)
    #expect(history.learnt(in: 1).first { $0.party == .client }?.isOpen == false)
    #expect(history.learnt(in: 3).isEmpty)
  }

  @Test("a computed value has its derivation, and a leaked one has none")
  func how() {
    let learnt = KnowledgeHistory(run()).learnt(in: 4).filter { $0.party == .eavesdropper }
    #expect(learnt.first?.how == nil)
    #expect(learnt.last?.how == .computed(.rsaDecryption, from: ["encrypted_premaster_secret", "api.key"]))
  }

  @Test("the steps add up to the final knowledge of a party")
  func sum() {
    for stolen in [[], ["api.key"]] as [Set<Leak.Content>] {
      let run = run(stolen: stolen)
      let history = KnowledgeHistory(run)
      for party in run.parties {
        let atFirst = Knowledge(
          of: party, in: Trace(held: run.trace.held), disclosed: run.stolen(by: party)
        ).values
        let steps = run.trace.steps.flatMap { history.learnt(in: $0.number) }.filter { $0.party == party }
        #expect(Set(atFirst + steps.map(\.value)) == Set(run.knowledge(of: party).values), "\(party)")
      }
    }
  }
}
