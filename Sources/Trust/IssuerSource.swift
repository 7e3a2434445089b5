import PKIX

/// Where the certificate of an issuer was found, in the order in which SecTrustEvaluate looks.
public enum IssuerSource: String, Sendable, Hashable, CaseIterable {
  /// The chain that the caller evaluates: what the server presented, and what the app added to it.
  case caller
  /// The anchors that the app set: SecTrustSetAnchorCertificates.
  case anchors
  /// The system's own store, and what the user installed in it.
  case system
  /// The network, by authorityInformationAccess: RFC 5280 section 4.2.2.1.
  case network
}

extension TrustStore {
  /// Where each issuer of a path was found, the leaf's first.
  func sources(of path: CertificatePath, chain: Set<Certificate>, fetched: Set<Certificate>) -> [IssuerSource] {
    path.certificates.dropFirst().map { certificate in
      if chain.contains(certificate) { return .caller }
      if kind(of: certificate) == .app { return .anchors }
      return kind(of: certificate) == nil && fetched.contains(certificate) ? .network : .system
    }
  }
}
