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
