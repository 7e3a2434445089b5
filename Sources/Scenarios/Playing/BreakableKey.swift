import Cryptography
import Explanation
import Simulator
import TLS

extension BreakableKey {
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
    return moduli + plans.compactMap(\.ephemeralKey)
  }
}
