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
    case (.dns(let name), .dns(let base)): HostText.ends(name, with: base)
    // Every host that *.example stands for is below example, which .example asks for.
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

  /// Whether something that this name stands for lies within `subtree`.
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

/// Hosts as bytes in lower case, compared by whole labels from the right.
enum HostText {
  private static let period = UInt8(ascii: ".")

  /// The bytes of `text`, with letters in lower case.
  static func folded(_ text: String) -> [UInt8] { folded(text.utf8) }

  /// The bytes, with letters in lower case.
  static func folded(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    bytes.map { (65...90).contains($0) ? $0 | 0x20 : $0 }
  }

  /// A dNSName: a final period says nothing, and a star in the first label may stand for anything.
  static func dnsName(_ text: String) -> ConstrainedName {
    var name = folded(text)
    if name.last == period { name.removeLast() }
    guard name.contains(UInt8(ascii: "*")) else { return .dns(name) }
    let first = name.firstIndex(of: period)
    guard let first, !name[first...].contains(UInt8(ascii: "*")) else { return .incomparable }
    return .wildcard(Array(name[(first + 1)...]))
  }

  /// Whether `name` is `base`, or ends with it after a period; everything ends with nothing. A base that begins with a
  /// period, which the standard does not know, is not its own end.
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

  /// Whether a wildcard name, here without its star, may stand for a host within `base`: it is within, or `base` is one
  /// of those that the star may make.
  static func mayCover(_ wildcard: [UInt8], _ base: [UInt8]) -> Bool {
    ends(wildcard, with: base) || parent(of: base).map { $0 == wildcard[...] } ?? false
  }

  /// Whether `host` is `base`, or below it where it begins with a period.
  static func isHost(_ host: [UInt8], within base: [UInt8]) -> Bool {
    base.first == period ? ends(host, with: base) : base.isEmpty || host == base
  }

  /// What follows the first label; nil when there is but one.
  static func parent(of name: [UInt8]) -> ArraySlice<UInt8>? {
    name.firstIndex(of: period).map { name[($0 + 1)...] }
  }

  /// Whether `text` could be a host with more than one label: letters, digits, hyphens, underscores and periods.
  static func isHost(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    let labels = bytes.split(separator: period, omittingEmptySubsequences: false)
    return mayBeHost(text) && bytes.allSatisfy { $0 < 0x80 } && labels.count > 1
      && labels.allSatisfy { !$0.isEmpty && $0.first != 45 && $0.last != 45 }
  }

  /// Whether `text` could be taken for a host by whoever compares octets: of one label, too, and beyond ASCII.
  static func mayBeHost(_ text: String) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy { byte in
        (97...122).contains(byte | 0x20) || (48...57).contains(byte) || [45, 46, 95, 42].contains(byte) || byte >= 0x80
      }
  }

  /// The host of a URI, RFC 3986 section 3.2.2, in lower case; nil when it has none or an address in its place.
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

/// A mailbox, `local@host`, RFC 5280 section 4.2.1.6: the host in lower case, the local part as it is (section 7.5).
struct Mailbox: Sendable, Hashable {
  let local: [UInt8]
  let host: [UInt8]

  /// Nil when the text is none: no sign, or several outside of quotation marks, or nothing on one side.
  init?(_ text: String) {
    let bytes = Array(text.utf8)
    let end = bytes.first == UInt8(ascii: "\"") ? Mailbox.endOfQuotation(bytes) : 0
    guard let end, let sign = bytes[end...].firstIndex(of: UInt8(ascii: "@")), end == 0 || sign == end,
      !bytes[(sign + 1)...].contains(UInt8(ascii: "@")), sign > 0, sign + 1 < bytes.count
    else { return nil }
    local = Array(bytes[..<sign])
    host = HostText.folded(bytes[(sign + 1)...])
  }

  /// The place after the mark that closes a quoted string; nil when none does.
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
