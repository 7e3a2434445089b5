import Endpoint
import Explanation

extension Simulation {
  /// The connection is over and recorded: an attacker connects anew, again and again, and asks the server about it.
  mutating func askOracle(_ index: Int) {
    let plan = accounts[index].plan
    guard let encrypted = trace.values[plan.prefix + "encrypted_premaster_secret"]?.bytes,
      let certificate = plan.server.certificates.first?.id
    else { return }
    let attack = OracleAttack(encrypted, plan.server.tls)
    accounts[index].oracleAttack = attack
    var values: [Value] = []
    var narration =
      "An attacker sends the server ciphertexts of its own: the server answers right and wrong padding alike, and "
      + "nothing is to be learnt."
    if let secret = attack.premasterSecret {
      narration =
        "An attacker sends the server the recorded ciphertext, multiplied, in \(attack.questions) connections of its "
        + "own. Each answer tells whether the result begins with 00 02, and narrows what the secret can be, until one "
        + "number is left."
      let how = Value.Derivation.computed(
        .paddingOracle, from: [plan.prefix + "encrypted_premaster_secret", certificate])
      values = [Value(plan.prefix + "premaster_secret", secret, how)]
    } else if !attack.findings.isEmpty {
      narration = "The server's answers differ, but \(attack.questions) of them do not lead to the secret."
    }
    var step = Step(
      .attack, at: clock, from: .interceptor, to: plan.server.tls.party,
      title: "\(attack.questions) questions", narration: narration)
    step.connection = plan.name
    step.values = values
    step.findings = attack.findings
    trace.record(step)
    accounts[index].note(attack.findings, by: .server)
    let learnt = Knowledge(of: .interceptor, in: trace).values.compactMap { trace.values[$0] }
    let secrets = learnt.filter { $0.id.hasPrefix(plan.prefix) && !$0.derivations.contains(.published) }
    if attack.premasterSecret != nil { conclude(secrets.filter { value in !values.contains { $0.id == value.id } }) }
  }
}
