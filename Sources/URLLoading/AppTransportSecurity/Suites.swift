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

    init(_ os: OSVersion) {
      switch Era(os) {
      case .documentation:
        forwardSecret = Self.ecdhe("ECDSA", .all, chaCha: false) + Self.ecdhe("RSA", .documented, chaCha: false)
        rsa = Self.rsa(sha256: true)
        confidence = .certain
      case .coreTLS:
        let tls13 = os.isAtLeast(iOS: (12, 2), macOS: (10, 15)) ? Self.tls13 : []
        forwardSecret = tls13 + Self.ecdhe("ECDSA", .all, chaCha: false) + Self.ecdhe("RSA", .all, chaCha: false)
        rsa = Self.rsa(sha256: true)
        confidence = .likely("the list is that of coreTLS; that the system used it unchanged is inferred")
      case .iOS13:
        forwardSecret = Self.tls13 + Self.ecdhe("ECDSA", .all, chaCha: true) + Self.ecdhe("RSA", .all, chaCha: true)
        rsa = Self.rsa(sha256: true)
        confidence = .likely("which release has which list is inferred from the order of Apple's source releases")
      case .iOS15:
        forwardSecret =
          Self.tls13 + Self.ecdhe("ECDSA", .aead, chaCha: true) + Self.ecdhe("RSA", .aead, chaCha: true)
          + Self.ecdhe("ECDSA", .sha1, chaCha: false) + Self.ecdhe("RSA", .sha1, chaCha: false)
        rsa = Self.rsa(sha256: false)
        let isOpenSource = os.isAtLeast(iOS: (18, 4), macOS: (15, 4))
        confidence =
          isOpenSource
          ? .certain : .likely("which release has which list is inferred from the order of Apple's source releases")
      }
    }

    private enum Era {
      case documentation, coreTLS, iOS13, iOS15

      init(_ os: OSVersion) {
        if os.family == .documentation {
          self = .documentation
        } else if os.isAtLeast(iOS: (15, 4), macOS: (12, 3)) {
          self = .iOS15
        } else {
          self = os.isAtLeast(iOS: (13, 0), macOS: (10, 15)) ? .iOS13 : .coreTLS
        }
      }
    }

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
