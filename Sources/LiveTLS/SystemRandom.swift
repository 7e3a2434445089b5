import Cryptography
import TLS

extension RandomStreams {
  /// The same party with a seed of the system's, for a connection of its own: what a scenario spoils stays spoilt.
  func fresh() -> RandomStreams {
    RandomStreams(seed: .system, party: party, overrides: another.overrides)
  }
}

extension Seed {
  /// 256 bits of the system's generator.
  static var system: Seed {
    var generator = SystemRandomNumberGenerator()
    let bytes = (0..<SeedBytes.count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    // Those are as many as it takes; nothing on a real socket may ever fall back to numbers that are known.
    return SeedBytes(bytes).map(Seed.bytes) ?? .number(generator.next())
  }
}
