import Foundation

/// The host of a request: a name, an address, or an invalid host.
public enum RequestedHost: Sendable, Hashable {
  /// A host name in lower case, without a trailing dot.
  case name(String)
  /// An address of four or sixteen bytes, with the text that the request contains.
  case address([UInt8], text: String)
  /// An invalid host, which is empty, has empty labels, or has characters that names do not allow.
  case invalid(String)

  /// Reads the host part of a URL (RFC 3986 section 3.2.2).
  ///
  /// The host is a name, a dotted IPv4 address, or an IPv6 address with or without brackets.
  ///
  /// A name in any script is converted to A-labels, the form that DNS and certificates use.
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

  /// Returns whether the text is a name that needs no conversion.
  ///
  /// Such a name has at least one letter, and its labels are not empty. The labels contain only lower-case letters,
  /// digits, hyphens and underscores.
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

  /// Formats an address of four or sixteen bytes by RFC 3986 section 3.2.2 and RFC 5952 section 4.
  public static func text(ofAddress bytes: [UInt8]) -> String { AddressText.canonical(bytes) }
}

extension RequestedHost {
  /// The maximum length of a name. Names in use are shorter, and converting longer text to A-labels is slow.
  private static let longest = 1024

  /// Converts U-labels to A-labels (RFC 5890 section 2.3.2.1), such as `Bücher.example` to `xn--bcher-kva.example`.
  ///
  /// DNS and certificates use A-labels. ASCII labels are unchanged. The result is nil if a label cannot be converted.
  ///
  /// The conversion uses Foundation's tables, as `URL` does (UTS #46 without transitional processing, and Punycode, RFC
  /// 3492).
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
