import Cryptography
import Explanation
import Simulator
import TLS
import URLLoading

/// What bad generators give one party in one connection, and how third parties profit.
struct SpoiltRandomness {
  let overrides: [Value.ID: RandomStreams.Override]

  /// What comes of `qualities` for `party` in the connection at `clock` with the values of `scope`.
  init(_ seed: Seed, clock: Instant, party: String, scope: ValueScope, _ qualities: [Value.ID: RandomQuality]) {
    var overrides: [Value.ID: RandomStreams.Override] = [:]
    for (name, quality) in qualities {
      let length = RandomQuality.lengths[name] ?? 32
      switch quality {
      case .constant: overrides[name] = .fixed([0])
      case .bits(let bits): overrides[name] = .bits(bits)
      case .repeats:
        overrides[name] = .fixed(RandomStreams(seed: seed, party: party).bytes(for: name, count: length))
      case .from(let source):
        let state = RandomStreams(seed: seed, party: scope.prefix + party).bytes(
          for: source, count: RandomQuality.lengths[source] ?? 32)
        overrides[name] = .drawn(WeakGenerator.nextOutput(after: state, count: length))
      case .seeded(let bits):
        var stream = RandomStreams(seed: seed, party: scope.prefix + party).stream("\(name)/seed")
        let number = stream.bytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } & ((1 << UInt64(bits)) - 1)
        overrides[name] = .drawn(
          WeakGenerator.output(second: clock.secondsSince1970, number: number, count: length))
      }
    }
    self.overrides = overrides
  }
}

/// Ways by which third parties come by values that bad generators made.
enum Weakness {
  static func all(of plans: [World.Plan], _ scenario: Scenario) -> [Value.ID: Value.Derivation] {
    var all: [Value.ID: Value.Derivation] = [:]
    let first = plans.first?.scope ?? ValueScope()
    // What leaks of a later connection is as good for the first.
    let second = plans.dropFirst().first?.scope
    for connection in scenario.connections where connection.replayed == nil {
      let scope = connection.scope
      let host = (try? LoadURL(connection.url))?.host
      let server = scenario.servers.first { $0.host == host }?.random ?? [:]
      all.merge(
        ways(
          connection.client.random, server, scope, other: scope == first ? second : first,
          budget: scenario.attackers.budget)
      ) { first, _ in first }
    }
    return all.merging(keys(of: scenario)) { first, _ in first }
  }

  /// The ways to the values of one connection, by the randomness of its client and its server.
  static func ways(
    _ client: [Value.ID: RandomQuality], _ server: [Value.ID: RandomQuality], _ scope: ValueScope, other: ValueScope?,
    budget: Int
  ) -> [Value.ID: Value.Derivation] {
    var all: [Value.ID: Value.Derivation] = [:]
    for (name, quality) in client.merging(server, uniquingKeysWith: { own, _ in own }) {
      all[scope.name(name)] = derivation(of: name, quality, scope, other: other, budget: budget)
    }
    return all
  }

  /// Private keys that follow from what is public.
  private static func keys(of scenario: Scenario) -> [Value.ID: Value.Derivation] {
    var all: [Value.ID: Value.Derivation] = [:]
    for description in scenario.authorities + scenario.certificates {
      if let entropy = description.entropy, entropy <= scenario.attackers.budget {
        all[description.scope.name(.key)] = WeakGenerator.keySearch(bits: entropy, owner: description.name)
      } else if let other = description.sharesPrimeWith {
        let both = [description.scope, ValueScope(other)]
        for owner in both {
          all[owner.name(.key)] = .computed(.sharedPrime, from: both.map { $0.name(.certificate) })
        }
      }
    }
    return all
  }

  private static func derivation(
    of name: Value.ID, _ quality: RandomQuality, _ scope: ValueScope, other: ValueScope?, budget: Int
  ) -> Value.Derivation? {
    switch quality {
    case .constant: .computed(.constant, from: [])
    case .repeats: other.map { .computed(.repetition, from: [$0.name(name)]) }
    case .from(let source):
      .computed(.nextOutput, from: [scope.name(source)])
    case .bits(let bits) where bits <= budget && name.kind == .ecdhPrivate:
      WeakGenerator.ephemeralKeySearch(bits: bits, of: scope.name(name))
    case .bits(let bits) where bits <= budget:
      name.kind == .premasterSecret ? WeakGenerator.premasterSearch(bits: bits, scope: scope) : nil
    case .seeded(let bits) where bits <= budget:
      name.kind == .premasterSecret ? WeakGenerator.seedSearch(bits: bits, scope: scope) : nil
    case .bits, .seeded: nil
    }
  }
}
