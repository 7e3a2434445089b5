extension PropertyList {
  /// The maximum nesting depth of arrays and dictionaries.
  static let maximumDepth = 512
  /// The maximum number of values after shared values are expanded.
  static let maximumCount = 1_000_000

  /// Reads a property list in XML (Apple's PropertyList-1.0 document type) or in binary format (`bplist00`).
  ///
  /// Text must be UTF-8, or UTF-16 with a byte order mark. The initializer throws an error if the bytes are in neither
  /// format or are damaged. It also throws an error if values are nested deeper than 512 levels, or expand to more than
  /// a million values. It never traps.
  public init(reading bytes: [UInt8]) throws(PropertyListError) {
    if bytes.starts(with: Array("bplist".utf8)) {
      var reader = BinaryPropertyListReader(bytes)
      self = try reader.read()
      return
    }
    guard !Self.isZip(bytes) else {
      throw PropertyListError(
        .notAPropertyList, "This is a zip archive, not a property list",
        hint: "The commands of `trustlab ats` read an app archive if its name ends in `.ipa`. Otherwise, unzip it "
          + "and pass its Info.plist.", byteCount: bytes.count)
    }
    let text = try Self.text(bytes)
    guard let first = text.first(where: { ![9, 10, 13, 32].contains($0) }) else {
      throw PropertyListError(
        .empty, "The property list is empty", hint: "An Info.plist without settings contains `<dict/>`.",
        byteCount: bytes.count)
    }
    guard first == UInt8(ascii: "<"), !Self.isOldStyleData(text) else {
      throw Self.refusal(of: first, byteCount: bytes.count)
    }
    var reader = XMLPropertyListReader(text, byteCount: bytes.count)
    self = try reader.read()
  }

  /// Returns whether the bytes begin like a zip archive that has files, is empty, or is split.
  ///
  /// See APPNOTE.TXT, sections 4.3.7, 4.3.16 and 8.5.3.
  private static func isZip(_ bytes: [UInt8]) -> Bool {
    let signatures: [[UInt8]] = [[0x50, 0x4b, 3, 4], [0x50, 0x4b, 5, 6], [0x50, 0x4b, 7, 8]]
    return signatures.contains { bytes.starts(with: $0) }
  }

  /// Returns whether a text is a single `<0fbd77>`, which is a valid old-style property list.
  private static func isOldStyleData(_ text: [UInt8]) -> Bool {
    guard let open = text.firstIndex(of: UInt8(ascii: "<")), open + 1 < text.count else { return false }
    return (48...57).contains(text[open + 1])
  }

  private static func refusal(of first: UInt8, byteCount: Int) -> PropertyListError {
    if first < 32 || first >= 127 {
      return PropertyListError(
        .notAPropertyList, "This is not a property list",
        hint: "An Info.plist is XML that begins with `<?xml`, or binary that begins with `bplist00`.",
        byteCount: byteCount)
    }
    return PropertyListError(
      .oldStyleText, "This is text in the old OpenStep style or JSON, not an XML or binary property list",
      hint: "Convert it with `plutil -convert xml1 FILE`.", place: Place(line: 1, column: 1), byteCount: byteCount)
  }

  /// Converts the text to UTF-8 without a byte order mark.
  private static func text(_ bytes: [UInt8]) throws(PropertyListError) -> [UInt8] {
    switch (bytes.first, bytes.dropFirst().first) {
    case (0xef, 0xbb): return Array(bytes.dropFirst(bytes.dropFirst(2).first == 0xbf ? 3 : 0))
    case (0xfe, 0xff): return try utf8(bytes, high: 0, low: 1)
    case (0xff, 0xfe): return try utf8(bytes, high: 1, low: 0)
    default: return bytes
    }
  }

  private static func utf8(_ bytes: [UInt8], high: Int, low: Int) throws(PropertyListError) -> [UInt8] {
    let units = stride(from: 2, to: bytes.count - 1, by: 2).map { index in
      UInt16(bytes[index + high]) << 8 | UInt16(bytes[index + low])
    }
    guard bytes.count.isMultiple(of: 2), let text = String(validating: units, as: UTF16.self) else {
      throw PropertyListError(
        .encoding, "The text begins like UTF-16, but is not valid UTF-16", hint: "Save the file as UTF-8.",
        byteCount: bytes.count)
    }
    return Array(text.utf8)
  }
}

/// The reason why bytes are not a readable property list, with its location.
public struct PropertyListError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of error.
  public enum Reason: String, Sendable, Hashable, CaseIterable {
    /// The input is empty.
    case empty
    /// The input is neither XML nor a binary property list.
    case notAPropertyList
    /// The input is text in the old style of OpenStep, or JSON. Info.plist files do not use these formats.
    case oldStyleText
    /// The text uses an unsupported encoding.
    case encoding
    /// The XML is not well-formed, or not a property list.
    case malformedXML
    /// The binary property list is truncated or damaged.
    case damagedBinary
    /// The values are nested deeper than 512 levels.
    case tooDeep
    /// The binary property list expands to more than a million values.
    case tooLarge
  }

  /// The kind of error.
  public let reason: Reason
  /// A description of the error, as a sentence without a full stop.
  public let message: String
  /// The fix for the error.
  public let hint: String
  /// The location in the text; nil for binary property lists.
  public let place: PropertyList.Place?
  /// The size of the input in bytes.
  public let byteCount: Int
  /// The offset in a binary property list; nil if unknown.
  public let byteOffset: Int?

  init(
    _ reason: Reason, _ message: String, hint: String, place: PropertyList.Place? = nil, byteCount: Int,
    byteOffset: Int? = nil
  ) {
    self.reason = reason
    self.message = message
    self.hint = hint
    self.place = place
    self.byteCount = byteCount
    self.byteOffset = byteOffset
  }

  /// The line in the text, counted from 1.
  public var line: Int? { place?.line }
  /// The column in the text in characters, counted from 1.
  public var column: Int? { place?.column }

  /// The location, if there is one, followed by the message.
  public var description: String { (place.map { "\($0): " } ?? "") + message }
}

/// Base 64 in a property list (RFC 4648 section 4).
package enum Base64Text {
  /// Decodes `text`; nil if it contains characters that are neither Base64 digits nor padding.
  package static func bytes(_ text: some Collection<UInt8>) -> [UInt8]? {
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
