import Explanation

/// Reserved values without meaning, which ensure that servers ignore unknown values (RFC 8701).
///
/// Each value has its own random stream, so that ClientHellos vary like those of real clients.
struct Grease: Sendable, Hashable {
  /// The value among the cipher suites.
  let cipherSuite: UInt16
  /// The value among the groups, which also has a key share of one byte.
  let group: UInt16
  /// The value among the versions.
  let version: UInt16
  /// The extension types in order, all different.
  let extensions: [UInt16]

  /// Generates the values of the party that `random` belongs to.
  init(_ random: RandomStreams) {
    let drawn = random.bytes(for: ValueName(.grease), count: 5).map(Self.value)
    (cipherSuite, group, version) = (drawn[0], drawn[1], drawn[2])
    extensions = [drawn[3], drawn[4] == drawn[3] ? drawn[4] ^ 0x1010 : drawn[4]]
  }

  /// One of the sixteen values 0x0a0a, 0x1a1a, …, 0xfafa (RFC 8701 section 2).
  private static func value(_ byte: UInt8) -> UInt16 { UInt16(byte & 0xf0 | 0x0a) * 0x0101 }
}

extension UInt16 {
  /// Whether the code point is a GREASE value for suites, groups, extensions and versions (RFC 8701 section 2).
  var isGrease: Bool { self & 0x0f0f == 0x0a0a && self >> 8 == self & 0xff }

  /// The name of an unregistered code point, such as `0x1305` or `GREASE (0x0a0a)`.
  var unregisteredName: String { isGrease ? "GREASE (\(codePoint))" : codePoint }
}
