import Explanation
import TLS
import Trust

extension AppTransportSecurity {
  /// The suites that App Transport Security offers, by era, in the order of the offer.
  struct Suites: Sendable, Hashable {
    /// With forward secrecy: ECDHE, and TLS 1.3 where it is spoken.
    let forwardSecret: [CipherSuite]
    /// RSA key exchange, which `NSExceptionRequiresForwardSecrecy` = NO adds.
    let rsa: [CipherSuite]
    /// How well known the lists are.
    let confidence: Finding.Confidence

    private init(_ forwardSecret: [CipherSuite], rsa: [CipherSuite], _ confidence: Finding.Confidence) {
      self.forwardSecret = forwardSecret
      self.rsa = rsa
      self.confidence = confidence
    }

    /// The lists of a system.
    init(_ os: OSVersion) {
      if os.family == .documentation {
        self = .documentation
      } else if os.isAtLeast(iOS: (18, 4), macOS: (15, 4)) {
        self = .openSource
      } else if os.isAtLeast(iOS: (15, 4), macOS: (12, 3)) {
        self = .iOS15
      } else if os.isAtLeast(iOS: (13, 0), macOS: (10, 15)) {
        self = .iOS13
      } else {
        self = os.isAtLeast(iOS: (12, 2), macOS: (10, 15)) ? .coreTLSWithTLS13 : .coreTLS
      }
    }

    private static let documentation = Suites(
      ecdhe("ECDSA", .all, chaCha: false) + ecdhe("RSA", .documented, chaCha: false), rsa: rsa(sha256: true), .certain)

    private static let coreTLS = Suites(
      ecdhe("ECDSA", .all, chaCha: false) + ecdhe("RSA", .all, chaCha: false), rsa: rsa(sha256: true),
      .likely("the list is that of coreTLS; that the system used it unchanged is inferred"))

    private static let coreTLSWithTLS13 = Suites(
      tls13 + coreTLS.forwardSecret, rsa: coreTLS.rsa, coreTLS.confidence)

    private static let iOS13 = Suites(
      tls13 + ecdhe("ECDSA", .all, chaCha: true) + ecdhe("RSA", .all, chaCha: true), rsa: rsa(sha256: true),
      .likely("which release has which list is inferred from the order of Apple's source releases"))

    private static let iOS15 = Suites(openSource.forwardSecret, rsa: openSource.rsa, iOS13.confidence)

    private static let openSource = Suites(
      tls13 + ecdhe("ECDSA", .aead, chaCha: true) + ecdhe("RSA", .aead, chaCha: true)
        + ecdhe("ECDSA", .sha1, chaCha: false) + ecdhe("RSA", .sha1, chaCha: false),
      rsa: rsa(sha256: false), .certain)

    /// What a level of NIAP leaves: all of TLS 1.3, and ECDHE with AES-GCM.
    static let niap =
      tls13 + openSource.forwardSecret.filter { $0.name.hasPrefix("TLS_ECDHE") && $0.name.contains("_GCM_") }

    private enum Choice {
      case all, aead, sha1
      /// Apple's documentation leaves `ECDHE_RSA_AES_256_CBC_SHA` out.
      case documented
    }

    static let tls13 = named([
      "TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256",
    ])

    private static func ecdhe(_ signature: String, _ choice: Choice, chaCha: Bool) -> [CipherSuite] {
      let aead = ["AES_256_GCM_SHA384", "AES_128_GCM_SHA256"] + (chaCha ? ["CHACHA20_POLY1305_SHA256"] : [])
      let sha2 = ["AES_256_CBC_SHA384", "AES_128_CBC_SHA256"]
      let sha1 = (choice == .documented ? [] : ["AES_256_CBC_SHA"]) + ["AES_128_CBC_SHA"]
      let ciphers =
        switch choice {
        case .all, .documented: aead + sha2 + sha1
        case .aead: aead
        case .sha1: sha1
        }
      return named(ciphers.map { "TLS_ECDHE_\(signature)_WITH_\($0)" })
    }

    private static func rsa(sha256: Bool) -> [CipherSuite] {
      let ciphers =
        sha256
        ? [
          "AES_256_GCM_SHA384", "AES_128_GCM_SHA256", "AES_256_CBC_SHA256", "AES_256_CBC_SHA", "AES_128_CBC_SHA256",
          "AES_128_CBC_SHA",
        ] : ["AES_256_GCM_SHA384", "AES_128_GCM_SHA256", "AES_256_CBC_SHA", "AES_128_CBC_SHA"]
      return named(ciphers.map { "TLS_RSA_WITH_\($0)" })
    }

    static func named(_ names: [String]) -> [CipherSuite] { names.compactMap { CipherSuite(name: $0) } }
  }
}
