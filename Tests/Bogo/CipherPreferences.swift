import TLS

/// The suites before TLS 1.3 in order of preference, written in OpenSSL's language for cipher lists.
///
/// Suites in one group have equal preference: the client's order decides between them.
struct CipherPreferences: Sendable {
  /// The groups in order of preference.
  private(set) var groups: [[CipherSuite]] = []

  /// All suites that BoringSSL has, in its order.
  private static let available = [
    0xc02b, 0xc02f, 0xc02c, 0xc030, 0xcca9, 0xcca8, 0xc009, 0xc013, 0xc00a, 0xc014, 0xc023, 0xc027, 0x009c, 0x009d,
    0x002f, 0x0035, 0x000a,
  ].map { CipherSuite(rawValue: $0) }

  /// The suites of the shim without a cipher list: `ALL`, then the CBC suites with SHA-256.
  static let standard = CipherPreferences(
    available.filter { !isDeprecated($0) } + available.filter(isECDHEWithSHA256))

  private init(_ suites: [CipherSuite]) { groups = suites.map { [$0] } }

  /// All suites in order.
  var suites: [CipherSuite] { groups.flatMap(\.self) }

  /// The suites in the order that results if the peer offers `offered`.
  func ordered(for offered: [CipherSuite]) -> [CipherSuite] {
    groups.flatMap { group in offered.filter(group.contains) + group.filter { !offered.contains($0) } }
  }

  /// Parses a cipher list; throws for an unknown word or an empty result.
  init(_ text: String) throws(ShimFailure) {
    var rest = text[...]
    while let character = rest.first {
      if ":;, ".contains(character) {
        rest.removeFirst()
      } else if character == "[" {
        rest.removeFirst()
        let end = rest.firstIndex(of: "]") ?? rest.endIndex
        var group: [CipherSuite] = []
        for name in rest[..<end].split(separator: "|") { group += try Self.suites(String(name)) }
        append([group])
        rest = rest[end...].dropFirst()
      } else {
        let word = rest.prefix { !":;, ".contains($0) }
        try apply(String(word))
        rest = rest[word.endIndex...]
      }
    }
    guard !groups.isEmpty else { throw .failed(":NO_CIPHER_MATCH: the list \(text) selects no suite") }
  }

  private mutating func append(_ added: [[CipherSuite]]) {
    let known = suites
    groups += added.map { $0.filter { !known.contains($0) } }.filter { !$0.isEmpty }
  }

  /// Applies one word of the list: `!` and `-` remove suites, `+` moves them to the end.
  private mutating func apply(_ word: String) throws(ShimFailure) {
    switch word.first {
    case "!", "-": remove(try Self.suites(String(word.dropFirst())))
    case "+":
      let moved = try Self.suites(String(word.dropFirst())).filter(suites.contains)
      remove(moved)
      append(moved.map { [$0] })
    case "@": break
    default: append(try Self.suites(word).map { [$0] })
    }
  }

  private mutating func remove(_ removed: [CipherSuite]) {
    groups = groups.map { $0.filter { !removed.contains($0) } }.filter { !$0.isEmpty }
  }

  /// The suites that a word selects: a suite's name, or properties that are joined by `+`.
  private static func suites(_ word: String) throws(ShimFailure) -> [CipherSuite] {
    if let suite = CipherSuite(name: word) ?? openSSLNames[word] { return [suite].filter(available.contains) }
    var found = available
    let words = word.split(separator: "+").map(String.init)
    for part in words {
      guard let property = properties[part] else { throw .failed(":INVALID_COMMAND: unknown cipher \(part)") }
      found = found.filter { $0.registration.map(property) ?? false }
    }
    return words.contains("3DES") ? found : found.filter { !isDeprecated($0) }
  }

  private typealias Property = @Sendable (CipherSuite.Registration) -> Bool

  private static let properties: [String: Property] = [
    "ALL": { _ in true }, "DEFAULT": { _ in true }, "HIGH": { _ in true }, "FIPS": { _ in true },
    "kRSA": { $0.keyExchange == .rsa }, "RSA": { $0.keyExchange == .rsa },
    "kECDHE": { $0.keyExchange != .rsa }, "kEECDH": { $0.keyExchange != .rsa },
    "ECDHE": { $0.keyExchange != .rsa }, "EECDH": { $0.keyExchange != .rsa },
    "aRSA": { $0.keyExchange != .ecdheECDSA }, "aECDSA": { $0.keyExchange == .ecdheECDSA },
    "ECDSA": { $0.keyExchange == .ecdheECDSA },
    "3DES": { $0.cipher == .tripleDESCBC }, "CHACHA20": { $0.cipher == .chacha20Poly1305 },
    "AES128": { $0.cipher == .aes128CBC || $0.cipher == .aes128GCM },
    "AES256": { $0.cipher == .aes256CBC || $0.cipher == .aes256GCM },
    "AES": { $0.cipher != .tripleDESCBC && $0.cipher != .chacha20Poly1305 },
    "AESGCM": { $0.cipher == .aes128GCM || $0.cipher == .aes256GCM },
    "SHA": { $0.mac == .sha1 }, "SHA1": { $0.mac == .sha1 },
    "TLSv1": { $0.minimumVersion < .tls12 }, "SSLv3": { $0.minimumVersion < .tls12 },
    "TLSv1.2": { $0.minimumVersion == .tls12 },
  ]

  /// OpenSSL's names of the suites, such as `ECDHE-RSA-AES128-GCM-SHA256`.
  private static let openSSLNames: [String: CipherSuite] = [
    "ECDHE-ECDSA-AES128-GCM-SHA256": CipherSuite(rawValue: 0xc02b),
    "ECDHE-RSA-AES128-GCM-SHA256": CipherSuite(rawValue: 0xc02f),
    "ECDHE-ECDSA-AES256-GCM-SHA384": CipherSuite(rawValue: 0xc02c),
    "ECDHE-RSA-AES256-GCM-SHA384": CipherSuite(rawValue: 0xc030),
    "ECDHE-ECDSA-CHACHA20-POLY1305": CipherSuite(rawValue: 0xcca9),
    "ECDHE-RSA-CHACHA20-POLY1305": CipherSuite(rawValue: 0xcca8),
    "ECDHE-ECDSA-AES128-SHA": CipherSuite(rawValue: 0xc009), "ECDHE-RSA-AES128-SHA": CipherSuite(rawValue: 0xc013),
    "ECDHE-ECDSA-AES256-SHA": CipherSuite(rawValue: 0xc00a), "ECDHE-RSA-AES256-SHA": CipherSuite(rawValue: 0xc014),
    "ECDHE-ECDSA-AES128-SHA256": CipherSuite(rawValue: 0xc023),
    "ECDHE-RSA-AES128-SHA256": CipherSuite(rawValue: 0xc027),
    "AES128-GCM-SHA256": CipherSuite(rawValue: 0x009c), "AES256-GCM-SHA384": CipherSuite(rawValue: 0x009d),
    "AES128-SHA": CipherSuite(rawValue: 0x002f), "AES256-SHA": CipherSuite(rawValue: 0x0035),
    "DES-CBC3-SHA": CipherSuite(rawValue: 0x000a),
  ]

  /// Whether only the suite's own name selects it.
  private static func isDeprecated(_ suite: CipherSuite) -> Bool {
    suite.registration?.cipher == .tripleDESCBC || isECDHEWithSHA256(suite)
  }

  private static func isECDHEWithSHA256(_ suite: CipherSuite) -> Bool { suite.registration?.mac == .sha256 }
}
