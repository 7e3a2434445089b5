import Cryptography
import Explanation
import Simulator
import TLS

extension BreakableKey {
  /// Returns the RSA keys of `scenario`, and the ephemeral finite-field keys of its servers.
  static func all(of plans: [World.Plan], _ scenario: Scenario, _ hierarchy: Hierarchy) -> [BreakableKey] {
    let presented = scenario.presentedToClients
    let moduli = hierarchy.entries.compactMap { entry -> BreakableKey? in
      guard entry.keyOwner == entry.name, case .rsa(let key)? = entry.certificates.first?.certificate.publicKey else {
        return nil
      }
      // A certificate that no client receives is still public: in trust stores, logs or on other servers.
      return BreakableKey(
        name: ValueScope(entry.name).name(.key), method: .factoring(bits: key.bits),
        inputs: presented.contains(entry.name) ? [ValueScope(entry.name).name(.certificate)] : [],
        strength: SecurityStrength(ofModulus: key.bits))
    }
    return moduli + plans.compactMap(\.ephemeralKey)
  }
}
