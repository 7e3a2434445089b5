import Cryptography
import Explanation
import TLS

/// The quality of the random generator for one value.
public enum RandomQuality: Sendable, Hashable {
  /// All bytes of the value are zero.
  case constant
  /// The value has the same bytes in every connection of the run.
  case repeats
  /// The value only has this many random bits. All other bits are zero.
  case bits(Int)
  /// The value is generated from a seed: the second of the connection and this many unknown bits.
  case seeded(Int)
  /// The value is the next output of a generator with a backdoor, which can be computed from this earlier value.
  case from(Value.ID)

  /// The values whose generators a scenario can weaken, with their lengths in bytes.
  public static let lengths = [
    ValueName(.random, of: .client): 32, ValueName(.random, of: .server): 32, ValueName(.premasterSecret): 46,
    ValueName(.ecdhPrivate, of: .client): 32, ValueName(.ecdhPrivate, of: .server): 32,
  ]
}

/// The random generator of one party, some of whose values may be weak.
public struct RandomGenerator: Sendable {
  /// The quality of each weak value, by the value's name. A value without an entry is random.
  public let qualities: [Value.ID: RandomQuality]
  private let seed: Seed
  private let party: String
  private let clock: Instant

  /// Creates the generator of `party` on the day of `clock`.
  public init(_ seed: Seed, of party: String, at clock: Instant, _ qualities: [Value.ID: RandomQuality] = [:]) {
    self.seed = seed
    self.party = party
    self.clock = clock
    self.qualities = qualities
  }

  /// Returns the random values of the connection with the values of `scope`.
  public func streams(_ scope: ValueScope) -> RandomStreams {
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
    return RandomStreams(seed: seed, party: scope.prefix + party, overrides: overrides)
  }
}

extension RandomQuality {
  /// Returns the derivations of the weak values of a connection, by the generators of its client and its server.
  public static func ways(
    _ client: [Value.ID: RandomQuality], _ server: [Value.ID: RandomQuality], _ scope: ValueScope,
    other: ValueScope?,
    budget: Int
  ) -> [Value.ID: Value.Derivation] {
    var all: [Value.ID: Value.Derivation] = [:]
    for (name, quality) in client.merging(server, uniquingKeysWith: { own, _ in own }) {
      for name in [name] + later(name) {
        all[scope.name(name)] = derivation(of: name, quality, scope, other: other, budget: budget)
      }
    }
    return all
  }

  /// Returns the key that the client generates with the same generator after a HelloRetryRequest (RFC 8446 section 4.1.4).
  private static func later(_ name: ValueName) -> [ValueName] {
    name.kind == .ecdhPrivate && name.side == .client ? [ValueName(name.kind, of: name.side, number: 2)] : []
  }

  private static func derivation(
    of name: Value.ID, _ quality: RandomQuality, _ scope: ValueScope, other: ValueScope?, budget: Int
  ) -> Value.Derivation? {
    switch quality {
    case .constant: .computed(.constant, from: [])
    case .repeats: other.map { .computed(.repetition, from: [$0.name(name)]) }
    case .from(let source):
      .computed(.nextOutput, from: [scope.name(source)])
    case .bits(let bits) where WeakGenerator.ephemeralSearchCost(bits) <= budget && name.kind == .ecdhPrivate:
      WeakGenerator.ephemeralKeySearch(bits: bits, of: scope.name(name))
    case .bits(let bits) where bits <= budget:
      name.kind == .premasterSecret ? WeakGenerator.premasterSearch(bits: bits, scope: scope) : nil
    case .seeded(let bits) where bits <= budget:
      name.kind == .premasterSecret ? WeakGenerator.seedSearch(bits: bits, scope: scope) : nil
    case .bits, .seeded: nil
    }
  }
}
