import Cryptography
import Explanation
import PKIX

/// The lines of an OpenSSL configuration that give a certificate its extensions: x509v3_config(5).
///
/// What has no line of its own, or one that would say something else, is written as its bytes.
struct OpenSSLExtensions {
  private let certificate: Certificate

  private let issuer: Certificate

  /// The extensions of `certificate`, which `issuer` signed: itself where it is a root.
  init(_ certificate: Certificate, issuer: Certificate) {
    self.certificate = certificate
    self.issuer = issuer
  }

  var lines: [String] {
    let lines = certificate.extensions.map { item in
      let critical = item.critical ? "critical," : ""
      guard let (name, value) = words(for: item) else {
        return "\(item.oid)=\(critical)DER:\(Hex.string(item.value))"
      }
      return "\(name)=\(critical)\(value)"
    }
    return lines.isEmpty ? [] : lines + missing
  }

  /// The key identifiers that it has not: since version 3.0 openssl writes them unless it is told not to.
  private var missing: [String] {
    [(SubjectKeyIdentifier.oid, "subjectKeyIdentifier"), (AuthorityKeyIdentifier.oid, "authorityKeyIdentifier")]
      .filter { oid, _ in !certificate.extensions.contains { $0.oid == oid } }.map { "\($0.1)=none" }
  }

  private func words(for item: Certificate.Extension) -> (name: String, value: String)? {
    switch item.oid {
    case BasicConstraints.oid: constraints(item.value).map { ("basicConstraints", $0) }
    case KeyUsage.oid: usage(item.value).map { ("keyUsage", $0) }
    case ExtendedKeyUsage.oid: purposes(item.value).map { ("extendedKeyUsage", $0) }
    case SubjectAlternativeName.oid: names(item.value).map { ("subjectAltName", $0) }
    case SubjectKeyIdentifier.oid where certificate.hasUsualKeyIdentifier: ("subjectKeyIdentifier", "hash")
    case AuthorityKeyIdentifier.oid where namesIssuersKey:
      ("authorityKeyIdentifier", "keyid:always")
    case AuthorityInformationAccess.oid: locations(item.value).map { ("authorityInfoAccess", $0) }
    default: nil
    }
  }

  /// Whether authorityKeyIdentifier is the issuer's subjectKeyIdentifier and nothing else.
  private var namesIssuersKey: Bool {
    guard let claimed = certificate.authorityKeyIdentifier, let identifier = issuer.subjectKeyIdentifier else {
      return false
    }
    return claimed.keyIdentifier == identifier.keyIdentifier && claimed.authorityCertIssuer == nil
      && claimed.authorityCertSerialNumber == nil
  }

  private func constraints(_ der: [UInt8]) -> String? {
    guard let value = try? BasicConstraints(der: der), value.der == der else { return nil }
    return "CA:\(value.isAuthority ? "TRUE" : "FALSE")" + (value.pathLength.map { ",pathlen:\($0)" } ?? "")
  }

  private func usage(_ der: [UInt8]) -> String? {
    guard let value = try? KeyUsage(der: der), value.der == der, !value.words.isEmpty else { return nil }
    return value.words.map { $0 == "contentCommitment" ? "nonRepudiation" : $0 }.joined(separator: ",")
  }

  private func purposes(_ der: [UInt8]) -> String? {
    guard let value = try? ExtendedKeyUsage(der: der), value.der == der else { return nil }
    return value.purposes.map {
      [ExtendedKeyUsage.serverAuth, ExtendedKeyUsage.clientAuth].contains($0) ? $0.name : $0.description
    }
    .joined(separator: ",")
  }

  /// Host names and addresses; a name that could be taken for more than one is left to its bytes.
  private func names(_ der: [UInt8]) -> String? {
    guard let value = try? SubjectAlternativeName(der: der), value.der == der else { return nil }
    var words: [String] = []
    for name in value.names {
      switch name {
      case .dnsName(let text) where text.isPlainName: words.append("DNS:\(text)")
      case .ipAddress: words.append(name.meaning)
      default: return nil
      }
    }
    return words.joined(separator: ",")
  }

  private func locations(_ der: [UInt8]) -> String? {
    guard let value = try? AuthorityInformationAccess(der: der), value.der == der else { return nil }
    var words: [String] = []
    for place in value.descriptions {
      guard place.method == .caIssuers, case .uniformResourceIdentifier(let url) = place.location, url.isPlainName
      else {
        return nil
      }
      words.append("caIssuers;URI:\(url)")
    }
    return words.joined(separator: ",")
  }
}

extension Certificate {
  /// Whether its subjectKeyIdentifier is the SHA-1 of its key: RFC 5280 section 4.2.1.2, method 1.
  fileprivate var hasUsualKeyIdentifier: Bool {
    subjectKeyIdentifier?.keyIdentifier == Hash.sha1.digest(publicKey.subjectPublicKey)
  }
}

extension String {
  /// Whether it has nothing that a configuration of OpenSSL would take for a sign.
  fileprivate var isPlainName: Bool {
    !isEmpty
      && utf8.allSatisfy {
        (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) || "*.-_/:".utf8.contains($0)
      }
  }
}
