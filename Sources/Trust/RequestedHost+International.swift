import Foundation

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
