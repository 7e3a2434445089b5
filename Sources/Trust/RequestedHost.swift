/// The host of a request: a name, an address, or neither.
public enum RequestedHost: Sendable, Hashable {
  /// A host name in lower case, without a trailing dot.
  case name(String)
  /// An address of four or sixteen bytes, and how it was written.
  case address([UInt8], text: String)
  /// Something that is no host: empty, with empty labels, or with characters that no name has.
  case invalid(String)

  /// Reads the host part of a URL: names, dotted IPv4, and IPv6 with or without brackets (RFC 3986 section 3.2.2). A
  /// name in any script is taken in the form that DNS and certificates have it in.
  public init(_ written: String) {
    guard let text = RequestedHost.asciiForm(of: written) else {
      self = .invalid(written)
      return
    }
    let isBracketed = text.hasPrefix("[") && text.hasSuffix("]") && text.utf8.count > 2
    let bare = isBracketed ? String(text.dropFirst().dropLast()) : text
    if let bytes = AddressText.version4(bare) ?? AddressText.version6(bare) {
      self = .address(bytes, text: bare)
      return
    }
    let name = (text.hasSuffix(".") ? String(text.dropLast()) : text).lowercased()
    let labels = name.split(separator: ".", omittingEmptySubsequences: false)
    let isValid = name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } && labels.allSatisfy { !$0.isEmpty }
    self = isValid && !name.contains("*") ? .name(name) : .invalid(written)
  }

  /// An address of four or sixteen bytes as RFC 3986 section 3.2.2 and RFC 5952 section 4 write it.
  public static func text(ofAddress bytes: [UInt8]) -> String { AddressText.canonical(bytes) }
}
