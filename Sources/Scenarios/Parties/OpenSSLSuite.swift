import TLS

/// Cipher suites by OpenSSL's names, which many people know.
public enum OpenSSLSuite {
  /// Returns the registry's name of a suite written as in OpenSSL, or without TLS and WITH. Case is ignored.
  public static func registered(_ name: String) -> String? {
    let (own, plain) = (name.lowercased(), plain(name))
    return CipherSuite.registry.map(\.name).first { openSSLName($0).lowercased() == own || Self.plain($0) == plain }
  }

  /// Returns the words of a suite's name that distinguish it from other names.
  private static func plain(_ name: String) -> [Substring] {
    name.lowercased().split { "-_".contains($0) }.filter { !["tls", "with"].contains($0) }
  }

  /// Returns a hint with the registry's name for OpenSSL's `name`, or else with the nearest name in the registry.
  static func hint(for name: String) -> String {
    let names = CipherSuite.registry.map(\.name)
    if let own = names.first(where: { openSSLName($0).lowercased() == name.lowercased() }) {
      return "'\(name)' is OpenSSL's name: write \(own)"
    }
    // A truncated name refers to the suite that begins with it, even if another suite's spelling is nearer.
    let begun = names.filter { $0.hasPrefix(name.uppercased() + "_") }
    if begun.count == 1 { return "did you mean '\(begun[0])'?" }
    return Spelling.hint(for: name, among: names)
  }

  /// Returns OpenSSL's name of a suite: ECDHE-RSA-AES128-GCM-SHA256 for TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256.
  static func openSSLName(_ name: String) -> String {
    var words = name.split(separator: "_").dropFirst().map(String.init)
    guard let with = words.firstIndex(of: "WITH") else { return name }
    let exchange = Array(words[..<with])
    words = Array(words[(with + 1)...])
    // OpenSSL omits the CBC mode, and writes AES together with the key size.
    words.removeAll { $0 == "CBC" }
    var text = ""
    for word in words {
      let joins = ["128", "256"].contains(word) && (text.hasSuffix("AES") || text.hasSuffix("CAMELLIA"))
      text += (text.isEmpty || joins ? "" : "-") + word
    }
    text = text.replacing("3DES-EDE", with: "DES-CBC3").replacing("CHACHA20-POLY1305-SHA256", with: "CHACHA20-POLY1305")
    let prefix = exchange == ["RSA"] ? "" : exchange.joined(separator: "-") + "-"
    return prefix + text
  }
}
