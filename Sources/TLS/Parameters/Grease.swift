import Explanation

/// Reserved values without meaning, which make sure that servers ignore unknown values: RFC 8701.
///
/// Each is drawn from a stream of its own, so that hellos differ like those of real clients.
struct Grease: Sendable, Hashable {
  /// Among the cipher suites.
  let cipherSuite: UInt16
  /// Among the groups, and with a share of one byte.
  let group: UInt16
  /// Among the versions.
  let version: UInt16
  /// The extensions in order, all different.
  let extensions: [UInt16]

  /// Draws the values of the party that `random` belongs to.
  init(_ random: RandomStreams) {
    let drawn = random.bytes(for: ValueName(.grease), count: 5).map(Self.value)
    (cipherSuite, group, version) = (drawn[0], drawn[1], drawn[2])
    extensions = [drawn[3], drawn[4] == drawn[3] ? drawn[4] ^ 0x1010 : drawn[4]]
  }

  /// One of the sixteen values 0x0a0a, 0x1a1a, … 0xfafa: RFC 8701 section 2.
  private static func value(_ byte: UInt8) -> UInt16 { UInt16(byte & 0xf0 | 0x0a) * 0x0101 }
}

extension UInt16 {
  /// Whether the number is a GREASE value of suites, groups, extensions and versions: RFC 8701 section 2.
  var isGrease: Bool { self & 0x0f0f == 0x0a0a && self >> 8 == self & 0xff }

  /// The number, for a registry without a name for it: `0x1305`, `GREASE (0x0a0a)`.
  var unregisteredName: String { isGrease ? "GREASE (\(codePoint))" : codePoint }
}
