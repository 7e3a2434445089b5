import Cryptography

extension Certificate {
  static func readVersion(_ tbs: inout DERCursor) throws(CertificateError) -> Int {
    guard let tagged = try tbs.optional("version", DERTag.context(0, constructed: true)) else { return 1 }
    var inner = tbs.inside(tagged)
    let number = try inner.smallInteger("version")
    try inner.finish("version")
    guard number > 0 else {
      throw tbs.error(
        "version", at: tagged.range.lowerBound, "the default value v1 is written", "X.690 section 11.5 leaves it out.")
    }
    return number.addingReportingOverflow(1).partialValue
  }

  static func readKey(_ tbs: inout DERCursor) throws(CertificateError) -> ([UInt8], PublicKey) {
    let element = try tbs.next("subjectPublicKeyInfo", DERTag.sequence)
    let encoding = tbs.encoding(element)
    do {
      return (encoding, try PublicKey(subjectPublicKeyInfo: encoding))
    } catch {
      throw tbs.error(
        "subjectPublicKeyInfo", at: element.range.lowerBound, "\(error)",
        "The key must be encoded as its algorithm demands, RFC 3279 section 2.3.")
    }
  }

  /// The extensions behind a tag of their own; none where it does not come next.
  static func readExtensions(
    _ tbs: inout DERCursor, _ field: String = "extensions", _ tag: UInt8 = DERTag.context(3, constructed: true)
  ) throws(CertificateError) -> [Extension] {
    guard let tagged = try tbs.optional(field, tag) else { return [] }
    var inner = tbs.inside(tagged)
    let extensions = try readExtensionList(&inner, field)
    try inner.finish(field)
    return extensions
  }

  /// An Extensions, which holds at least one.
  static func readExtensionList(
    _ cursor: inout DERCursor, _ field: String
  ) throws(CertificateError) -> [Extension] {
    var list = cursor.inside(try cursor.next(field, DERTag.sequence))
    var extensions: [Extension] = []
    repeat { extensions.append(try readExtension(&list)) } while !list.isAtEnd
    return extensions
  }

  private static func readExtension(_ list: inout DERCursor) throws(CertificateError) -> Extension {
    let element = try list.next("Extension", DERTag.sequence)
    var parts = list.inside(element)
    let oid = try parts.objectIdentifier("extnID")
    let critical = parts.nextTag == DERTag.boolean ? try parts.boolean("critical") : false
    let value = try parts.next("extnValue", DERTag.octetString)
    try parts.finish("Extension")
    return Extension(
      oid, critical: critical, value: parts.content(value), range: element.range, valueRange: value.content)
  }
}
