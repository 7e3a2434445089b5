import Explanation
import TLS

extension AppTransportSecurity {
  /// The requirements of App Transport Security for a connection, which concern the client's offer and the server's
  /// certificate.
  public struct Requirements: Sendable, Hashable {
    /// The lowest version that the client offers.
    public let minimumVersion: ProtocolVersion
    /// The lower minimum of an exception that the system ignores; nil if there is none.
    let ignoredMinimum: ProtocolVersion?
    /// The suites that the client offers, in order; nil if App Transport Security does not restrict them.
    public let cipherSuites: [CipherSuite]?
    /// Whether the key exchange must be ECDHE.
    public let requiresForwardSecrecy: Bool
    /// Whether the server's key must have at least 2048 bits (RSA) or be on a curve of at least 256 bits.
    public let requiresKeySize: Bool
    /// Whether the server's certificate must be signed with SHA-2 of at least 256 bits.
    public let requiresLeafHash: Bool
    /// The NIAP level that adds requirements; nil if there is none.
    public let niapPackage: NIAPPackage?
    /// The confidence in the list of suites.
    public let confidence: Finding.Confidence

    /// Returns the requirements that apply if the app changes nothing.
    static func full(_ profile: Profile) -> Requirements { Requirements(nil, nil, profile) }

    /// Whether TLS 1.2 must negotiate an extended master secret (RFC 7627).
    public var requiresExtendedMasterSecret: Bool { niapPackage != nil }
    /// Whether the client offers RSA PKCS #1 signatures with SHA-1.
    public var offersSHA1Signatures: Bool { niapPackage == nil }
    /// Whether certificates must be signed with an algorithm that the client offered.
    public var requiresOfferedCertificateSignatures: Bool { niapPackage != nil }

    init(_ entry: Entry?, _ niapPackage: NIAPPackage?, _ profile: Profile) {
      let suites = Suites(profile.os)
      let requiresForwardSecrecy = niapPackage != nil || entry?.requiresForwardSecrecy ?? true
      self.requiresForwardSecrecy = requiresForwardSecrecy
      self.niapPackage = niapPackage
      let minimumVersion = entry?.minimumVersion ?? .tls12
      // The suites of TLS 1.2 that NIAP allows do not exist in earlier versions.
      let isRaised = niapPackage != nil || profile.os.requiresTLS12
      self.minimumVersion = isRaised ? max(minimumVersion, .tls12) : minimumVersion
      ignoredMinimum = profile.os.requiresTLS12 && minimumVersion < .tls12 ? minimumVersion : nil
      requiresKeySize = requiresForwardSecrecy || !profile.forwardSecrecyKeyCoversKeySize
      // On iOS 9, an entry that allows plain HTTP was observed to accept a SHA-1 leaf too. The open engine requires
      // SHA-2.
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

  /// A level of `NSRequiresNIAPTLSPackageVersion` or `NSExceptionRequiresNIAPTLSPackageVersion` (iOS 26.4, macOS 26.4).
  ///
  /// The level is a version of the functional package for TLS of the National Information Assurance Partnership.
  public enum NIAPPackage: String, Sendable, Hashable, CaseIterable {
    /// No requirements beyond App Transport Security. For a domain, this level turns off the key for all domains.
    case none
    /// Restricts TLS 1.2 to ECDHE, AES-GCM, a hash of at least SHA-256 and an extended master secret (RFC 7627).
    ///
    /// The client does not offer `rsa_pkcs1` signatures with SHA-1. Certificates must be signed with algorithms that
    /// the client offered.
    case functionalPackage21 = "FCP_v2.1"
    /// The level that Apple currently recommends. Apple does not document which level this is.
    case recommended
  }

  /// A NIAP level that a load's connections must meet in addition to App Transport Security.
  public struct NIAPDemand: Sendable, Hashable {
    /// The level, which is never `none`.
    public let package: NIAPPackage
    /// The path of the key that requires the level.
    public let keyPath: String
    /// The confidence that the level applies to the load and has these requirements.
    public let confidence: Finding.Confidence
  }
}

extension AppTransportSecurity.Deciding {
  /// Returns the level that the app requires for the load.
  ///
  /// It comes from the domain's entry, or else from the key for all domains.
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
        .unknown("which NIAP profile 'recommended' selects; TrustLab uses FCP_v2.1")
      } else if own == nil, entry != nil {
        .likely("the value 'none' implies that the key for all domains also applies to listed domains")
      } else {
        .likely("only documentation describes the NIAP profiles")
      }
    return .init(package: package, keyPath: keyPath ?? Key.requiresNIAP.name, confidence: confidence)
  }
}
