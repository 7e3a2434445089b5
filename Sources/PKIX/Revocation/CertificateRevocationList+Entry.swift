import Explanation

extension CertificateRevocationList {
  /// One revoked certificate, RFC 5280 sections 5.1.2.6 and 5.3.
  public struct Entry: Sendable, Hashable {
    /// The content octets of its serial number.
    public let serialNumber: [UInt8]
    /// When it was revoked.
    public let date: Instant
    /// Why; nil is unspecified.
    public let reason: RevocationReason?
    /// Who issued the certificate: the list's issuer, unless an entry from the first on said otherwise.
    let certificateIssuer: [DistinguishedName]
    /// An extension that is critical and not processed, or malformed.
    let obstacle: OID?

    static func readAll(
      _ tbs: inout DERCursor, issuer: DistinguishedName
    ) throws(CertificateError) -> [Entry] {
      guard let element = try tbs.optional("revokedCertificates", DERTag.sequence) else { return [] }
      var list = tbs.inside(element)
      var entries: [Entry] = []
      var current = [issuer]
      while !list.isAtEnd {
        let entry = try Entry(&list, current)
        current = entry.certificateIssuer
        entries.append(entry)
      }
      return entries
    }

    private init(_ list: inout DERCursor, _ issuer: [DistinguishedName]) throws(CertificateError) {
      var parts = list.inside(try list.next("revokedCertificate", DERTag.sequence))
      serialNumber = try parts.integer("userCertificate")
      date = try parts.time("revocationDate")
      var reason: RevocationReason?
      var certificateIssuer = issuer
      var obstacle: OID?
      if !parts.isAtEnd {
        for item in try Certificate.readExtensionList(&parts, "crlEntryExtensions") {
          switch item.oid {
          case .reasonCode:
            reason = RevocationReason(der: item.value)
            if reason == nil { obstacle = item.oid }
          case .certificateIssuer:
            let names = Entry.issuers(item.value)
            if names.isEmpty { obstacle = item.oid } else { certificateIssuer = names }
          case .invalidityDate: continue
          default: if item.critical { obstacle = item.oid }
          }
        }
      }
      try parts.finish("revokedCertificate")
      self.reason = reason
      self.certificateIssuer = certificateIssuer
      self.obstacle = obstacle
    }

    /// The directory names among GeneralNames; none when these are malformed.
    private static func issuers(_ der: [UInt8]) -> [DistinguishedName] {
      guard let names = try? SubjectAlternativeName(der: der).names else { return [] }
      return names.compactMap { if case .directoryName(let name) = $0 { name } else { nil } }
    }
  }
}

/// Why a certificate was revoked: CRLReason, RFC 5280 section 5.3.1.
public enum RevocationReason: UInt8, Sendable, Hashable, CaseIterable {
  case unspecified = 0
  case keyCompromise = 1
  case cACompromise = 2
  case affiliationChanged = 3
  case superseded = 4
  case cessationOfOperation = 5
  case certificateHold = 6
  case removeFromCRL = 8
  case privilegeWithdrawn = 9
  case aACompromise = 10

  /// Reads an ENUMERATED; nil when it is none of these.
  init?(der: [UInt8]) {
    guard der.count == 3, der[0] == 0x0A, der[1] == 1 else { return nil }
    self.init(rawValue: der[2])
  }

  /// The standard's name.
  public var name: String { "\(self)" }
}
