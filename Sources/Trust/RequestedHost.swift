import Foundation

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
    if RequestedHost.isPlain(written) {
      self = .name(written)
      return
    }
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

  /// Whether the text is a name as names usually are, which needs no further reading: small letters, digits, hyphens and
  /// underscores in labels that are not empty, and a letter somewhere.
  private static func isPlain(_ text: String) -> Bool {
    var hasLetter = false
    var previous = UInt8(ascii: ".")
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"): hasLetter = true
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"): break
      case UInt8(ascii: ".") where previous != byte: break
      default: return false
      }
      previous = byte
    }
    return hasLetter && previous != UInt8(ascii: ".")
  }

  /// An address of four or sixteen bytes as RFC 3986 section 3.2.2 and RFC 5952 section 4 write it.
  public static func text(ofAddress bytes: [UInt8]) -> String { AddressText.canonical(bytes) }
}

extension RequestedHost {
  /// Names are shorter, and what makes A-labels takes longer than in proportion.
  private static let longest = 1024

  /// `text` with its U-labels as A-labels (RFC 5890 section 2.3.2.1), which is how DNS and certificates have them:
  /// `xn--bcher-kva.example` for `Bücher.example`; what is ASCII stays as it is. Nil when a label cannot be written so.
  ///
  /// Foundation has the tables for it (UTS #46 without transitional processing, and Punycode, RFC 3492): the same that
  /// its `URL` uses.
  public static func asciiForm(of text: String) -> String? {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
    let isPlain = text.unicodeScalars.allSatisfy { scalar in
      !scalar.isASCII || scalar == "-" || scalar == "." || scalar == "_" || scalar.properties.isAlphabetic
        || scalar.properties.numericType != nil
    }
    guard isPlain, text.utf8.count <= longest else { return nil }
    var components = URLComponents()
    components.host = text
    guard let name = components.encodedHost, !name.isEmpty, name.utf8.allSatisfy({ $0 < 0x80 }), !name.contains("%")
    else { return nil }
    return name
  }
}
