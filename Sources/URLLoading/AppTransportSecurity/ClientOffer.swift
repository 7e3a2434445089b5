import Cryptography
import Explanation
import TLS
import Trust

/// The ClientHello of a URL loader: versions, suites, groups, signature schemes and protocols, and the layout of the
/// message.
public struct ClientOffer: Sendable, Hashable {
  /// The lowest version.
  public let minimumVersion: ProtocolVersion
  /// The highest version.
  public let maximumVersion: ProtocolVersion
  /// The suites in order of preference, including `TLS_EMPTY_RENEGOTIATION_INFO_SCSV` if it is offered.
  public let cipherSuites: [CipherSuite]
  /// The groups in order of preference.
  public let groups: [NamedGroup]
  /// The signature schemes that the server may use, in order of preference.
  public let signatureSchemes: [SignatureScheme]
  /// The recorded hello that the offer is based on.
  public let hello: RecordedHello
  /// The relation of the recorded hello to the release.
  public let basis: RecordedHello.Basis
  /// The confidence in the versions and suites that the client accepts.
  public let confidence: Finding.Confidence
  /// The suites for which no source shows whether an app offers them.
  private let doubtedSuites: Set<CipherSuite>
  /// The client's retries after a failed handshake; nil if it does not retry.
  public let fallback: Fallback?

  /// The application protocols, in order of preference.
  public var applicationProtocols: [ApplicationProtocol] { hello.applicationProtocols }

  private init(
    _ hello: RecordedHello, _ basis: RecordedHello.Basis, versions: ClosedRange<ProtocolVersion>,
    cipherSuites: [CipherSuite], schemes: [SignatureScheme]? = nil, confidence: Finding.Confidence,
    doubted: Set<CipherSuite> = [], fallback: Fallback? = nil
  ) {
    doubtedSuites = doubted
    minimumVersion = versions.lowerBound
    maximumVersion = versions.upperBound
    self.cipherSuites = cipherSuites
    groups = hello.groups
    signatureSchemes = schemes ?? hello.signatureSchemes
    self.hello = hello
    self.basis = basis
    self.confidence = confidence
    self.fallback = fallback?.above(versions.lowerBound)
  }

  /// Returns the offer of a system without App Transport Security.
  ///
  /// It is based on the hello of the release, or on the nearest recorded one.
  public static func systemDefault(os: OSVersion) -> ClientOffer {
    let (hello, basis) = RecordedHello.standing(for: os)
    guard os.family != .documentation else {
      let suites = AppTransportSecurity.Suites(os)
      return ClientOffer(
        hello, basis, versions: .tls10...os.newestVersion, cipherSuites: suites.forwardSecret + suites.rsa,
        confidence: .unknown("the client's offer without App Transport Security, which documentation does not describe")
      )
    }
    // Since then, Apple's source has contained a list for apps that is shorter than the browser's list. Apple does not
    // document which apps use it.
    let isOfBrowsers = os.isAtLeast(iOS: (18, 4), macOS: (15, 4))
    let known = AppTransportSecurity.Suites(os).forwardSecret
    return ClientOffer(
      hello, basis, versions: hello.lowestVersion...hello.highestVersion, cipherSuites: hello.cipherSuites,
      confidence: isOfBrowsers
        ? .unknown("whether an app offers RSA key exchange and 3DES by default, as the recorded browser does")
        : basis.confidence(of: os), doubted: isOfBrowsers ? Set(hello.cipherSuites).subtracting(known) : [],
      fallback: Fallback.systemDefault(os: os))
  }

  /// Returns the confidence that the client accepts `suite`.
  ///
  /// If the suite is on the app's list, doubts about other suites do not affect the confidence.
  package func confidence(in suite: CipherSuite) -> Finding.Confidence {
    doubtedSuites.isEmpty || doubtedSuites.contains(suite) ? confidence : .certain
  }

