/// A name of a certificate as it is compared with name constraints: what its text means was worked out once.
enum ConstrainedName: Sendable, Hashable {
  /// A host, in lower case and without a final period.
  case dns([UInt8])
  /// `*.` and this host: any one label may stand for the star.
  case wildcard([UInt8])
  /// Four or sixteen bytes.
  case address([UInt8])
  /// A mailbox.
  case mailbox(Mailbox)
  /// The host of a URI.
  case host([UInt8])
  /// The comparison key of a name.
  case directory([UInt8])
  /// A name that cannot be compared: it is outside of everything that is permitted, and may be inside of what is
  /// excluded.
  case incomparable

  /// Whether every host, address or name that this one stands for lies within `subtree`.
  func isWithin(_ subtree: Subtree) -> Bool {
    switch (self, subtree) {
    case (.dns(let name), .dns(let base)), (.wildcard(let name), .dns(let base)): HostText.ends(name, with: base)
    case (.address(let bytes), .address(let base, let mask)): ConstrainedName.equal(bytes, base, under: mask)
    case (.mailbox(let mailbox), .mailbox(let base)): mailbox == base
    case (.mailbox(let mailbox), .host(let base)): HostText.isHost(mailbox.host, within: base)
    case (.host(let host), .host(let base)): HostText.isHost(host, within: base)
    case (.directory(let key), .directory(let base)): ConstrainedName.isBelow(key, base)
    default: false
    }
  }

  /// Whether something that this name stands for lies within `subtree`.
  func mayBeWithin(_ subtree: Subtree) -> Bool {
    switch (self, subtree) {
    case (.incomparable, _): true
    case (.wildcard(let name), .dns(let base)):
      HostText.ends(name, with: base) || HostText.parent(of: base).map { $0 == name[...] } ?? false
    default: isWithin(subtree)
    }
  }

  private static func equal(_ bytes: [UInt8], _ base: [UInt8], under mask: [UInt8]) -> Bool {
    guard bytes.count == base.count, bytes.count == mask.count else { return false }
    for place in bytes.indices where (bytes[place] ^ base[place]) & mask[place] != 0 { return false }
    return true
  }

  /// Whether a distinguished name begins with all relative names of another: both as comparison keys, in which every
  /// relative name begins with the octet of a SET, and an attribute with that of an OBJECT IDENTIFIER.
  private static func isBelow(_ key: [UInt8], _ base: [UInt8]) -> Bool {
    key.starts(with: base) && (key.count == base.count || key[base.count] == DERTag.set)
  }
}

extension NamesByForm<ConstrainedName> {
  /// All names of a certificate that constraints are held against (section 6.1.3 (b) and (c)): the subject, the
  /// alternative names, and the mail addresses of the subject (a MUST where there are no alternative names, and
  /// nowhere forbidden). `usesCommonName` adds the common
  /// name where it may stand for a host: there is no dNSName.
  init(_ certificate: Certificate, usesCommonName: Bool) {
    self.init()
    if !certificate.subject.isEmpty { append(.directory(certificate.subject.comparisonKey), .directory) }
    let names = certificate.subjectAlternativeName?.names
    for name in names ?? [] { append(name) }
    let readsCommonName = usesCommonName && self[.dns].isEmpty
    for attribute in certificate.subject.relativeNames.joined() {
      if attribute.type == .emailAddress { append(.rfc822Name(attribute.text ?? "")) }
      if readsCommonName, attribute.type == .commonName, let text = attribute.text,
        HostText.isHost(text)
      {
        append(.dnsName(text))
      }
    }
  }

  private mutating func append(_ name: GeneralName) {
    switch name {
    case .dnsName(let text): append(HostText.dnsName(text), .dns)
    case .ipAddress(let bytes): append(.address(bytes), .address)
    case .rfc822Name(let text): append(Mailbox(text).map { .mailbox($0) } ?? .incomparable, .mail)
    case .uniformResourceIdentifier(let text):
      append(HostText.host(ofURI: text).map { .host($0) } ?? .incomparable, .uri)
    case .directoryName(let name): append(.directory(name.comparisonKey), .directory)
    case .other(let tag, _): append(unprocessed: tag)
    }
  }
}
