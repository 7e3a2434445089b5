import Explanation

/// A part of a name space, RFC 5280 section 4.2.1.10: the base of a GeneralSubtree, whose minimum is 0 and whose
/// maximum is absent.
public enum GeneralSubtree: Sendable, Hashable {
  /// A host and every host below it; the empty name is all of them.
  case dnsName(String)
  /// The addresses that equal this one under the mask: four bytes each, or sixteen.
  case ipAddress([UInt8], mask: [UInt8])
  /// A mailbox, all mailboxes on a host, or (with a leading period) in a domain.
  case rfc822Name(String)
  /// A host, or (with a leading period) the hosts of a domain.
  case uniformResourceIdentifier(String)
  /// A name and every name below it.
  case directoryName(DistinguishedName)
  /// Any other kind: its identifier octet and its content octets.
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
        "An address and its mask: 8 bytes for IPv4, 32 for IPv6.")
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

  /// `DNS:example.com`, `IP:192.0.2.0/24`.
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

  /// How many leading bits of an address count (RFC 4632); nil for a mask with gaps, and for other kinds.
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
