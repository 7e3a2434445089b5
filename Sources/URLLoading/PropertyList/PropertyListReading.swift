extension PropertyList {
  /// How deep arrays and dictionaries may nest.
  static let maximumDepth = 512
  /// How many values a property list may unfold to.
  static let maximumCount = 1_000_000

  /// Reads a property list, XML (Apple's PropertyList-1.0 document type) or binary (`bplist00`).
  ///
  /// Text is UTF-8, or UTF-16 with a byte order mark. Throws where it is neither, is damaged, nests deeper than 512
  /// levels or unfolds to more than a million values; never traps.
  public init(reading bytes: [UInt8]) throws(PropertyListError) {
    if bytes.starts(with: Array("bplist".utf8)) {
      var reader = BinaryPropertyListReader(bytes)
      self = try reader.read()
      return
    }
    let text = try Self.text(bytes)
    guard let first = text.first(where: { ![9, 10, 13, 32].contains($0) }) else {
      throw PropertyListError(
        .empty, "There is nothing in the property list", hint: "An app without settings has `<dict/>` in it.",
        byteCount: bytes.count)
    }
    guard first == UInt8(ascii: "<"), !Self.isOldStyleData(text) else {
      throw Self.refusal(of: first, byteCount: bytes.count)
    }
    var reader = XMLPropertyListReader(text, byteCount: bytes.count)
    self = try reader.read()
  }

  /// An old-style property list can be a lone `<0fbd77>`.
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

  /// The text as UTF-8 without its byte order mark.
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
        .encoding, "The text begins like UTF-16 and is not", hint: "Save the file as UTF-8.", byteCount: bytes.count)
    }
    return Array(text.utf8)
  }
}
