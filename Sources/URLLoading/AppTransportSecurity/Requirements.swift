import Explanation
import TLS

extension AppTransportSecurity {
  /// What App Transport Security demands of a connection: of the client's offer and of the server's certificate.
  public struct Requirements: Sendable, Hashable {
    /// The lowest version that is offered.
    public let minimumVersion: ProtocolVersion
    /// The suites that are offered, in order; nil when they are left alone.
    public let cipherSuites: [CipherSuite]?
    /// Whether the key exchange must be ECDHE.
    public let requiresForwardSecrecy: Bool
    /// Whether the server's key must be RSA of 2048 bits or on a curve of 256 bits.
    public let requiresKeySize: Bool
    /// Whether the server's certificate must be signed with SHA-2 of 256 bits.
    public let requiresLeafHash: Bool
    /// The level of NIAP that narrows them; nil when none does.
    public let niapPackage: NIAPPackage?
    /// How well known the list of suites is.
    public let confidence: Finding.Confidence

    /// What holds where the app changes nothing.
    static func full(_ profile: Profile) -> Requirements { Requirements(nil, nil, profile) }

    /// Whether TLS 1.2 must negotiate an extended master secret: RFC 7627.
    public var requiresExtendedMasterSecret: Bool { niapPackage != nil }
    /// Whether signatures of RSA PKCS #1 with SHA-1 are offered.
    public var offersSHA1Signatures: Bool { niapPackage == nil }
    /// Whether certificates must be signed with algorithms that were offered.
    public var requiresOfferedCertificateSignatures: Bool { niapPackage != nil }

    init(_ entry: Entry?, _ niapPackage: NIAPPackage?, _ profile: Profile) {
      let suites = Suites(profile.os)
      let requiresForwardSecrecy = niapPackage != nil || entry?.requiresForwardSecrecy ?? true
      self.requiresForwardSecrecy = requiresForwardSecrecy
      self.niapPackage = niapPackage
      let minimumVersion = entry?.minimumVersion ?? .tls12
      // What NIAP leaves of TLS 1.2 does not exist in earlier versions.
      self.minimumVersion = niapPackage == nil ? minimumVersion : max(minimumVersion, .tls12)
      requiresKeySize = requiresForwardSecrecy || !profile.forwardSecrecyKeyCoversKeySize
      // Seen on iOS 9: an entry that allows plain HTTP also let a SHA-1 leaf pass. The open engine demands SHA-2.
      requiresLeafHash = !(profile.name == .ios9 && entry?.allowsInsecureHTTPLoads == true)
      confidence = suites.confidence
      if niapPackage != nil {
        cipherSuites = suites.forwardSecret.filter { Suites.niap.contains($0) }
      } else if requiresForwardSecrecy {
        cipherSuites = suites.forwardSecret
      } else if profile.mayLeaveSuitesAlone, entry?.allowsInsecureHTTPLoads == true {
        cipherSuites = nil
      } else {
        cipherSuites = suites.forwardSecret + suites.rsa
      }
    }
  }

  /// A level of `NSRequiresNIAPTLSPackageVersion` and `NSExceptionRequiresNIAPTLSPackageVersion`, iOS 26.4 and macOS 26.4:
  /// the functional package for TLS of the National Information Assurance Partnership.
  public enum NIAPPackage: String, Sendable, Hashable, CaseIterable {
    /// Nothing beyond App Transport Security; for a domain, opts it out of the key for all domains.
    case none
    /// TLS 1.2 only with ECDHE, AES-GCM and a hash of at least SHA-256, and with an extended master secret (RFC 7627);
    /// no `rsa_pkcs1` signatures with SHA-1; certificates signed with algorithms that were offered only.
    case functionalPackage21 = "FCP_v2.1"
    /// What Apple recommends at a time; which that is, is not public.
    case recommended
  }

  /// A level that a load's connections must meet beyond App Transport Security.
  public struct NIAPDemand: Sendable, Hashable {
    /// The level; never `none`.
    public let package: NIAPPackage
    /// The path of the key that asks for it.
    public let keyPath: String
    /// How well known it is that it holds for the load, and what it asks.
    public let confidence: Finding.Confidence
  }
}

extension AppTransportSecurity.Deciding {
  /// The level that the app asks for where the load goes: that of the domain's entry, else that for all domains.
  static func niapDemand(
    _ entry: AppTransportSecurity.Entry?, _ configuration: AppTransportSecurity.Configuration,
    _ profile: AppTransportSecurity.Profile
  ) -> AppTransportSecurity.NIAPDemand? {
    typealias Key = AppTransportSecurity.Key
    let own = entry?.domain.niapPackage
    guard Key.requiresNIAP.isKnown(to: profile.os), let package = own ?? configuration.globals.niapPackage,
      package != .none
    else {
      return nil
    }
    let keyPath = own.flatMap { _ in entry.map { "\($0.domain.keyPath).\(Key.exceptionRequiresNIAP.name)" } }
    let confidence: Finding.Confidence =
      if package == .recommended {
        .unknown("what 'recommended' asks for; it is taken for FCP_v2.1")
      } else if own == nil, entry != nil {
        .likely("that the key for all domains holds for a listed one follows from the value 'none' there")
      } else {
        .likely("the levels of NIAP are known from documentation only")
      }
    return .init(package: package, keyPath: keyPath ?? Key.requiresNIAP.name, confidence: confidence)
  }
}
