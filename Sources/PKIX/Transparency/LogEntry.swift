import Cryptography

/// What a log signs a timestamp over: an entry of its tree, RFC 6962 section 3.1.
public enum LogEntry: Sendable, Hashable {
  /// A certificate as it is.
  case x509([UInt8])
  /// A certificate before it is issued: the SHA-256 of the whole SubjectPublicKeyInfo of who will issue it, and its
  /// TBSCertificate without timestamps or poison.
  case precertificate(issuerKeyHash: [UInt8], tbsCertificate: [UInt8])

  /// The entry of a certificate that was issued, as embedded timestamps are over it: the certificate as it was before they
  /// came to stand in it. Nil where it cannot be made again.
  public init?(embeddedIn certificate: Certificate, issuer: Certificate) {
    self.init(embeddedIn: certificate, issuerKey: issuer.subjectPublicKeyInfo)
  }

  /// The same where of the issuer only the SubjectPublicKeyInfo is at hand.
  public init?(embeddedIn certificate: Certificate, issuerKey: [UInt8]) {
    guard let tbs = certificate.tbsCertificate(removing: .timestampList) else { return nil }
    self = .precertificate(issuerKeyHash: Hash.sha256.digest(issuerKey), tbsCertificate: tbs)
  }

  /// The entry of a precertificate. Where a precertificate signing certificate signed it, the name and the key identifier of
  /// the final issuer stand in the place of its own (section 3.2). `chain` are the certificates above; nil where
  /// the final issuer is not among them.
  public init?(of precertificate: Certificate, chain: [Certificate]) {
    guard let first = chain.first else { return nil }
    let isDelegated = first.extendedKeyUsage?.purposes.contains(LogEntry.signing) == true
    guard let issuer = isDelegated ? chain.dropFirst().first : first,
      let tbs = precertificate.tbsCertificate(
        removing: .precertificatePoison, signedBy: isDelegated ? first : nil)
    else { return nil }
    self = .precertificate(issuerKeyHash: Hash.sha256.digest(issuer.subjectPublicKeyInfo), tbsCertificate: tbs)
  }

  /// The purpose of precertificate signing certificates, section 3.1.
  static let signing = OID(1, 3, 6, 1, 4, 1, 11129, 2, 4, 4)

  /// entry_type and what is signed of the entry.
  public var bytes: [UInt8] {
    switch self {
    case .x509(let certificate): [0, 0] + certificate.prefixed(3)
    case .precertificate(let issuerKeyHash, let tbs): [0, 1] + issuerKeyHash + tbs.prefixed(3)
    }
  }

  /// The octets of digitally-signed in section 3.2, which are those of MerkleTreeLeaf in section 3.4 as well: version and
  /// type are 0 in both.
  package func timestamped(_ timestamp: UInt64, extensions: [UInt8]) -> [UInt8] {
    [0, 0] + timestamp.octets + bytes + extensions.prefixed(2)
  }

  /// The hash of the leaf that the entry becomes.
  public func leafHash(timestamp: UInt64, extensions: [UInt8] = []) -> [UInt8] {
    MerkleTree.leafHash(timestamped(timestamp, extensions: extensions))
  }
}

extension Certificate {
  /// The TBSCertificate without the extension `oid`: every other octet stays, but for the lengths around it. Where
  /// `signer` is a precertificate signing certificate, the name of who issued that one and its authority key identifier
  /// take the place of this certificate's. Nil where the certificate cannot be read again.
  public func tbsCertificate(removing oid: OID, signedBy signer: Certificate? = nil) -> [UInt8]? {
    var outer = DERCursor(Array(der[tbsCertificate]))
    guard let whole = try? outer.next("tbsCertificate", DERTag.sequence) else { return nil }
    var parts = outer.inside(whole)
    var content: [UInt8] = []
    // The first SEQUENCE is the algorithm, the second the issuer's name.
    var sequences = 0
    while !parts.isAtEnd {
      guard let element = try? parts.next("part") else { return nil }
      if element.tag == DERTag.sequence { sequences += 1 }
      switch element.tag {
      case DERTag.sequence where sequences == 2: content += signer?.issuer.der ?? parts.encoding(element)
      case DERTag.context(3, constructed: true): content += extensionsWithout(oid, signer)
      default: content += parts.encoding(element)
      }
    }
    return DER.element(DERTag.sequence, content)
  }

  private func extensionsWithout(_ oid: OID, _ signer: Certificate?) -> [UInt8] {
    let kept = extensions.filter { $0.oid != oid }.compactMap { item -> [UInt8]? in
      guard let signer, item.oid == .authorityKeyIdentifier else { return Array(der[item.range]) }
      return signer.first(.authorityKeyIdentifier).map { Array(signer.der[$0.range]) }
    }
    guard !kept.isEmpty else { return [] }
    return DER.element(DERTag.context(3, constructed: true), DER.sequence(of: kept))
  }

  /// Whether this certificate is what `precertificate` announced, octet by octet.
  public func corresponds(to precertificate: Certificate) -> Bool {
    guard let own = tbsCertificate(removing: .timestampList) else { return false }
    return own == precertificate.tbsCertificate(removing: .precertificatePoison)
  }
}
