import Cryptography
import Explanation
import Simulator
import TLS

/// A private key that an attacker with enough operations computes from what is public: NIST SP 800-57 part 1, table 2.
struct BreakableKey {
  /// The key's name among the values.
  let name: Value.ID
  /// How it is broken.
  let method: Method
  /// What the method takes.
  let inputs: [Value.ID]
  /// The work.
  let strength: SecurityStrength

  /// How an attacker obtains the key.
  var derivation: Value.Derivation { .computed(method, from: inputs) }

  /// The RSA keys of `scenario`, and the ephemeral keys of its servers in finite fields.
  static func all(of plans: [World.Plan], _ scenario: Scenario, _ hierarchy: Hierarchy) -> [BreakableKey] {
    let presented = scenario.presentedToClients
    let moduli = hierarchy.entries.compactMap { entry -> BreakableKey? in
      guard entry.keyOwner == entry.name, case .rsa(let key)? = entry.certificates.first?.certificate.publicKey else {
        return nil
      }
      // A certificate that no client gets is public all the same: trust stores, logs and other servers are.
      return BreakableKey(
        name: ValueScope(entry.name).name(.key), method: .factoring(bits: key.bits),
        inputs: presented.contains(entry.name) ? [ValueScope(entry.name).name(.certificate)] : [],
        strength: SecurityStrength(ofModulus: key.bits))
    }
    return moduli + plans.compactMap(ephemeral)
  }

  /// The server's ephemeral key in its own finite field; nil if the client names fields (RFC 7919 section 4), the smallest
  /// of which has 2048 bits.
  static func ephemeral(_ plan: World.Plan) -> BreakableKey? {
    let (client, server) = (plan.client.tls, plan.server.tls)
    guard server.cipherSuites.contains(where: { $0.keyExchange == .dheRSA || $0.keyExchange == .dhAnonymous }),
      !client.groups.contains(where: \.isFiniteField)
    else { return nil }
    let scope = server.valueScope
    return BreakableKey(
      name: scope.name(.dhPrivate, of: .server), method: .discreteLogarithm(bits: server.dhGroup.bits),
      inputs: [scope.name(.dhPublic, of: .server), scope.name(.dhPrime), scope.name(.dhGenerator)],
      strength: SecurityStrength(ofModulus: server.dhGroup.bits))
  }
}
