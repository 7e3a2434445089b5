extension DistinguishedName {
  /// Whether both name the same entity, RFC 5280 section 7.1: without regard to case, to repeated, leading and
  /// trailing white space, and to which string type holds a value; other values byte by byte.
  public func matches(_ other: DistinguishedName) -> Bool { comparisonKey == other.comparisonKey }

  /// What names that match have in common.
  static func comparisonKey(of relativeNames: [[Attribute]]) -> [UInt8] {
    var key: [UInt8] = []
    for attributes in relativeNames {
      let keys = attributes.map(\.comparisonKey)
      key.append(DERTag.set)
      for part in keys.count > 1 ? keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) : keys { key += part }
    }
    return key
  }
}

extension DistinguishedName.Attribute {
  fileprivate var comparisonKey: [UInt8] {
    var key = DER.objectIdentifier(type)
    key += folded.map { DER.element(DERTag.utf8String, $0) } ?? DER.element(tag, value)
    return key
  }

  /// The words of the text in lower case, one space between them; nil when the value is no text.
  private var folded: [UInt8]? {
    if isASCII { return foldedASCII }
    return text.map { text in
      let words = text.lowercased().split { $0 == " " || $0 == "\t" || $0 == "\n" || $0 == "\r" || $0 == "\r\n" }
      return Array(words.joined(separator: " ").utf8)
    }
  }

  /// Whether the value is text of nothing but ASCII, as nearly all are: folding it takes no knowledge of Unicode.
  private var isASCII: Bool {
    [DERTag.utf8String, DERTag.printableString, DERTag.ia5String].contains(tag) && value.allSatisfy { $0 < 0x80 }
  }

  private var foldedASCII: [UInt8] {
    var folded: [UInt8] = []
    folded.reserveCapacity(value.count)
    for byte in value {
      switch byte {
      case 0x20, 0x09, 0x0A, 0x0D: if let last = folded.last, last != 0x20 { folded.append(0x20) }
      case 0x41...0x5A: folded.append(byte | 0x20)
      default: folded.append(byte)
      }
    }
    if folded.last == 0x20 { folded.removeLast() }
    return folded
  }
}
