/// MD4 (RFC 1320), the hash function for Windows passwords and the first step of NTLM.
///
/// R. Rivest published MD4 in 1990. Since 2004, two messages with the same digest can be found by hand (X. Wang and
/// others), and RFC 6150 declares it historic. TrustLab implements it because the library that provides the other hash
/// functions never had it.
public enum MD4 {
  /// The size of a digest in bytes.
  public static let digestSize = 16

  /// The digest of `message`.
  public static func digest(_ message: [UInt8]) -> [UInt8] {
    let bits = UInt64(message.count) &* 8
    let padding = [0x80] + [UInt8](repeating: 0, count: (119 - message.count % 64) % 64)
    let padded = message + padding + (0..<8).map { UInt8(truncatingIfNeeded: bits >> (8 * $0)) }
    var state: [UInt32] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476]
    for start in stride(from: 0, to: padded.count, by: 64) {
      let block = (0..<16).map { word in
        (0..<4).reduce(UInt32(0)) { $0 | UInt32(padded[start + 4 * word + $1]) << UInt32(8 * $1) }
      }
      state = zip(state, rounds(state, block)).map { $0 &+ $1 }
    }
    return state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> UInt32(8 * $0)) } }
  }

  /// Performs the three rounds of section 3.4, with sixteen steps each. Each step rotates the registers by one.
  private static func rounds(_ state: [UInt32], _ block: [UInt32]) -> [UInt32] {
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    for step in 0..<48 {
      let round = step / 16
      let function: UInt32
      switch round {
      case 0: function = (b & c) | (~b & d)
      case 1: function = (b & c) | (b & d) | (c & d)
      default: function = b ^ c ^ d
      }
      let sum = a &+ function &+ block[orders[round][step % 16]] &+ constants[round]
      let shift = shifts[round][step % 4]
      (a, b, c, d) = (d, sum << shift | sum >> (32 - shift), b, c)
    }
    return [a, b, c, d]
  }

  /// The word of the block that each step uses, by round.
  private static let orders = [
    Array(0..<16), [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15],
    [0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15],
  ]
  /// The constants of the rounds: zero, and the square roots of 2 and 3.
  private static let constants: [UInt32] = [0, 0x5a82_7999, 0x6ed9_eba1]
  private static let shifts: [[UInt32]] = [[3, 7, 11, 19], [3, 5, 9, 13], [3, 9, 11, 15]]
}
