import Explanation

/// A set of requirements for a certification path.
public enum TrustProfile: String, Sendable, Hashable, CaseIterable {
  /// Path validation by RFC 5280 section 6.1, and extKeyUsage if it is present.
  ///
  /// The requirements of RFC 5280 section 4 on CAs are advice. Signatures are checked by RFC 8446 section 4.4.2.4, and
  /// the host by RFC 9525.
  case rfc5280
  /// RFC 5280 and the CA/Browser Forum's Baseline Requirements on keys, signatures, purposes and names of servers.
  ///
  /// The limits on lifetimes are advice. Requirements on policies and Certificate Transparency are not included.
  case webpki
  /// RFC 5280 and Apple's rules for an operating system.
  case apple
}

extension Set<TrustProfile> {
  static let everywhere = Set(TrustProfile.allCases)
}

/// A group of rules that are checked on every candidate path, and the profiles that use it.
///
/// These checks are in addition to path validation.
///
/// A profile consists of the rows of the table that name it. To add a requirement, add a row.
struct PathCheck: Sendable {
  let profiles: Set<TrustProfile>
  let rules: Set<Rule>
  let findings: @Sendable (PathContext) -> [Finding]

  init(
    _ profiles: Set<TrustProfile>, _ rules: Set<Rule>, findings: @escaping @Sendable (PathContext) -> [Finding]
  ) {
    self.profiles = profiles
    self.rules = rules
    self.findings = findings
  }

  static let all: [PathCheck] = [
    PathCheck(.everywhere, [.distrusted, .notTrustedYet, .denied, .asksUser]) { $0.trustSettings },
    PathCheck(.everywhere, [.verifyDate]) { $0.verifyDate },
    PathCheck(.everywhere, [.revoked, .revocationUnknown]) { $0.revocation },
    PathCheck(.everywhere, [.mustStaple, .badStaple]) { $0.stapling },
    PathCheck([.webpki, .apple], [.expired, .notYetValid]) { $0.anchorDates },
    PathCheck([.rfc5280], [.expired, .notYetValid]) { path in
      path.requirements.limits.checksAnchorDates ? path.anchorDates : path.anchorDates.map(\.advising)
    },
    PathCheck([.rfc5280], [.weakSignature]) { $0.signaturesOfTLS },
    PathCheck([.rfc5280, .webpki], Set(Rule.conformance)) { $0.conformance },
    PathCheck(.everywhere, [.chainDepth]) { $0.depth },
    PathCheck(.everywhere, [.keyUsage]) { $0.leafUsage },
    // The caller's own requirement, which belongs to no profile.
    PathCheck(.everywhere, []) { $0.minimumKeys },
    PathCheck([.rfc5280], [.extendedKeyUsage]) { $0.statedPurpose },
    PathCheck([.rfc5280], [.extendedKeyUsage]) { $0.nestedPurposes() },
    PathCheck([.webpki], [.keySize, .keyAlgorithm]) { WebPKIPolicy($0).keySizes },
    PathCheck([.webpki], [.weakSignature]) { WebPKIPolicy($0).signatures },
    PathCheck([.webpki], []) { WebPKIPolicy($0).signatureForms },
    PathCheck([.webpki], [.extendedKeyUsage]) { WebPKIPolicy($0).purposes },
    PathCheck([.webpki], [.caAsLeaf]) { WebPKIPolicy($0).leafForm },
    PathCheck([.webpki], [.missingExtension]) { WebPKIPolicy($0).authorityUsages },
    PathCheck([.webpki], [.keyIdentifierForm]) { WebPKIPolicy($0).keyIdentifiers },
    PathCheck([.webpki], []) { WebPKIPolicy($0).leafUsage },
    PathCheck([.webpki], [.commonNameForm, .criticality, .nameForm]) { WebPKIPolicy($0).leafNames },
    PathCheck([.webpki], [.criticality]) { WebPKIPolicy($0).criticality },
    PathCheck([.webpki], [.serialNumber]) { WebPKIPolicy($0).forms },
    PathCheck([.webpki], [.lifetime]) { WebPKIPolicy($0).lifetime },
    PathCheck([.apple], [.keySize, .keyAlgorithm]) { ApplePolicy($0).keySizes },
    PathCheck([.apple], [.weakSignature]) { ApplePolicy($0).signatures },
    PathCheck([.apple], []) { ApplePolicy($0).signers },
    // This check replaces the advice of path validation.
    PathCheck([.apple], []) { ApplePolicy($0).keyIdentifiers },
    PathCheck([.apple], [.emptyName]) { ApplePolicy($0).subjectNames },
    PathCheck([.apple], [.lifetime]) { path in path.onLeaf { [ApplePolicy(path).lifetime($0, $1)] } },
    PathCheck([.apple], [.certificateTransparency]) { path in path.onLeaf { [ApplePolicy(path).transparency($0, $1)] }
    },
    PathCheck([.apple], [.extendedKeyUsage]) { path in path.onLeaf { ApplePolicy(path).purposes($0, $1) } },
  ]
}

extension TrustProfile {
  /// The checks of this profile, in order.
  var checks: [PathCheck] {
    switch self {
    case .rfc5280: PathCheck.ofRFC5280
    case .webpki: PathCheck.ofTheWeb
    case .apple: PathCheck.ofApple
    }
  }
}

extension PathCheck {
  // Computed once, because every evaluation uses one of these lists.
  fileprivate static let ofRFC5280 = all.filter { $0.profiles.contains(.rfc5280) }
  fileprivate static let ofTheWeb = all.filter { $0.profiles.contains(.webpki) }
  fileprivate static let ofApple = all.filter { $0.profiles.contains(.apple) }
}

extension Rule {
  /// The profiles in which `verify` checks the rule on a chain.
  ///
  /// Path validation and the check of the host's name belong to all profiles. This property lists the profiles that
  /// additionally require the rule.
  public var profiles: [TrustProfile] {
    if isOfAudits { return [] }
    if ServerIdentity.rulesOfApple.contains(self) { return [.apple] }
    let rows = PathCheck.all.filter { $0.rules.contains(self) }
    let demanding: Set<TrustProfile> =
      rows.isEmpty ? .everywhere : rows.reduce(into: []) { $0.formUnion($1.profiles) }
    return TrustProfile.allCases.filter(demanding.contains)
  }
}
