import Explanation

/// A name of one of many kinds, RFC 5280 section 4.2.1.6.
public enum GeneralName: Sendable, Hashable {
  /// A host name, as it is written.
  case dnsName(String)
  /// An address: four bytes, or sixteen.
  case ipAddress([UInt8])
  /// Any other kind: its identifier octet and its content octets.
  case other(tag: UInt8, content: [UInt8])

  static func read(_ cursor: inout DERCursor) throws(CertificateError) -> GeneralName {
    let element = try cursor.next("GeneralName")
    let content = cursor.content(element)
    switch element.tag {
    case DERTag.context(2):
      guard content.allSatisfy({ $0 < 0x80 }) else {
        throw cursor.error(
          "dNSName", at: element.content.lowerBound, "a character beyond ASCII",
          "An IA5String holds ASCII; international names are written as A-labels (RFC 5890).")
      }
      return .dnsName(String(decoding: content, as: UTF8.self))
    case DERTag.context(7):
      guard content.count == 4 || content.count == 16 else {
        throw cursor.error(
          "iPAddress", at: element.content.lowerBound, "\(content.count) bytes", "4 for IPv4, 16 for IPv6.")
      }
      return .ipAddress(content)
    case let tag where tag & 0xC0 == 0x80 && tag & 0x1F <= 8: return .other(tag: tag, content: content)
    case let tag:
      throw cursor.error(
        "GeneralName", at: element.range.lowerBound, "\(DERTag.name(tag)) where one of [0] to [8] belongs",
        "RFC 5280 section 4.2.1.6")
    }
  }

  var der: [UInt8] {
    switch self {
    case .dnsName(let name): DER.element(DERTag.context(2), Array(name.utf8))
    case .ipAddress(let bytes): DER.element(DERTag.context(7), bytes)
    case .other(let tag, let content): DER.element(tag, content)
    }
  }

  /// `DNS:api.example`, `IP:192.0.2.1`.
  public var meaning: String {
    switch self {
    case .dnsName(let name): "DNS:\(name)"
    case .ipAddress(let bytes): "IP:\(GeneralName.address(bytes))"
    case .other(let tag, let content): "\(DERTag.name(tag)):\(Hex.string(content))"
    }
  }

  /// An address as it is usually written; IPv6 in eight groups.
  static func address(_ bytes: [UInt8]) -> String {
    if bytes.count == 4 { return bytes.map(String.init).joined(separator: ".") }
    return stride(from: 0, to: bytes.count - 1, by: 2).map { place in
      String(UInt16(bytes[place]) << 8 | UInt16(bytes[place + 1]), radix: 16)
    }.joined(separator: ":")
  }
}
