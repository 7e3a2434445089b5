import Explanation
import Simulator
import URLLoading

/// The derivations by which third parties obtain values from weak random generators.
enum Weakness {
  static func all(of plans: [World.Plan], _ scenario: Scenario) -> [Value.ID: Value.Derivation] {
    var all: [Value.ID: Value.Derivation] = [:]
    let first = plans.first?.scope ?? ValueScope()
    // A leak of a later connection is equally useful for the first connection.
    let second = plans.dropFirst().first?.scope
    for connection in scenario.connections where connection.replayed == nil {
      let scope = connection.scope
      let host = (try? LoadURL(connection.url))?.host
      let server = scenario.servers.first { $0.host == host }?.random ?? [:]
      all.merge(
        RandomQuality.ways(
          connection.client.random, server, scope, other: scope == first ? second : first,
          budget: scenario.attackers.budget)
      ) { first, _ in first }
    }
    return all.merging(keys(of: scenario)) { first, _ in first }
  }

  /// Returns the private keys that can be derived from public values.
  private static func keys(of scenario: Scenario) -> [Value.ID: Value.Derivation] {
    var all: [Value.ID: Value.Derivation] = [:]
    for description in scenario.authorities + scenario.certificates {
      if let entropy = description.entropy, entropy <= scenario.attackers.budget {
        all[description.scope.name(.key)] = WeakGenerator.keySearch(bits: entropy, owner: description.name)
      } else if description.hasSmoothPrime, case .rsa(let bits) = description.key {
        let certificate = description.scope.name(.certificate)
        all[description.scope.name(.key)] = .computed(.factoring(bits: bits), from: [certificate])
      } else if let other = description.sharesPrimeWith {
        let both = [description.scope, ValueScope(other)]
        for owner in both {
          all[owner.name(.key)] = .computed(.sharedPrime, from: both.map { $0.name(.certificate) })
        }
      }
    }
    return all
  }
}
