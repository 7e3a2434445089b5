import Cryptography
import Explanation

/// The random values of one party, each from its own random stream with the label `PARTY/VALUE`.
///
/// A change of one value therefore affects only the values that depend on it. With `Seed.counting`, `client_random`
/// counts from 0x00, `server_random` from 0x20 and the random part of `premaster_secret` from 0x40.
public struct RandomStreams: Sendable, Hashable {
  /// A replacement for a value from a stream.
  public enum Override: Sendable, Hashable {
    /// These bytes, repeated or truncated to the required length.
    case fixed([UInt8])
    /// These bytes in this connection, and other bytes in any other connection.
    case drawn([UInt8])
    /// A value with only this number of random bits and zeros otherwise, as from a weak generator.
    case bits(Int)
  }

  /// The seed of all randomness in the run; nil for the system's generator, whose values never repeat.
  public let seed: Seed?
  /// The name of the party, which is the first part of every label.
  public let party: String
  /// The replacements for values from the streams.
  public var overrides: [Value.ID: Override]

  /// Creates the random streams of a party.
  public init(seed: Seed?, party: String, overrides: [Value.ID: Override] = [:]) {
    self.seed = seed
    self.party = party
    self.overrides = overrides
  }

  /// The random streams of the same party in another connection. Overrides that repeat in every connection are kept.
  ///
  /// Counting values make output readable. A good generator does not repeat them.
  public var another: RandomStreams {
    let kept = overrides.filter { if case .drawn = $0.value { false } else { true } }
    return RandomStreams(seed: seed == .counting ? .number(0) : seed, party: "another.\(party)", overrides: kept)
  }

  /// The random stream with the label `PARTY/label`.
  public func stream(_ label: String) -> DeterministicRandom {
    DeterministicRandom(seed: seed, label: "\(party)/\(label)")
  }

  /// The random stream of the value with this name.
  public func stream(_ name: ValueName) -> DeterministicRandom { stream(name.description) }

  /// The random bytes of the value with this name.
  public func bytes(for name: Value.ID, count: Int) -> [UInt8] {
    var stream = stream(name)
    let drawn = stream.bytes(count)
    switch override(of: name) {
    case nil: return drawn
    case .fixed(let bytes), .drawn(let bytes):
      if bytes.isEmpty { return [UInt8](repeating: 0, count: drawn.count) }
      return drawn.indices.map { bytes[$0 % bytes.count] }
    case .bits(let bits): return Self.keeping(max(0, bits), of: drawn)
    }
  }

  /// The replacement for the value with this name. A weak generator is weak for every key of its party.
  func override(of name: Value.ID) -> Override? { overrides[name] ?? overrides[ValueName(name.kind, of: name.side)] }

  private static func keeping(_ bits: Int, of bytes: [UInt8]) -> [UInt8] {
    bytes.enumerated().map { index, byte in
      let below = (bytes.count - 1 - index) * 8
      if bits >= below + 8 { return byte }
      return bits > below ? byte & UInt8(truncatingIfNeeded: (1 << (bits - below)) - 1) : 0
    }
  }
}
