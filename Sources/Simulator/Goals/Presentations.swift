import PKIX

/// The chains with which certificates can be presented.
///
/// A chain consists of the usual issuers, or it contains another certificate of the same CA, such as a
/// cross-certificate (RFC 5280 section 3.2).
struct Presentations {
  /// The chain of one certificate.
  struct Chain {
    /// The certificate and the issuers above it, without the root.
    let certificates: [Certificate]
    /// The name of the first certificate that differs from the usual chain; nil for the usual chain.
    let through: String?
  }

  private let holdings: [Holding]
  /// The maximum number of chains of one certificate, and of certificates above it: more than any client follows.
  private static let (limit, depth) = (6, 8)

  /// Creates the chains of these certificates.
  init(_ holdings: [Holding]) { self.holdings = holdings }

  /// Returns the chains of the certificate of `holding`, the usual chain first.
  func chains(of holding: Holding) -> [Chain] {
    guard let own = holding.chain.first else { return [] }
    let usual = Chain(certificates: holding.chain, through: nil)
    let others = paths(above: own, Self.depth).map { [own] + $0 }.filter { $0 != holding.chain }
    return [usual]
      + others.prefix(Self.limit).compactMap { chain in
        let new = chain.first { !holding.chain.contains($0) }
        return new.map { Chain(certificates: chain, through: name(of: $0)) }
      }
  }

  /// Returns the chains of every certificate for the key of `authority`, its own first.
  func chains(ofKeyOf authority: Holding) -> [Chain] {
    let others = holdings.filter { other in
      guard other.keyName == authority.keyName, let own = other.chain.first else { return false }
      return own != authority.chain.first && own.subject == authority.chain.first?.subject
    }
    return chains(of: authority)
      + others.flatMap { other in
        chains(of: other).map { Chain(certificates: $0.certificates, through: $0.through ?? other.name) }
      }
  }

  /// Returns the paths from `certificate` up to a root, without the root.
  private func paths(above certificate: Certificate, _ depth: Int) -> [[Certificate]] {
    let named = issuers.filter { $0.subject == certificate.issuer && $0 != certificate }
    guard depth > 0, certificate.subject != certificate.issuer, !named.isEmpty else { return [[]] }
    // The signature is verified only if several CAs have the name, because verification is slow.
    let signers = named.count > 1 ? named.filter { certificate.isSigned(by: $0) } : named
    let paths = signers.flatMap { issuer -> [[Certificate]] in
      issuer.subject == issuer.issuer ? [[]] : self.paths(above: issuer, depth - 1).map { [issuer] + $0 }
    }
    return Array(paths.prefix(Self.limit))
  }

  /// The available CA certificates.
  private var issuers: [Certificate] {
    holdings.compactMap(\.chain.first).filter { $0.basicConstraints?.isCA == true }
  }

  private func name(of certificate: Certificate) -> String? { holdings.first { $0.chain.first == certificate }?.name }
}
