import Explanation
import PKIX
import Trust
import URLLoading

// What a certificate says beyond the usual, and what systems were told about it.
extension NodeReader {
  /// One list of what is not trusted, or several.
  func distrusts() -> [DistrustDescription] {
    if case .list = node { return list { $0.distrust() } ?? [] }
    return distrust().map { [$0] } ?? []
  }

  private func distrust() -> DistrustDescription? {
    guard let map = map(Vocabulary.distrust) else { return nil }
    let since = map["since"].map { reader in
      if case .list = reader.node { return reader.list { $0.os() } ?? [] }
      return reader.os().map { [$0] } ?? []
    }
    return DistrustDescription(
      from: map["from"]?.date(), since: since ?? [], issuedFrom: map["issuedFrom"]?.date(),
      issuedBefore: map["issuedBefore"]?.date(), except: map["except"]?.list { $0.text() } ?? [])
  }

  /// Subtrees of names that are permitted and excluded.
  func nameConstraints() -> NameConstraints? {
    guard let map = map(Vocabulary.nameConstraints) else { return nil }
    let constraints = NameConstraints(
      permitted: map["permitted"]?.list { $0.subtree() } ?? [], excluded: map["excluded"]?.list { $0.subtree() } ?? [])
    if constraints.permitted.isEmpty, constraints.excluded.isEmpty {
      fail("\(path) permits nothing and excludes nothing", hint: "write { permitted: [company.example] }")
    }
    return constraints
  }

  /// A host, addresses, `email:` a mailbox or host, `URI:` a host: RFC 5280 section 4.2.1.10.
  private func subtree() -> GeneralSubtree? {
    guard let text = text() else { return nil }
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x21..<0x7F).contains($0) }) else {
      fail(
        "'\(text)' is no part of a name space",
        hint: "write company.example, 192.0.2.0/24, email:company.example or URI:company.example")
      return nil
    }
    if text.hasPrefix("email:") { return .rfc822Name(String(text.dropFirst(6))) }
    if text.hasPrefix("URI:") { return .uniformResourceIdentifier(String(text.dropFirst(4))) }
    guard text.contains("/") else { return .dnsName(text) }
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let address = IPAddress(String(parts[0])), let length = Int(parts[1]),
      (0...address.bytes.count * 8).contains(length)
    else {
      fail("'\(text)' is no range of addresses", hint: "write 192.0.2.0/24 or 2001:db8::/32")
      return nil
    }
    return .ipAddress(address.bytes, mask: Self.mask(length, bytes: address.bytes.count))
  }

  private static func mask(_ length: Int, bytes: Int) -> [UInt8] {
    (0..<bytes).map { index in
      let bits = min(8, max(0, length - 8 * index))
      return bits == 0 ? 0 : 0xFF << (8 - bits)
    }
  }

  /// The contents of an INTEGER: a number, or its octets as they are.
  func serialNumber() -> [UInt8]? {
    guard let text = text() else { return nil }
    if text.hasPrefix("0x"), let octets = Hex.bytes(String(text.dropFirst(2))), (1...64).contains(octets.count) {
      return octets
    }
    guard let number = Int64(text) else {
      fail("'\(text)' is no serial number", hint: "write 0, -5, or 1 to 64 octets as they shall be: 0x01ff")
      return nil
    }
    var octets = (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
    while octets.count > 1, octets[0] == (octets[1] >= 0x80 ? 0xFF : 0) { octets.removeFirst() }
    return octets
  }

  /// Where a certificate can be fetched over plain HTTP.
  func issuerLocation() -> String? {
    guard let text = text() else { return nil }
    guard text.utf8.allSatisfy({ $0 < 0x80 }), let url = try? LoadURL(text), url.scheme == "http" else {
      fail("'\(text)' is no place to fetch a certificate from", hint: "write http://ca.example/issuing.cer")
      return nil
    }
    return text
  }
}
