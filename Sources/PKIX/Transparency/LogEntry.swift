import Cryptography

/// An entry in the tree of a log, which the log's SCT signs (RFC 6962 section 3.1).
public enum LogEntry: Sendable, Hashable {
  /// A certificate.
  case x509([UInt8])
  /// A certificate before it is issued.
  ///
  /// The values are the SHA-256 of the issuer's SubjectPublicKeyInfo, and the TBSCertificate without SCTs and poison.
  case precertificate(issuerKeyHash: [UInt8], tbsCertificate: [UInt8])

  /// Restores the entry that the SCTs embedded in a certificate sign, which is the certificate without them.
  ///
  /// The result is nil if the entry cannot be restored.
  public init?(embeddedIn certificate: Certificate, issuer: Certificate) {
    self.init(embeddedIn: certificate, issuerKey: issuer.subjectPublicKeyInfo)
  }

  /// Restores the entry that embedded SCTs sign, using only the issuer's SubjectPublicKeyInfo.
  public init?(embeddedIn certificate: Certificate, issuerKey: [UInt8]) {
    guard let tbs = certificate.tbsCertificate(removing: .sctList) else { return nil }
    self = .precertificate(issuerKeyHash: Hash.sha256.digest(issuerKey), tbsCertificate: tbs)
  }

  /// Creates the entry of a precertificate.
  ///
  /// If a precertificate signing certificate signed it, the name and key identifier of the final issuer replace those
  /// of the signer (section 3.2). `chain` contains the certificates above the precertificate. The result is nil if the
  /// final issuer is not among them.
  public init?(of precertificate: Certificate, chain: [Certificate]) {
    guard let first = chain.first else { return nil }
    let isDelegated = first.extendedKeyUsage?.purposes.contains(LogEntry.signing) == true
    guard let issuer = isDelegated ? chain.dropFirst().first : first,
      let tbs = precertificate.tbsCertificate(
        removing: .precertificatePoison, signedBy: isDelegated ? first : nil)
    else { return nil }
    self = .precertificate(issuerKeyHash: Hash.sha256.digest(issuer.subjectPublicKeyInfo), tbsCertificate: tbs)
  }

  /// The purpose of precertificate signing certificates (section 3.1).
  static let signing = OID(1, 3, 6, 1, 4, 1, 11129, 2, 4, 4)

  /// The entry_type of the entry, followed by its signed bytes.
  public var bytes: [UInt8] {
    switch self {
    case .x509(let certificate): [0, 0] + certificate.prefixed(3)
    case .precertificate(let issuerKeyHash, let tbs): [0, 1] + issuerKeyHash + tbs.prefixed(3)
    }
  }

  /// Returns the octets of digitally-signed in section 3.2.
  ///
  /// They are equal to those of MerkleTreeLeaf in section 3.4, because the version and the type are 0 in both.
  package func timestamped(_ timestamp: UInt64, extensions: [UInt8]) -> [UInt8] {
    [0, 0] + timestamp.octets + bytes + extensions.prefixed(2)
  }

  /// Returns the hash of the entry's leaf.
  public func leafHash(timestamp: UInt64, extensions: [UInt8] = []) -> [UInt8] {
    MerkleTree.leafHash(timestamped(timestamp, extensions: extensions))
  }
}

extension Certificate {
  /// Returns the TBSCertificate without the extension `oid`. All other octets are unchanged, except the lengths of the
  /// enclosing values.
  ///
  /// If `signer` is a precertificate signing certificate, its issuer's name and its authority key identifier replace
  /// those of this certificate. The function returns nil if the bytes cannot be read.
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

  /// Returns whether this certificate matches `precertificate`, octet by octet.
  public func corresponds(to precertificate: Certificate) -> Bool {
    guard let own = tbsCertificate(removing: .sctList) else { return false }
    return own == precertificate.tbsCertificate(removing: .precertificatePoison)
  }
}
