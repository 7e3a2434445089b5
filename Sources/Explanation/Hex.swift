/// Hexadecimal encoding (RFC 4648 section 8) in lower case.
public enum Hex {
  /// Encodes each byte as two lower-case hexadecimal digits.
  public static func string(_ bytes: some Sequence<UInt8>) -> String {
    let digits: [UInt8] = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    for byte in bytes {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Decodes hexadecimal digits, ignoring white space; nil if `text` contains anything else.
  public static func bytes(_ text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    var half: UInt8?
    for character in text.utf8 {
      let digit: UInt8
      switch character {
      case 48...57: digit = character - 48
      case 65...70: digit = character - 55
      case 97...102: digit = character - 87
      case 9, 10, 13, 32: continue
      default: return nil
      }
      if let high = half {
        bytes.append(high << 4 | digit)
        half = nil
      } else {
        half = digit
      }
    }
    return half == nil ? bytes : nil
  }
}