  /// Narrows a system's offer to the requirements of an App Transport Security decision.
  ///
  /// The offer is based on the system's own hello. For iOS 9 with full App Transport Security, it is based on the
  /// recorded hello of an app. The rules in `enforcement` determine which versions and suites remain; an overridden
  /// rule does not narrow the offer.
  public init(for decision: AppTransportSecurity.Decision, enforcement: Enforcement = .standard) {
    let os = decision.load.os
    let system = Self.systemDefault(os: os)
    guard let requirements = decision.requirements else {
      self = system
      return
    }
    if decision.profile.name == .ios9, requirements.isFull, !enforcement.changesOffers {
      let basis: RecordedHello.Basis = os.minor == 0 || os.family == .macOS ? .recorded : .earlier(OSVersion(.iOS, 9))
      self.init(
        .ats9, basis, versions: .tls12 ... .tls12, cipherSuites: RecordedHello.ats9.cipherSuites,
        confidence: basis.confidence(of: os))
      return
    }
    let listed = requirements.cipherSuites ?? system.cipherSuites
    let known =
      os.family == .documentation
      ? listed + system.cipherSuites.filter { !listed.contains($0) } : system.cipherSuites
    let suites = known.filter { $0.isSignalling || requirements.allows($0, enforcement) }
    // The list in the documentation contains no TLS 1.3 suite.
    let speaksTLS13 = suites.contains { $0.keyExchange == .tls13 }
    let maximum = speaksTLS13 ? system.maximumVersion : min(system.maximumVersion, .tls12)
    let minimum = requirements.lowestVersion(of: system.minimumVersion...system.maximumVersion, enforcement)
    self.init(
      system.hello, system.basis, versions: minimum...max(minimum, maximum), cipherSuites: suites,
      schemes: system.signatureSchemes.filter { requirements.offersSHA1Signatures || $0 != .rsaPKCS1SHA1 },
      confidence: requirements.cipherSuites == nil ? system.confidence : requirements.confidence,
      doubted: requirements.cipherSuites == nil ? system.doubtedSuites : [],
      fallback: Fallback.systemDefault(os: os))
  }
}

extension AppTransportSecurity.Requirements {
  /// Returns whether the client may offer `suite`.
  ///
  /// The suite must be listed, or the rule against it must not be in force.
  func allows(_ suite: CipherSuite, _ enforcement: Enforcement) -> Bool {
    let isListed = cipherSuites?.contains(suite) ?? true
    let rule = AppTransportSecurity.isEllipticEphemeral(suite) ? Rule.atsCipherSuite : .atsNoForwardSecrecy
    guard enforcement.changes(rule) else { return isListed }
    return !enforcement.check(rule, on: .connection, isListed, found: .word(suite.name)).refuses
  }

  /// Returns the lowest of `versions` that the client may offer. If the minimum is later than all of them, the result
  /// is the minimum.
  func lowestVersion(of versions: ClosedRange<ProtocolVersion>, _ enforcement: Enforcement) -> ProtocolVersion {
    guard enforcement.changes(.atsTLSVersion) else { return minimumVersion }
    let lowest = ProtocolVersion.known.first { version in
      versions.contains(version)
        && !enforcement.check(
          .atsTLSVersion, on: .connection, version >= minimumVersion,
          required: .atLeast(.word(minimumVersion.description)), found: .word(version.description)
        ).refuses
    }
    return lowest ?? minimumVersion
  }

  /// Whether no exception changes the offer.
  fileprivate var isFull: Bool {
    requiresForwardSecrecy && minimumVersion == .tls12 && niapPackage == nil && cipherSuites != nil
  }
}

extension RecordedHello.Basis {
  /// Returns the confidence that a release sends the hello.
  func confidence(of os: OSVersion) -> Finding.Confidence {
    switch self {
    case .recorded: .certain
    case .earlier(let other):
      .likely("no ClientHello of \(os) was recorded; TrustLab uses that of \(other), the nearest older release")
    case .sameGeneration(let other):
      .likely("no ClientHello of \(os) was recorded; TrustLab uses that of \(other), a release of the same generation")
    case .later(let other): .likely("no ClientHello of \(os) was recorded; TrustLab uses that of \(other)")
    }
  }
}

extension ClientConfiguration {
  /// Makes the client offer the versions, suites and extensions of a URL loader, in the loader's order.
  public mutating func offer(_ offer: ClientOffer) {
    versions = offer.minimumVersion...max(offer.minimumVersion, offer.maximumVersion)
    cipherSuites = offer.cipherSuites
    groups = offer.groups
    keyShareGroups = offer.hello.keyShareGroups
    signatureSchemes = offer.signatureSchemes
    applicationProtocols = offer.applicationProtocols
    certificateCompression = offer.hello.certificateCompression
    layout = offer.hello.layout
  }

  /// Limits the client to versions up to TLS 1.2, and removes the suites and groups of TLS 1.3.
  ///
  /// A client that accepts only TLS 1.3 is unchanged.
  public mutating func leaveOutTLS13() {
    guard versions.lowerBound < .tls13 else { return }
    versions = versions.lowerBound...min(versions.upperBound, .tls12)
    cipherSuites.removeAll { $0.keyExchange == .tls13 }
    groups.removeAll { !$0.isImplemented && $0.isImplemented13 }
  }
}

