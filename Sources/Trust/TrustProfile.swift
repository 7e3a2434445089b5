/// Whose demands a path has to meet.
public enum TrustProfile: String, Sendable, Hashable, CaseIterable {
  /// RFC 5280: section 6.1, extKeyUsage where it is present, and as advice what section 4 asks of authorities; RFC 8446
  /// section 4.4.2.4 for signatures, RFC 9525 for the host.
  case rfc5280
  /// RFC 5280 and what the CA/Browser Forum's Baseline Requirements say about keys, signatures, purposes and names of
  /// servers, and as advice about their lifetimes; not their policies and transparency.
  case webpki
  /// RFC 5280 and Apple's rules of an operating system.
  case apple
}

extension Set<TrustProfile> {
  /// Every profile.
  static let everywhere = Set(TrustProfile.allCases)
}
