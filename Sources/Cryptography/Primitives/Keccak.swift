/// The Keccak sponge with the hash functions SHA3-256 and SHA3-512 and the functions SHAKE128 and SHAKE256 (FIPS 202).
///
/// swift-crypto has no SHAKE. On macOS, its SHA-3 needs a later release than this package.
struct Keccak {
  private var lanes = [UInt64](repeating: 0, count: 25)
  /// The number of bytes that the sponge absorbs or returns between two permutations.
  private let rate: Int
  private var position = 0

  /// Absorbs a message and its padding: the bits of `suffix`, then pad10*1 (sections 5.1 and 6).
  private init(_ message: [UInt8], rate: Int, suffix: UInt8) {
    self.rate = rate
    for byte in message {
      absorb(byte, at: position)
      position += 1
      if position == rate { permute() }
    }
    absorb(suffix, at: position)
    absorb(0x80, at: rate - 1)
    permute()
  }

  /// The output of SHAKE128, of any length.
  static func shake128(_ message: [UInt8]) -> Keccak { Keccak(message, rate: 168, suffix: 0x1f) }

  /// The first `count` bytes of SHAKE256.
  static func shake256(_ message: [UInt8], count: Int) -> [UInt8] {
    Keccak(message, rate: 136, suffix: 0x1f).prefix(count)
  }

  /// The digest of SHA3-256.
  static func sha3256(_ message: [UInt8]) -> [UInt8] { Keccak(message, rate: 136, suffix: 0x06).prefix(32) }

  /// The digest of SHA3-512.
  static func sha3512(_ message: [UInt8]) -> [UInt8] { Keccak(message, rate: 72, suffix: 0x06).prefix(64) }

  /// Returns the next byte of the output.
  mutating func next() -> UInt8 {
    if position == rate { permute() }
    defer { position += 1 }
    return UInt8(truncatingIfNeeded: lanes[position >> 3] >> UInt64(8 * (position & 7)))
  }

  private func prefix(_ count: Int) -> [UInt8] {
    var output = self
    return (0..<count).map { _ in output.next() }
  }

  private mutating func absorb(_ byte: UInt8, at position: Int) {
    lanes[position >> 3] ^= UInt64(byte) << UInt64(8 * (position & 7))
  }

  /// Applies Keccak-f[1600] (section 3.3): 24 rounds of θ, ρ, π, χ and ι.
  private mutating func permute() {
    var columns = [UInt64](repeating: 0, count: 5)
    for constant in Self.roundConstants {
      for x in 0..<5 { columns[x] = lanes[x] ^ lanes[x + 5] ^ lanes[x + 10] ^ lanes[x + 15] ^ lanes[x + 20] }
      for x in 0..<5 {
        let difference = columns[(x + 4) % 5] ^ Self.rotate(columns[(x + 1) % 5], 1)
        for row in stride(from: x, to: 25, by: 5) { lanes[row] ^= difference }
      }
      var moved = lanes[1]
      for step in Self.steps {
        let next = lanes[step.lane]
        lanes[step.lane] = Self.rotate(moved, step.rotation)
        moved = next
      }
      for row in stride(from: 0, to: 25, by: 5) {
        for x in 0..<5 { columns[x] = lanes[row + x] }
        for x in 0..<5 { lanes[row + x] = columns[x] ^ (~columns[(x + 1) % 5] & columns[(x + 2) % 5]) }
      }
      lanes[0] ^= constant
    }
    position = 0
  }

  private static func rotate(_ lane: UInt64, _ count: UInt64) -> UInt64 { lane &<< count | lane &>> (64 - count) }

  /// The lanes in the order in which π moves them, starting from lane 1, and their rotations by ρ (sections 3.2.2 and
  /// 3.2.3).
  private static let steps: [(lane: Int, rotation: UInt64)] = [
    (10, 1), (7, 3), (11, 6), (17, 10), (18, 15), (3, 21), (5, 28), (16, 36), (8, 45), (21, 55), (24, 2), (4, 14),
    (15, 27), (23, 41), (19, 56), (13, 8), (12, 25), (2, 43), (20, 62), (14, 18), (22, 39), (9, 61), (6, 20), (1, 44),
  ]

  private static let roundConstants: [UInt64] = [
    0x0000_0000_0000_0001, 0x0000_0000_0000_8082, 0x8000_0000_0000_808a, 0x8000_0000_8000_8000,
    0x0000_0000_0000_808b, 0x0000_0000_8000_0001, 0x8000_0000_8000_8081, 0x8000_0000_0000_8009,
    0x0000_0000_0000_008a, 0x0000_0000_0000_0088, 0x0000_0000_8000_8009, 0x0000_0000_8000_000a,
    0x0000_0000_8000_808b, 0x8000_0000_0000_008b, 0x8000_0000_0000_8089, 0x8000_0000_0000_8003,
    0x8000_0000_0000_8002, 0x8000_0000_0000_0080, 0x0000_0000_0000_800a, 0x8000_0000_8000_000a,
    0x8000_0000_8000_8081, 0x8000_0000_0000_8080, 0x0000_0000_8000_0001, 0x8000_0000_8000_8008,
  ]
}
