import Cryptography
import Explanation
import PKIX

/// The `openssl` commands that issue a certificate like this one: a key, a request, a configuration, and `openssl ca`.
///
/// Only `openssl ca` accepts both validity dates in every version.
struct OpenSSLRecipe {
  let commands: [ShellCommand]

  /// - Parameters:
  ///   - issuer: the issuer; nil if the certificate is self-signed.
  ///   - makesKey: whether the key has to be generated.
  init?(_ entry: IssuingRecipe.Entry, issuer: IssuingRecipe.Entry?, makesKey: Bool) {
    let certificate = entry.certificate
    guard let subject = certificate.subject.openSSLText, let signing = Self.signing(certificate),
      let start = certificate.notBefore.compactText, let end = certificate.notAfter.compactText,
      let key = Self.key(certificate.publicKey, file: entry.key)
    else { return nil }
    let lines = OpenSSLExtensions(certificate, issuer: (issuer ?? entry).certificate).lines
    let (file, ownKey) = (entry.file, entry.key)
    var configuration = [
      "[ca]", "default_ca=d", "[d]", "database=index", "serial=serial", "new_certs_dir=.", "unique_subject=no",
      "policy=p", "default_md=\(signing.hash)", "[p]", "CN=optional",
    ]
    // An empty extension section produces a version 3 certificate; no section produces version 1.
    if certificate.version == 3 { configuration += ["[x]"] + lines }
    var signer = [" -selfsign -keyfile \(ownKey).key"]
    if let issuer { signer = [" -cert \(issuer.file).pem", " -keyfile \(issuer.key).key"] }
    let options = certificate.version == 3 ? [" -extensions x"] : []
    commands =
      (makesKey ? [key] : []) + [
        ShellCommand(["openssl req -new", " -key \(ownKey).key", " -subj \(quoted(subject))", " -out \(file).csr"]),
        ShellCommand(
          ["printf '%s\\n'"] + configuration.flatMap(Self.folded).map { " \(quoted($0))" } + [" > \(file).cnf"]),
        ShellCommand([": > index;", " printf '%s\\n'", " \(Hex.string(certificate.serialNumber))", " > serial"]),
        ShellCommand(
          ["openssl ca -batch -notext -preserveDN", " -config \(file).cnf", " -in \(file).csr"] + signer + [
            " -startdate \(start)", " -enddate \(end)",
          ] + options + signing.options + [" -out \(file).pem"]),
      ]
  }

  /// Returns a configuration line as lines of at most 64 characters. A backslash at the end joins a line to the next
  /// one; see config(5).
  private static func folded(_ line: String) -> [String] {
    var pieces: [String] = []
    var rest = line[...]
    while rest.count > 64 {
      pieces.append(rest.prefix(63) + "\\")
      rest = rest.dropFirst(63)
    }
    return pieces + [String(rest)]
  }

  /// Returns the hash of the signature in openssl's notation, with further options; nil if openssl does not support the
  /// algorithm.
  private static func signing(_ certificate: Certificate) -> (hash: String, options: [String])? {
    guard let scheme = certificate.signatureScheme, let hash = scheme.hash else { return nil }
    guard scheme.padding == .pss else { return (hash.rawValue, []) }
    let salt = certificate.signatureAlgorithm.pssParameters?.saltLength ?? hash.digestSize
    return (hash.rawValue, [" -sigopt rsa_padding_mode:pss", " -sigopt rsa_pss_saltlen:\(salt)"])
  }

  private static func key(_ key: PublicKey, file: String) -> ShellCommand? {
    switch key {
    case .rsa(let key) where key.usage == .any:
      ShellCommand(["openssl genpkey -algorithm RSA", " -pkeyopt rsa_keygen_bits:\(key.bits)", " -out \(file).key"])
    case .ec(let key):
      ShellCommand(
        [
          "openssl genpkey -algorithm EC", " -pkeyopt ec_paramgen_curve:\(key.curve.rawValue)", " -out \(file).key",
        ])
    case .ed25519: ShellCommand(["openssl genpkey -algorithm ED25519", " -out \(file).key"])
    default: nil
    }
  }
}

extension Instant {
  /// The date in GeneralizedTime (RFC 5280 section 4.1.2.5.2), as `openssl ca` requires: `20161101000000Z`; nil before
  /// the year 0.
  var compactText: String? {
    let text = description.filter { $0.isNumber }
    return text.count == 14 ? "\(text)Z" : nil
  }
}

extension DistinguishedName {
  /// The name in the notation of `openssl req -subj`; nil if an attribute is not text, or has control
  /// characters. For example:
  /// `/O=Company/CN=api.example`.
  var openSSLText: String? {
    var text = ""
    for attributes in relativeNames {
      guard attributes.count == 1, let attribute = attributes.first else { return nil }
      // A command line has no zero byte, and a terminal acts on other control characters.
      let isControl = { (scalar: Unicode.Scalar) in scalar.properties.generalCategory == .control }
      guard let value = attribute.text, !value.unicodeScalars.contains(where: isControl) else { return nil }
      let escaped = value.replacing("\\", with: "\\\\").replacing("/", with: "\\/").replacing("+", with: "\\+")
      text += "/\(attribute.type.name)=\(escaped)"
    }
    return text.isEmpty ? "/" : text
  }
}

/// The lines of an OpenSSL configuration for a certificate's extensions; see x509v3_config(5).
///
/// If no line expresses an extension exactly, the extension is written as bytes.
struct OpenSSLExtensions {
  private let certificate: Certificate

  private let issuer: Certificate

  /// Creates the lines for the extensions of `certificate`. For a root, `issuer` is the root itself.
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

  /// The lines for key identifiers that the certificate lacks. Since version 3.0, openssl writes them unless they are
  /// set to `none`.
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
    case SubjectKeyIdentifier.oid where certificate.hasStandardKeyIdentifier: ("subjectKeyIdentifier", "hash")
    case AuthorityKeyIdentifier.oid where namesIssuersKey:
      ("authorityKeyIdentifier", "keyid:always")
    case AuthorityInformationAccess.oid: locations(item.value).map { ("authorityInfoAccess", $0) }
    default: nil
    }
  }

  /// Whether authorityKeyIdentifier contains only the issuer's subjectKeyIdentifier.
  private var namesIssuersKey: Bool {
    guard let claimed = certificate.authorityKeyIdentifier, let identifier = issuer.subjectKeyIdentifier else {
      return false
    }
    return claimed.keyIdentifier == identifier.keyIdentifier && claimed.authorityCertIssuer == nil
      && claimed.authorityCertSerialNumber == nil
  }

  private func constraints(_ der: [UInt8]) -> String? {
    guard let value = try? BasicConstraints(der: der), value.der == der else { return nil }
    return "CA:\(value.isCA ? "TRUE" : "FALSE")" + (value.pathLength.map { ",pathlen:\($0)" } ?? "")
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

  /// Returns the host names and addresses; nil for an ambiguous name, which is written as bytes.
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
  /// Whether the certificate's subjectKeyIdentifier is the SHA-1 of its key (RFC 5280 section 4.2.1.2, method 1).
  fileprivate var hasStandardKeyIdentifier: Bool {
    subjectKeyIdentifier?.keyIdentifier == Hash.sha1.digest(publicKey.subjectPublicKey)
  }
}

extension String {
  /// Whether the text contains no character with a special meaning in an OpenSSL configuration.
  fileprivate var isPlainName: Bool {
    !isEmpty
      && utf8.allSatisfy {
        (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) || "*.-_/:".utf8.contains($0)
      }
  }
}