extension Enforcement {
  /// Returns whether `rule` is overridden, or replaced by a function that is not the engine's.
  fileprivate func changes(_ rule: Rule) -> Bool { isOverridden(rule) || isDecidedElsewhere(rule) }

  /// Whether a rule that narrows offers is overridden or replaced.
  fileprivate var changesOffers: Bool {
    [Rule.atsTLSVersion, .atsCipherSuite, .atsNoForwardSecrecy].contains(where: changes)
  }
}

extension OSVersion {
  /// Returns the confidence that the system supports `version` by default, or that it does not.
  package func confidence(in version: ProtocolVersion) -> Finding.Confidence {
    if version == .tls13, family == .iOS, (OSVersion(.iOS, 12, 2)..<OSVersion(.iOS, 13)).contains(self) {
      return .conflicting(
        "Apple Platform Security says that URLSession uses TLS 1.3 by default since iOS 12.2, but it was observed to "
          + "use TLS 1.2 until iOS 13 unless the app raised its maximum version")
    }
    return version < .tls12 && requiresTLS12
      ? .likely(
        "systems since iOS 26 and macOS 26 refuse TLS 1.0 and 1.1, whatever the exceptions: OWASP MASTG-BEST-0042 says "
          + "so, and their recorded ClientHellos offer nothing older than TLS 1.2")
      : .certain
  }

  /// Whether the system's URL loader refuses TLS 1.0 and 1.1, whatever the app's exceptions.
  package var requiresTLS12: Bool { isAtLeast(iOS: (26, 0), macOS: (26, 0)) }

  /// The newest version of TLS that the system's URL loader supports.
  ///
  /// TLS 1.3 was introduced with macOS 10.14.4. `OSVersion` has no third number, so 10.14 means the releases before it.
  package var newestVersion: ProtocolVersion { isAtLeast(iOS: (12, 2), macOS: (10, 15)) ? .tls13 : .tls12 }
}

extension AppTransportSecurity.Profile {
  /// The newest version of TLS that an exception can require.
  var newestVersion: ProtocolVersion { os.newestVersion }
}

extension AppTransportSecurity {
  /// The cipher suites that a system offers under App Transport Security, in the order of the offer.
  package struct Suites: Sendable, Hashable {
    /// The suites with forward secrecy: ECDHE, and TLS 1.3 if the system supports it.
    package let forwardSecret: [CipherSuite]
    /// The suites with RSA key exchange, which `NSExceptionRequiresForwardSecrecy` = NO adds.
    package let rsa: [CipherSuite]
    /// The confidence in the lists.
    let confidence: Finding.Confidence

    private init(_ forwardSecret: [CipherSuite], rsa: [CipherSuite], _ confidence: Finding.Confidence) {
      self.forwardSecret = forwardSecret
      self.rsa = rsa
      self.confidence = confidence
    }

    /// Creates the lists for a system.
    package init(_ os: OSVersion) {
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
      .likely("the list is that of coreTLS; TrustLab infers that the system uses it unchanged"))

    private static let coreTLSWithTLS13 = Suites(
      tls13 + coreTLS.forwardSecret, rsa: coreTLS.rsa, coreTLS.confidence)

    private static let iOS13 = Suites(
      tls13 + ecdhe("ECDSA", .all, chaCha: true) + ecdhe("RSA", .all, chaCha: true), rsa: rsa(sha256: true),
      .likely("TrustLab infers the list of each release from the order of Apple's source releases"))

    private static let iOS15 = Suites(openSource.forwardSecret, rsa: openSource.rsa, iOS13.confidence)

    private static let openSource = Suites(
      tls13 + ecdhe("ECDSA", .aead, chaCha: true) + ecdhe("RSA", .aead, chaCha: true)
        + ecdhe("ECDSA", .sha1, chaCha: false) + ecdhe("RSA", .sha1, chaCha: false),
      rsa: rsa(sha256: false), .certain)

    /// The suites that a NIAP level allows, which are those of TLS 1.3 and ECDHE with AES-GCM.
    static let niap =
      tls13 + openSource.forwardSecret.filter { $0.name.hasPrefix("TLS_ECDHE") && $0.name.contains("_GCM_") }

    private enum Choice {
      case all, aead, sha1
      /// The list in Apple's documentation, which omits `ECDHE_RSA_AES_256_CBC_SHA`.
      case documented
    }

    package static let tls13 = named([
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
