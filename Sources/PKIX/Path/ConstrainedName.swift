/// A certificate's name, parsed once for comparison with name constraints.
enum ConstrainedName: Sendable, Hashable {
  /// A host, in lower case and without a final period.
  case dns([UInt8])
  /// A host after a wildcard label (`*.`), which matches any one label.
  case wildcard([UInt8])
  /// An address of four or sixteen bytes.
  case address([UInt8])
  /// A mailbox.
  case mailbox(Mailbox)
  /// The host of a URI.
  case host([UInt8])
  /// A distinguished name, as its comparison key.
  case directory([UInt8])
  /// A name that cannot be compared. It is outside every permitted subtree and may be inside an excluded one.
  case incomparable

  /// Returns whether every host, address or name that this name matches is within `subtree`.
  func isWithin(_ subtree: Subtree) -> Bool {
    switch (self, subtree) {
    case (.dns(let name), .dns(let base)): HostText.ends(name, with: base)
    // Every host that *.example matches is below example, as the constraint .example requires.
    case (.wildcard(let name), .dns(let base)):
      HostText.ends(name, with: base) || base.first == UInt8(ascii: ".") && name[...] == base.dropFirst()
    case (.address(let bytes), .address(let base, let mask)): ConstrainedName.equal(bytes, base, under: mask)
    case (.mailbox(let mailbox), .mailbox(let base)): mailbox == base
    case (.mailbox(let mailbox), .host(let base)): HostText.isHost(mailbox.host, within: base)
    case (.host(let host), .host(let base)): HostText.isHost(host, within: base)
    case (.directory(let key), .directory(let base)): ConstrainedName.isBelow(key, base)
    default: false
    }
  }

  /// Returns whether at least one host, address or name that this name matches is within `subtree`.
  func mayBeWithin(_ subtree: Subtree, _ mayCover: ([UInt8], [UInt8]) -> Bool = HostText.mayCover) -> Bool {
    switch (self, subtree) {
    case (.incomparable, _), (_, .malformed): true
    case (.wildcard(let name), .dns(let base)): mayCover(name, base)
    default: isWithin(subtree)
    }
  }

  private static func equal(_ bytes: [UInt8], _ base: [UInt8], under mask: [UInt8]) -> Bool {
    guard bytes.count == base.count, bytes.count == mask.count else { return false }
    for place in bytes.indices where (bytes[place] ^ base[place]) & mask[place] != 0 { return false }
    return true
  }

  /// Returns whether a distinguished name begins with all RDNs of another name.
  ///
  /// Both arguments are comparison keys. In a comparison key, every RDN begins with the tag of a SET, and every
  /// attribute with the tag of an OBJECT IDENTIFIER.
  private static func isBelow(_ key: [UInt8], _ base: [UInt8]) -> Bool {
    key.starts(with: base) && (key.count == base.count || key[base.count] == DERTag.set)
  }
}

