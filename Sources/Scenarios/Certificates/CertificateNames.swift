import PKIX
import URLLoading

// The names of certificates, and the subtrees of name constraints.
extension NodeReader {
  /// Reads a host name or an address of subjectAltName. After `DNS:`, any IA5String is valid (RFC 5280 section
  /// 4.2.1.6).
  func alternativeName() -> String? {
    guard let text = text() else { return nil }
    guard !text.isEmpty, text.utf8.allSatisfy({ $0 < 0x80 }) else {
      fail(
        "'\(text)' is neither a DNS name nor an IP address", hint: "write an internationalized name in A-labels: xn--…")
      return nil
    }
    if text.hasPrefix("DNS:") || IPAddress(text) != nil || NameText.isHost(text) { return text }
    fail("'\(text)' is neither a DNS name nor an IP address", hint: NameText.hint(for: text))
    return nil
  }

  /// Reads a host, an address range, or a text after `email:`, `URI:` or `DNS:` (RFC 5280 section 4.2.1.10). `email:`
  /// requires a mailbox or host, and `URI:` a host.
  func subtree() -> GeneralSubtree? {
    guard let text = text() else { return nil }
    let isPrintable = text.utf8.allSatisfy { (0x21..<0x7F).contains($0) }
    if isPrintable, text.hasPrefix("DNS:") { return .dnsName(String(text.dropFirst(4))) }
    if isPrintable, text.hasPrefix("email:"), NameText.isMailboxConstraint(text.dropFirst(6)) {
      return .rfc822Name(String(text.dropFirst(6)))
    }
    if isPrintable, text.hasPrefix("URI:"), NameText.isConstraint(text.dropFirst(4)) {
      return .uniformResourceIdentifier(String(text.dropFirst(4)))
    }
    if text.contains("/") { return addresses(text) }
    guard !text.isEmpty, IPAddress(text) == nil, NameText.isConstraint(text[...]) else {
      fail("'\(text)' is not a name constraint", hint: NameText.hint(forSubtree: text))
      return nil
    }
    return .dnsName(text)
  }

  private func addresses(_ text: String) -> GeneralSubtree? {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let address = IPAddress(String(parts[0])), let length = Int(parts[1]),
      (0...address.bytes.count * 8).contains(length)
    else {
      fail("'\(text)' is not a range of IP addresses", hint: "write 192.0.2.0/24 or 2001:db8::/32")
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
}

/// Recognizes texts that look like names.
private enum NameText {
  /// Returns whether `text` consists of labels of letters, digits, hyphens, underscores and wildcards, but not of four
  /// numbers.
  static func isHost(_ text: String) -> Bool {
    let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    let isNumeric = labels.allSatisfy { !$0.isEmpty && $0.allSatisfy { (48...57).contains($0) } }
    return !(isNumeric && labels.count == 4)
      && text.utf8.allSatisfy { isPlain($0) || [UInt8(ascii: "*"), UInt8(ascii: ".")].contains($0) }
  }

  /// Returns whether `text` is a host without a wildcard, optionally after a period. The empty text matches every host.
  static func isConstraint(_ text: Substring) -> Bool {
    let host = text.hasPrefix(".") ? text.dropFirst() : text
    if host.isEmpty { return text.isEmpty }
    return host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy {
      !$0.isEmpty && $0.allSatisfy(isPlain)
    }
  }

  /// Returns whether `text` is a mailbox or the host of mailboxes.
  static func isMailboxConstraint(_ text: Substring) -> Bool {
    guard let sign = text.lastIndex(of: "@") else { return isConstraint(text) }
    let (local, host) = (text[..<sign], text[text.index(after: sign)...])
    return !local.isEmpty && !host.isEmpty && !local.contains("@") && isConstraint(host)
  }

  static func hint(for text: String) -> String {
    if text.hasPrefix("IP:") {
      return "write \(text.dropFirst(3)): an IP address needs no prefix"
    }
    return "write api.example or 192.0.2.1, or \"DNS:\(text)\" for an intentionally malformed dNSName"
  }

  static func hint(forSubtree text: String) -> String {
    if text.hasPrefix("*."), isConstraint(text.dropFirst(2)) {
      return
        "write \(text.dropFirst(2)), which includes all subdomains, "
        + "or \"DNS:\(text)\" for an intentionally malformed constraint"
    }
    if IPAddress(text) != nil { return "write a range of IP addresses: \(text)/\(text.contains(":") ? 128 : 32)" }
    return "write company.example, 192.0.2.0/24, email:company.example or URI:company.example"
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    (97...122).contains(byte | 0x20) || (48...57).contains(byte) || byte == UInt8(ascii: "-")
      || byte == UInt8(ascii: "_")
  }
}
