/// The name space in which all names of later certificates must lie, RFC 5280 section 4.2.1.10.
public struct NameConstraints: CertificateExtension {
  /// id-ce-nameConstraints.
  public static let oid = OID.nameConstraints
  /// The names that are allowed; kinds that do not occur are not restricted.
  public let permitted: [GeneralSubtree]
  /// The names that are not, whatever is allowed.
  public let excluded: [GeneralSubtree]

  /// Constraints; one of the two lists should have an element.
  public init(permitted: [GeneralSubtree] = [], excluded: [GeneralSubtree] = []) {
    self.permitted = permitted
    self.excluded = excluded
  }

  /// Reads a NameConstraints, which holds at least one of the two lists, neither empty.
  public init(der: [UInt8]) throws(CertificateError) {
    var whole = DERCursor(der)
    var parts = whole.inside(try whole.next("NameConstraints", DERTag.sequence))
    try whole.finish("NameConstraints")
    let permitted = try NameConstraints.list(0, "permittedSubtrees", &parts)
    let excluded = try NameConstraints.list(1, "excludedSubtrees", &parts)
    try parts.finish("NameConstraints")
    guard permitted != nil || excluded != nil else {
      throw whole.error(
        "NameConstraints", at: 0, "neither permittedSubtrees nor excludedSubtrees",
        "RFC 5280 section 4.2.1.10: one of them MUST be present.")
    }
    self.init(permitted: permitted ?? [], excluded: excluded ?? [])
  }

  private static func list(
    _ number: UInt8, _ field: String, _ parts: inout DERCursor
  ) throws(CertificateError) -> [GeneralSubtree]? {
    guard let element = try parts.optional(field, DERTag.context(number, constructed: true)) else { return nil }
    var list = parts.inside(element)
    var subtrees: [GeneralSubtree] = []
    repeat { subtrees.append(try GeneralSubtree.read(&list)) } while !list.isAtEnd
    return subtrees
  }

  /// The encoding.
  public var der: [UInt8] {
    func list(_ number: UInt8, _ subtrees: [GeneralSubtree]) -> [UInt8] {
      subtrees.isEmpty ? [] : DER.element(DERTag.context(number, constructed: true), subtrees.flatMap(\.der))
    }
    return DER.sequence(list(0, permitted), list(1, excluded))
  }

  /// `permitted DNS:example.com; excluded IP:192.0.2.0/24`.
  public var meaning: String {
    [("permitted", permitted), ("excluded", excluded)].filter { !$0.1.isEmpty }
      .map { "\($0.0) \($0.1.map(\.meaning).joined(separator: ", "))" }.joined(separator: "; ")
  }
}