extension NamesByForm<ConstrainedName> {
  /// Collects all names of a certificate to which constraints apply (section 6.1.3 (b) and (c)).
  ///
  /// These are the subject, the alternative names, and the mail addresses of the subject. The RFC requires the check of
  /// mail addresses only if there are no alternative names, and never forbids it. `usesCommonName` adds the common name
  /// if there is no dNSName.
  init(_ certificate: Certificate, usesCommonName: Bool, ofAnyForm: Bool = false) {
    self.init()
    if !certificate.subject.isEmpty { append(.directory(certificate.subject.comparisonKey), .directory) }
    let names = certificate.subjectAlternativeName?.names
    for name in names ?? [] { append(name) }
    let readsCommonName = usesCommonName && self[.dns].isEmpty
    for attribute in certificate.subject.relativeNames.joined() {
      if attribute.type == .emailAddress { append(.rfc822Name(attribute.text ?? "")) }
      if readsCommonName, attribute.type == .commonName, let text = attribute.text,
        ofAnyForm ? HostText.mayBeHost(text) : HostText.isHost(text)
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

/// Functions for host names as lower-case bytes, compared by whole labels from the right.
enum HostText {
  private static let period = UInt8(ascii: ".")

  /// Returns the bytes of `text`, with letters in lower case.
  static func folded(_ text: String) -> [UInt8] { folded(text.utf8) }

  /// Returns the bytes, with letters in lower case.
  static func folded(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    bytes.map { (65...90).contains($0) ? $0 | 0x20 : $0 }
  }

  /// Parses a dNSName. A final period is ignored, and a wildcard label in the first place matches any label.
  static func dnsName(_ text: String) -> ConstrainedName {
    var name = folded(text)
    if name.last == period { name.removeLast() }
    guard name.contains(UInt8(ascii: "*")) else { return .dns(name) }
    let first = name.firstIndex(of: period)
    guard let first, !name[first...].contains(UInt8(ascii: "*")) else { return .incomparable }
    return .wildcard(Array(name[(first + 1)...]))
  }

  /// Returns whether `name` is `base`, or ends with a period and `base`. Every name ends with the empty base.
  ///
  /// The RFC does not define bases that begin with a period. Such a base does not match itself.
  static func ends(_ name: [UInt8], with base: [UInt8]) -> Bool {
    let before = name.count - base.count
    guard before >= 0 else { return false }
    var place = base.count
    while place > 0 {
      place -= 1
      if name[before + place] != base[place] { return false }
    }
    guard before > 0, let first = base.first else { return base.isEmpty || before == 0 && base.first != period }
    return first == period || name[before - 1] == period
  }

  /// Returns whether a wildcard name may match a host within `base`; `wildcard` omits the wildcard label.
  ///
  /// The name may match if it is within `base`, or if the wildcard label can complete it to `base`.
  static func mayCover(_ wildcard: [UInt8], _ base: [UInt8]) -> Bool {
    ends(wildcard, with: base) || parent(of: base).map { $0 == wildcard[...] } ?? false
  }

  /// Returns whether `host` is `base`, or is below it if `base` begins with a period.
  static func isHost(_ host: [UInt8], within base: [UInt8]) -> Bool {
    base.first == period ? ends(host, with: base) : base.isEmpty || host == base
  }

  /// Returns the name without its first label; nil if it has only one.
  static func parent(of name: [UInt8]) -> ArraySlice<UInt8>? {
    name.firstIndex(of: period).map { name[($0 + 1)...] }
  }

  /// Returns whether `text` could be a host with more than one label.
  ///
  /// Such a host contains letters, digits, hyphens, underscores and periods.
  static func isHost(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    let labels = bytes.split(separator: period, omittingEmptySubsequences: false)
    return mayBeHost(text) && bytes.allSatisfy { $0 < 0x80 } && labels.count > 1
      && labels.allSatisfy { !$0.isEmpty && $0.first != 45 && $0.last != 45 }
  }

  /// Returns whether a validator that compares octets could mistake `text` for a host.
  ///
  /// Such a validator also accepts single labels and text beyond ASCII.
  static func mayBeHost(_ text: String) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy { byte in
        (97...122).contains(byte | 0x20) || (48...57).contains(byte) || [45, 46, 95, 42].contains(byte) || byte >= 0x80
      }
  }

  /// Returns the host of a URI in lower case (RFC 3986 section 3.2.2). The result is nil for an address, or if there is
  /// no host.
  static func host(ofURI text: String) -> [UInt8]? {
    let bytes = folded(text)
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[(colon + 1)...].starts(with: [47, 47]) else {
      return nil
    }
    let authority = bytes[(colon + 3)...].prefix { ![47, 63, 35].contains($0) }
    var host = authority
    if let sign = authority.lastIndex(of: UInt8(ascii: "@")) { host = authority[(sign + 1)...] }
    if let colon = host.firstIndex(of: UInt8(ascii: ":")) { host = host[..<colon] }
    if host.last == period { host = host.dropLast() }
    let isAddress = host.allSatisfy { $0 == period || (48...57).contains($0) }
    return host.isEmpty || host.first == UInt8(ascii: "[") || isAddress ? nil : Array(host)
  }
}

/// A mailbox `local@host` (RFC 5280 section 4.2.1.6).
///
/// The host is in lower case, and the local part is unchanged (section 7.5).
struct Mailbox: Sendable, Hashable {
  let local: [UInt8]
  let host: [UInt8]

  /// Reads a mailbox. The result is nil if there is no `@`, more than one outside quotation marks, or an empty side.
  init?(_ text: String) {
    let bytes = Array(text.utf8)
    let end = bytes.first == UInt8(ascii: "\"") ? Mailbox.endOfQuotation(bytes) : 0
    guard let end, let sign = bytes[end...].firstIndex(of: UInt8(ascii: "@")), end == 0 || sign == end,
      !bytes[(sign + 1)...].contains(UInt8(ascii: "@")), sign > 0, sign + 1 < bytes.count
    else { return nil }
    local = Array(bytes[..<sign])
    host = HostText.folded(bytes[(sign + 1)...])
  }

  /// Returns the index after the closing quotation mark; nil if there is none.
  private static func endOfQuotation(_ bytes: [UInt8]) -> Int? {
    var place = 1
    while place < bytes.count {
      switch bytes[place] {
      case UInt8(ascii: "\\"): place += 2
      case UInt8(ascii: "\""): return place + 1
      default: place += 1
      }
    }
    return nil
  }
}
