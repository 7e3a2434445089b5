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
    // Eight bytes at a time: every number asks the kernel.
    let bytes = (0..<SeedBytes.count / 8).flatMap { _ in
      let number = generator.next()
      return (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
    // Those are as many as it takes; nothing on a real socket may ever fall back to numbers that are known.
    return SeedBytes(bytes).map(Seed.bytes) ?? .number(generator.next())
  }
}
