/// The encodings of text files that contain keys and certificates.
public enum TextEncoding {
  /// Decodes a file in UTF-8 or UTF-16 and removes its byte order mark; nil for any other encoding.
  ///
  /// Windows editors save files in UTF-16.
  public static func text(of bytes: [UInt8]) -> String? {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return String(validating: bytes.dropFirst(3), as: UTF8.self) }
    if bytes.starts(with: [0xFF, 0xFE]) { return utf16(bytes.dropFirst(2), isBigEndian: false) }
    if bytes.starts(with: [0xFE, 0xFF]) { return utf16(bytes.dropFirst(2), isBigEndian: true) }
    // Without a byte order mark, zeros among the first bytes indicate UTF-16.
    if bytes.count > 3, bytes[1] == 0, bytes[3] == 0, bytes[0] != 0 { return utf16(bytes[...], isBigEndian: false) }
    if bytes.count > 3, bytes[0] == 0, bytes[2] == 0, bytes[1] != 0 { return utf16(bytes[...], isBigEndian: true) }
    return String(validating: bytes, as: UTF8.self)
  }

  private static func utf16(_ bytes: ArraySlice<UInt8>, isBigEndian: Bool) -> String? {
    guard bytes.count.isMultiple(of: 2) else { return nil }
    let units = stride(from: bytes.startIndex, to: bytes.endIndex, by: 2).map { index in
      let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
      return isBigEndian ? first << 8 | second : second << 8 | first
    }
    return String(validating: units, as: UTF16.self)
  }
}
