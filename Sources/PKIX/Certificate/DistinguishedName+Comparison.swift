extension DistinguishedName {
  /// Whether both name the same entity, RFC 5280 section 7.1: without regard to case, to repeated, leading and
  /// trailing white space, and to which string type holds a value; other values byte by byte.
  public func matches(_ other: DistinguishedName) -> Bool {
    der == other.der || comparisonKey == other.comparisonKey
  }

  /// Equal for names that match, and only for those.
  var comparisonKey: [UInt8] {
    DER.sequence(
      of: relativeNames.map { attributes in
        let keys = attributes.map { DER.sequence(DER.objectIdentifier($0.type), $0.comparisonKey) }
        return DER.element(DERTag.set, keys.sorted { $0.lexicographicallyPrecedes($1) }.flatMap { $0 })
      })
  }
}

extension DistinguishedName.Attribute {
  fileprivate var comparisonKey: [UInt8] {
    guard let text else { return DER.element(tag, value) }
    let words = text.lowercased().split { $0 == " " || $0 == "\t" || $0 == "\n" || $0 == "\r" || $0 == "\r\n" }
    return DER.element(DERTag.utf8String, Array(words.joined(separator: " ").utf8))
  }
}
