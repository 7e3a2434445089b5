import Explanation

extension Certificate {
  /// The certificate as a tree with the field names of RFC 5280 section 4.1 and byte ranges over `der`.
  ///
  /// Each access builds the tree again.
  public var field: Field {
    var whole = DERCursor(der)
    guard let outer = try? whole.next("Certificate") else { return Field("Certificate", 0..<der.count) }
    var parts = whole.inside(outer)
    var children: [Field] = []
    if let signed = try? parts.next("tbsCertificate") {
      children.append(Field("tbsCertificate", signed.range, children: signedFields(parts.inside(signed))))
    }
    if let algorithm = try? parts.next("signatureAlgorithm") {
      children.append(Field("signatureAlgorithm", algorithm.range, meaning: signatureAlgorithm.description))
    }
    if let value = try? parts.next("signatureValue") {
      children.append(Field("signatureValue", value.range, meaning: "\(signature.count) bytes"))
    }
    return Field("Certificate", outer.range, meaning: displayName, children: children)
  }

  private func signedFields(_ start: DERCursor) -> [Field] {
    var tbs = start
    var fields: [Field] = []
    if tbs.nextTag == DERTag.context(0, constructed: true), let element = try? tbs.next("version") {
      fields.append(Field("version", element.range, meaning: "v\(version)"))
    }
    let plain: [(String, String)] = [
      ("serialNumber", Hex.string(serialNumber)), ("signature", signedSignatureAlgorithm.description),
      ("issuer", issuer.description), ("validity", "\(notBefore) to \(notAfter)"), ("subject", subject.description),
      ("subjectPublicKeyInfo", keyMeaning),
    ]
    for (name, meaning) in plain {
      guard let element = try? tbs.next(name) else { return fields }
      fields.append(Field(name, element.range, meaning: meaning, children: parts(of: name, tbs.inside(element))))
    }
    while let element = try? tbs.next("extensions") { fields.append(trailing(element)) }
    return fields
  }

  private var keyMeaning: String {
    publicKey.algorithmName + (publicKey.bits.map { ", \($0) bits" } ?? "")
  }

  private func parts(of name: String, _ start: DERCursor) -> [Field] {
    let names: [(String, String)]
    switch name {
    case "validity": names = [("notBefore", notBefore.description), ("notAfter", notAfter.description)]
    case "subjectPublicKeyInfo": names = [("algorithm", publicKey.algorithmName), ("subjectPublicKey", keyMeaning)]
    default: return []
    }
    var cursor = start
    return names.compactMap { name, meaning in
      (try? cursor.next(name)).map { Field(name, $0.range, meaning: meaning) }
    }
  }

  private func trailing(_ element: DERElement) -> Field {
    switch element.tag {
    case DERTag.context(1): Field("issuerUniqueID", element.range)
    case DERTag.context(2): Field("subjectUniqueID", element.range)
    default:
      Field(
        "extensions", element.range, meaning: "\(extensions.count)",
        children: extensions.map { item in
          let children = [Field("extnValue", item.valueRange, meaning: meaning(of: item))]
          return Field(
            item.oid.name, item.range, meaning: (item.critical ? "critical: " : "") + meaning(of: item),
            children: children)
        })
    }
  }

  /// Describes an extension in one line. For an extension that is malformed or not decoded, the description is its
  /// bytes.
  public func meaning(of item: Extension) -> String {
    decodedExtensions.content(item.oid)?.meaning ?? Hex.string(item.value)
  }
}
