import Explanation

extension AppTransportSecurity {
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
    guard profile.knowsNIAP, let package = own ?? configuration.globals.niapPackage, package != .none else {
      return nil
    }
    let keyPath = own.flatMap { _ in entry.map { "\($0.domain.keyPath).\(Key.exceptionRequiresNIAP)" } }
    let confidence: Finding.Confidence =
      if package == .recommended {
        .unknown("what 'recommended' asks for; it is taken for FCP_v2.1")
      } else if own == nil, entry != nil {
        .likely("that the key for all domains holds for a listed one follows from the value 'none' there")
      } else {
        .likely("the levels of NIAP are known from documentation only")
      }
    return .init(package: package, keyPath: keyPath ?? Key.requiresNIAP, confidence: confidence)
  }
}
