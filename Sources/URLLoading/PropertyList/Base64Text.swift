/// Base 64 in a property list: RFC 4648 section 4.
enum Base64Text {
  /// The bytes that `text` writes, nil when it is not all digits and padding.
  static func bytes(_ text: some Collection<UInt8>) -> [UInt8]? {
    guard text.count.isMultiple(of: 4) else { return nil }
    let digits = text.prefix { $0 != UInt8(ascii: "=") }
    guard text.count - digits.count <= 2, text.dropFirst(digits.count).allSatisfy({ $0 == UInt8(ascii: "=") })
    else { return nil }
    var bytes: [UInt8] = []
    var bits: UInt32 = 0
    for (index, character) in digits.enumerated() {
      guard let digit = digit(character) else { return nil }
      bits = (bits << 6 | digit) & 0xffff
      // Each digit after the first of four completes a byte.
      if index % 4 != 0 { bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(6 - 2 * (index % 4)))) }
    }
    return bytes
  }

  private static func digit(_ character: UInt8) -> UInt32? {
    switch character {
    case 65...90: UInt32(character - 65)
    case 97...122: UInt32(character - 71)
    case 48...57: UInt32(character + 4)
    case 43: 62
    case 47: 63
    default: nil
    }
  }
}
