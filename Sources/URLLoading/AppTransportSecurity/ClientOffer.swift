import Explanation
import TLS
import Trust

/// What a URL loader offers in its ClientHello: versions and suites.
public struct ClientOffer: Sendable, Hashable {
  /// The lowest version.
  public let minimumVersion: ProtocolVersion
  /// The highest version.
  public let maximumVersion: ProtocolVersion
  /// The suites in order of preference.
  public let cipherSuites: [CipherSuite]
  /// How well known the offer is.
  public let confidence: Finding.Confidence

  /// An offer.
  public init(
    minimumVersion: ProtocolVersion, maximumVersion: ProtocolVersion, cipherSuites: [CipherSuite],
    confidence: Finding.Confidence = .certain
  ) {
    self.minimumVersion = minimumVersion
    self.maximumVersion = maximumVersion
    self.cipherSuites = cipherSuites
    self.confidence = confidence
  }

  /// What a system offers where App Transport Security leaves it alone.
  ///
  /// No release's whole list is public: it is that of its time with RSA key exchange after ECDHE, and until iOS 9 with
  /// 3DES, RC4 and DHE.
  public static func systemDefault(os: OSVersion) -> ClientOffer {
    let suites = AppTransportSecurity.Suites(os)
    let isOld = !os.isAtLeast(iOS: (10, 0), macOS: (10, 12))
    return ClientOffer(
      minimumVersion: .tls10, maximumVersion: os.newestVersion,
      cipherSuites: suites.forwardSecret + suites.rsa + (isOld ? legacy : []),
      confidence: os.isAtLeast(iOS: (18, 4), macOS: (15, 4))
        ? .unknown("when systems still add RSA key exchange to their own list")
        : .likely("no release's own list is public"))
  }

  /// What a system offers for a load, by a decision of App Transport Security.
  ///
  /// A rule that `enforcement` overrides does not narrow the offer.
  public init(for decision: AppTransportSecurity.Decision, enforcement: Enforcement = .standard) {
    let system = Self.systemDefault(os: decision.load.os)
    guard let requirements = decision.requirements else {
      self = system
      return
    }
    minimumVersion = enforcement.enforces(.atsTLSVersion) ? requirements.minimumVersion : system.minimumVersion
    var suites = requirements.cipherSuites ?? system.cipherSuites
    let isAdded: (CipherSuite) -> Bool = { suite in
      let isEphemeral = AppTransportSecurity.isEllipticEphemeral(suite)
      return !enforcement.enforces(isEphemeral ? .atsCipherSuite : .atsNoForwardSecrecy)
    }
    suites += system.cipherSuites.filter { !suites.contains($0) && isAdded($0) }
    // The documentation's list has no suite of TLS 1.3.
    let speaksTLS13 = suites.contains { $0.keyExchange == .tls13 }
    maximumVersion = speaksTLS13 ? system.maximumVersion : min(system.maximumVersion, .tls12)
    cipherSuites = suites
    confidence = requirements.cipherSuites == nil ? system.confidence : requirements.confidence
  }

  private static let legacy = AppTransportSecurity.Suites.named([
    "TLS_DHE_RSA_WITH_AES_256_GCM_SHA384", "TLS_DHE_RSA_WITH_AES_128_GCM_SHA256",
    "TLS_DHE_RSA_WITH_AES_256_CBC_SHA256", "TLS_DHE_RSA_WITH_AES_128_CBC_SHA256", "TLS_DHE_RSA_WITH_AES_256_CBC_SHA",
    "TLS_DHE_RSA_WITH_AES_128_CBC_SHA", "TLS_ECDHE_ECDSA_WITH_3DES_EDE_CBC_SHA",
    "TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA", "TLS_RSA_WITH_3DES_EDE_CBC_SHA", "TLS_ECDHE_ECDSA_WITH_RC4_128_SHA",
    "TLS_ECDHE_RSA_WITH_RC4_128_SHA", "TLS_RSA_WITH_RC4_128_SHA", "TLS_RSA_WITH_RC4_128_MD5",
  ])
}

extension Enforcement {
  /// Whether a violation of `rule` would refuse anything.
  func enforces(_ rule: Rule) -> Bool { check(rule, on: .connection, false).refuses }
}

extension OSVersion {
  /// The newest version of TLS that the system's URL loader speaks.
  ///
  /// TLS 1.3 came with macOS 10.14.4; a third number is not kept, and 10.14 stands for the releases before.
  var newestVersion: ProtocolVersion { isAtLeast(iOS: (12, 2), macOS: (10, 15)) ? .tls13 : .tls12 }
}

extension AppTransportSecurity.Profile {
  /// The newest version of TLS that an exception can ask for.
  var newestVersion: ProtocolVersion { os.newestVersion }
}

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
