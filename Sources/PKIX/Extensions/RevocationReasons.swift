/// Reasons for revocation as a set: ReasonFlags, RFC 5280 section 4.2.1.13. Bit n is the bit n of the standard.
public struct RevocationReasons: OptionSet, Sendable, Hashable {
  /// The bits.
  public let rawValue: UInt16

  /// The reasons with these bits.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// Every reason: bits 1 to 8.
  public static let all = RevocationReasons(rawValue: 0x1FE)

  static func readOptional(
    _ field: String, _ tag: UInt8, _ parts: inout DERCursor
  ) throws(CertificateError) -> RevocationReasons? {
    guard parts.nextTag == tag else { return nil }
    let (octets, _) = try parts.bitString(field, tag)
    var bits: UInt16 = 0
    for (index, octet) in parts.bytes[octets].prefix(2).enumerated() {
      for bit in 0..<8 where octet & (0x80 >> bit) != 0 { bits |= 1 << (index * 8 + bit) }
    }
    return RevocationReasons(rawValue: bits)
  }

  /// The contents of the BIT STRING, without trailing zero bits.
  var bitStringContent: [UInt8] { Array(KeyUsage(rawValue: rawValue).der.dropFirst(2)) }

  /// The standard's names.
  var meaning: String {
    RevocationReasons.names.enumerated().filter { rawValue & (1 << $0.offset) != 0 }.map(\.element)
      .joined(separator: ", ")
  }

  private static let names = [
    "unused", "keyCompromise", "cACompromise", "affiliationChanged", "superseded", "cessationOfOperation",
    "certificateHold", "privilegeWithdrawn", "aACompromise",
  ]
}
