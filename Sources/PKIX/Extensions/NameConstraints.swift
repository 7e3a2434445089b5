import Explanation

/// The names that later certificates in a path may have (RFC 5280 section 4.2.1.10).
public struct NameConstraints: CertificateExtension {
  /// id-ce-nameConstraints.
  public static let oid = OID.nameConstraints
  /// The permitted names. A type of name that does not occur here is not restricted.
  public let permitted: [GeneralSubtree]
  /// The excluded names, which take precedence over permitted names.
  public let excluded: [GeneralSubtree]

  /// Creates the constraints. At least one of the two lists should have an element.
  public init(permitted: [GeneralSubtree] = [], excluded: [GeneralSubtree] = []) {
    self.permitted = permitted
    self.excluded = excluded
  }

  /// Reads a NameConstraints value with permitted subtrees, excluded subtrees or both. Neither list may be empty.
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
        "RFC 5280 section 4.2.1.10: at least one of the two MUST be present.")
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

  /// The constraints in one line, such as `permitted DNS:example.com; excluded IP:192.0.2.0/24`.
  public var meaning: String {
    [("permitted", permitted), ("excluded", excluded)].filter { !$0.1.isEmpty }
      .map { "\($0.0) \($0.1.map(\.meaning).joined(separator: ", "))" }.joined(separator: "; ")
  }
}

/// A subtree of names: the base of a GeneralSubtree (RFC 5280 section 4.2.1.10).
///
/// The minimum of the GeneralSubtree is 0, and the maximum is absent.
public enum GeneralSubtree: Sendable, Hashable {
  /// A host and every host below it. The empty name matches all hosts.
  case dnsName(String)
  /// The addresses that equal this address under the mask. Both have four or sixteen bytes.
  case ipAddress([UInt8], mask: [UInt8])
  /// A mailbox, all mailboxes on a host, or all mailboxes in a domain (with a leading period).
  case rfc822Name(String)
  /// A host, or all hosts of a domain (with a leading period).
  case uniformResourceIdentifier(String)
  /// A distinguished name and every name below it.
  case directoryName(DistinguishedName)
  /// A subtree of another type, with its identifier octet and content octets.
  case other(tag: UInt8, content: [UInt8])

  static func read(_ list: inout DERCursor) throws(CertificateError) -> GeneralSubtree {
    var parts = list.inside(try list.next("GeneralSubtree", DERTag.sequence))
    let base = try readBase(&parts)
    if let minimum = try parts.optional("minimum", DERTag.context(0)), parts.content(minimum) != [0] {
      throw parts.error(
        "minimum", at: minimum.range.lowerBound, "not 0", "RFC 5280 section 4.2.1.10: minimum MUST be zero.")
    }
    guard parts.isAtEnd else {
      throw parts.error(
        "maximum", at: parts.position, "present", "RFC 5280 section 4.2.1.10: maximum MUST be absent.")
    }
    return base
  }

  private static func readBase(_ parts: inout DERCursor) throws(CertificateError) -> GeneralSubtree {
    guard parts.nextTag == GeneralName.Tag.ipAddress else {
      switch try GeneralName.read(&parts) {
      case .dnsName(let name): return .dnsName(name)
      case .rfc822Name(let name): return .rfc822Name(name)
      case .uniformResourceIdentifier(let name): return .uniformResourceIdentifier(name)
      case .directoryName(let name): return .directoryName(name)
      case .ipAddress(let bytes): return .other(tag: GeneralName.Tag.ipAddress, content: bytes)
      case .other(let tag, let content): return .other(tag: tag, content: content)
      }
    }
    let element = try parts.next("iPAddress")
    let bytes = parts.content(element)
    guard bytes.count == 8 || bytes.count == 32 else {
      throw parts.error(
        "iPAddress", at: element.content.lowerBound, "\(bytes.count) bytes",
        "An address and its mask have 8 bytes (IPv4) or 32 bytes (IPv6).")
    }
    return .ipAddress(Array(bytes.prefix(bytes.count / 2)), mask: Array(bytes.suffix(bytes.count / 2)))
  }

  var der: [UInt8] {
    switch self {
    case .dnsName(let name): DER.sequence(GeneralName.dnsName(name).der)
    case .ipAddress(let address, let mask): DER.sequence(DER.element(GeneralName.Tag.ipAddress, address + mask))
    case .rfc822Name(let name): DER.sequence(GeneralName.rfc822Name(name).der)
    case .uniformResourceIdentifier(let name): DER.sequence(GeneralName.uniformResourceIdentifier(name).der)
    case .directoryName(let name): DER.sequence(GeneralName.directoryName(name).der)
    case .other(let tag, let content): DER.sequence(DER.element(tag, content))
    }
  }

  /// The type and base of the subtree, such as `DNS:example.com` or `IP:192.0.2.0/24`.
  public var meaning: String {
    switch self {
    case .dnsName(let name): GeneralName.dnsName(name).meaning
    case .ipAddress(let address, let mask):
      "IP:\(GeneralName.address(address))/\(prefixLength.map(String.init) ?? GeneralName.address(mask))"
    case .rfc822Name(let name): GeneralName.rfc822Name(name).meaning
    case .uniformResourceIdentifier(let name): GeneralName.uniformResourceIdentifier(name).meaning
    case .directoryName(let name): GeneralName.directoryName(name).meaning
    case .other(let tag, let content): GeneralName.other(tag: tag, content: content).meaning
    }
  }

  /// The prefix length of an address (RFC 4632); nil for a mask with gaps, and for other types.
  var prefixLength: Int? {
    guard case .ipAddress(_, let mask) = self else { return nil }
    var bits = 0
    var isOver = false
    for byte in mask {
      let leading = (~byte).leadingZeroBitCount
      guard byte == 0 || !isOver, leading == 8 || byte << leading == 0 else { return nil }
      bits += leading
      isOver = isOver || leading < 8
    }
    return bits
  }
}

extension Certificate {
  /// The name constraints; nil if the extension is absent or malformed.
  public var nameConstraints: NameConstraints? { decoded() }
}
