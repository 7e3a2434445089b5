import Explanation
import PKIX
import Trust
import URLLoading

/// The scenario keywords of a certificate and of its trust settings.
extension CertificateDescription {
  /// The signature algorithms by the names of their hashes.
  static let signatures = ["md5", "sha1", "sha256", "sha384", "sha512", "pss-sha256", "pss-sha384", "pss-sha512"]

  /// Every keyword of an entry under `authorities` or `certificates`.
  static let section = Section<CertificateDescription>(
    "certificate",
    "A CA or another certificate, which the scenario issues or reads from a file. A scenario file's certificates "
      + "replace the baseline's; a case's certificates are added to the file's.",
    [
      .term(
        "issuer", .text, "the issuer; default: the certificate is self-signed", into: \.issuer,
        usually: { $0.isIssuedHere ? .usual("self") : nil }),
      .term(
        "crossSigns", .text,
        "makes this entry a cross-certificate for the named certificate, with the same key and, by default, the same "
          + "name",
        into: \.crossSigned, says: { "cross-certificate for the key of \($0)" }),
      .term(
        "key", .keyKind, "the kind and size of the key, such as rsa-2048 or ec-p256", into: \.key,
        usually: {
          $0.isIssuedHere && $0.crossSigned == nil && $0.spoofedKey == nil ? .usual("\(precomputedKey)") : nil
        }),
      .term(
        "explicitCurve", .flag,
        "whether an EC key spells out the parameters of its curve, which RFC 5480 section 2.1.1 forbids; default: false",
        into: \.spellsOutCurve, says: { $0 ? "its key spells out the parameters of its curve" : nil }),
      .term(
        "spoofsKeyOf", .text,
        "the certificate whose EC key and name this certificate has, with explicit parameters in which the key is the "
          + "generator, so that everyone knows the private key (CVE-2020-0601)",
        into: \.spoofedKey, says: { "spoofs the key of \($0)" }),
      .term(
        "entropy", .integer(0...63),
        "the entropy of the key in bits, such as 15; default: the key comes from a good generator", into: \.entropy,
        says: { "its key has \($0) bits of entropy" }),
      .term(
        "sharesPrimeWith", .text, "the certificate whose RSA key shares a prime with this certificate's key",
        into: \.sharesPrimeWith, says: { "its key shares a prime with the key of \($0)" }),
      .term(
        "smoothPrime", .flag,
        "whether one prime of the RSA key is easy to find, because p - 1 has only prime factors up to 2^16; default: "
          + "false",
        into: \.hasSmoothPrime, says: { $0 ? "a prime of its key is easy to find" : nil }),
      .term(
        "signature", .choice(signatures, called: "hash"),
        "the hash of the signature; the prefix pss- selects RSASSA-PSS with an RSA key", into: \.signature,
        usually: { $0.isIssuedHere ? .usual(defaultSignature) : nil }),
      .term(
        "names", .list(.alternativeName),
        "the DNS names and IP addresses in subjectAltName; DNS:192.0.2.1 puts an address into a dNSName",
        into: \.names),
      .term(
        "commonName", .text, "the subject's common name; default: the first of 'names', else the name of this entry",
        into: \.commonName,
        usually: {
          $0.isIssuedHere && $0.crossSigned == nil && $0.spoofedKey == nil && !$0.isProxy
            ? .usual($0.defaultCommonName) : nil
        },
        says: { "its common name is \($0)" }),
      .term(
        "days", .integer(0...73_000), "the length of the validity period in days", into: \.days,
        usually: { $0.isIssuedHere && $0.notAfter == nil ? .usual(String($0.defaultDays)) : nil },
        says: { "valid for \($0) days" }),
      .term("notBefore", .date, "the start of the validity period", into: \.notBefore, says: { "valid from \($0)" }),
      .term("notAfter", .date, "the end of the validity period", into: \.notAfter, says: { "valid until \($0)" }),
      .term(
        "trust", .choice(called: "store"),
        "the certificate's place in the client's trust store: system, distrusted (the system blocks it and the "
          + "certificates it issued) or none; user, installed-not-trusted, denied and ask set trustSettings for a "
          + "certificate that no system has",
        into: \.trust,
        usually: { $0.isCA ? .usual($0.trust.rawValue) : nil }),
      .term(
        "trustSettings", .choice(called: "setting"),
        "the trust setting by the user or an administrator: always (installed and trusted), never (also for the "
          + "certificates it issued), ask (removed in OS X 10.5) or installed (not trusted)",
        into: \.trustSettings),
      .term(
        "distrust", .oneOrMany(.section(DistrustDescription.section, DistrustDescription.init)),
        "the systems' distrust of the certificate and of the certificates that it issued", into: \.distrusts
      ).saying { $0.distrusts.map(\.sentence) },
      .term(
        "caIssuers", .location(of: "a certificate", "http://ca.example/issuing.cer"),
        "the http:// URL of this CA's certificate; the certificates that the CA issues name the URL (AIA)",
        into: \.issuerLocation, says: { "published at \($0)" }),
      .term(
        "responder", .location(of: "OCSP responses", "http://ocsp.example/"),
        "the http:// URL of this CA's OCSP responder; the certificates that the CA issues name the URL",
        into: \.responder, says: { "its responder is \($0)" }),
      .term(
        "crl", .revocationList,
        "the CA's CRL: its http:// URL, or a map; the certificates that the CA issues name the URL; if the CA has "
          + "neither responder nor crl, clients that check revocation already have its CRL",
        into: \.list, says: { $0.sentence }),
      .term(
        "revoked", .date, "the time at which the certificate is revoked", into: \.revoked,
        says: { "revoked on \($0.shortText)" }),
      .term(
        "reason", .revocationReason,
        "the revocation reason in the CRL and the OCSP response (RFC 5280 section 5.3.1); default: none",
        into: \.reason, says: { "revoked for \($0.name)" }),
      .term(
        "released", .date,
        "the time at which the certificate is released from hold (certificateHold: RFC 5280 section 5.3.1)",
        into: \.released, says: { "released from hold on \($0.shortText)" }),
      .term(
        "mustStaple", .flag,
        "whether a server with this certificate must staple an OCSP response (RFC 7633); default: false",
        into: \.mustStaple, says: { $0 ? "its server must staple an OCSP response" : nil }),
      .term(
        "pathLength", .integer(0...100), "the number of CAs that may follow below this CA", into: \.pathLength,
        says: { $0 == 0 ? "no CA may follow below it" : "at most \($0) \($0 == 1 ? "CA" : "CAs") below it" }),
      .term(
        "proxy", .flag,
        "whether the certificate is a proxy certificate (RFC 3820), which another client's certificate issues; without "
          + "a commonName, its subject is the issuer's and its own name; default: false",
        into: \.isProxy, says: { $0 ? "a proxy certificate" : nil }),
      .term(
        "nameConstraints", .nameConstraints, "the names that certificates below this CA may have",
        into: \.nameConstraints,
        says: { "names below it: \($0.meaning)" }),
      .term(
        "version", .integer(1...3), "the version of the certificate; version 1 has no extensions; default: 3",
        into: \.version,
        says: { "version \($0)" }),
      .term(
        "serial", .serialNumber,
        "the serial number: a number such as 0 or -5, or the octets, such as 0x01ff; default: random",
        into: \.serial, says: { "serial number \(Hex.string($0))" }),
      .term(
        "extensions", .list(.choice(called: "extension")),
        "the default extensions that the certificate has; keytool, for example, writes only [subjectKeyIdentifier]; "
          + "default: all",
        into: \.extensions,
        says: { "default extensions: \($0.isEmpty ? "none" : $0.map(\.rawValue).listed)" }),
      .term(
        "keyUsage", .list(.choice(KeyUsage.names, called: "key usage")),
        "the bits of keyUsage, instead of the default bits",
        into: \.keyUsage, usually: { $0.isIssuedHere && $0.has(.keyUsage) ? .usual($0.defaultKeyUsage) : nil },
        says: { "its key usage is \($0.isEmpty ? "empty" : $0.listed)" }),
      .term(
        "extendedKeyUsage", .list(.choice(ExtendedKeyUsage.named.map(\.name), called: "purpose")),
        "the purposes in extendedKeyUsage, instead of serverAuth", into: \.extendedKeyUsage,
        usually: { $0.isIssuedHere && $0.has(.extendedKeyUsage) ? $0.defaultPurposes.map(Node.usual) : nil },
        says: { "its extended key usage is \($0.isEmpty ? "empty" : $0.listed)" }),
      .term(
        "timestamps", .timestamps,
        "the SCTs of the certificate: their number or their logs, either all embedded or by kind of delivery; default: "
          + "unknown",
        into: \.timestamps, says: { "its SCTs: \($0)" }),
      .term(
        "break", .oneOrMany(.choice(called: "fault").named("fault")), "its intentional faults", into: \.faults
      ).saying { $0.faults.map { "intentional fault: \($0.rawValue)" } },
      .term(
        "pem", .file, "the PEM or DER file that the certificate is read from, leaf first, instead of being issued here",
        into: \.pem),
      .term(
        "privateKey", .file, "the PEM or DER file of the private key, if the certificate is read from a file",
        into: \.privateKey),
    ])

  private var isIssuedHere: Bool { pem == nil }

  /// The phrases that `describe` prints about the certificate, in addition to its key, issuer and trust.
  public var details: [String] { Self.section.sentences(on: self) }
}

extension DistrustDescription {
  static let section = Section<DistrustDescription>(
    "distrust",
    "The systems' distrust of a certificate and of the certificates that it issued. An empty map distrusts all of "
      + "them.",
    [
      .term(
        "from", .date, "the first day of the distrust, by the scenario's clock", into: \.from,
        says: { "from \($0.shortText) on" }),
      .term(
        "since", .oneOrMany(.os),
        "the first release with the distrust, or the first of each family: [iOS 10.2, macOS 10.12.2]",
        into: \.since, says: { $0.isEmpty ? nil : "since \($0.map(\.description).joined(separator: " and "))" }),
      .term(
        "issuedFrom", .date, "limits the distrust to server certificates whose notBefore is this date or later",
        into: \.issuedFrom,
        says: { "for certificates issued on \($0.shortText) or later" }),
      .term(
        "issuedBefore", .date, "limits the distrust to server certificates whose notBefore is before this date",
        into: \.issuedBefore,
        says: { "for certificates issued before \($0.shortText)" }),
      .term(
        "except", .list(.text), "certificates that exempt a path from the distrust", into: \.except,
        says: { $0.isEmpty ? nil : "except through \($0.listed)" }),
    ])

  fileprivate var sentence: String {
    (["distrusted"] + Self.section.sentences(on: self)).joined(separator: " ")
  }
}

/// Name constraints under construction.
struct NameConstraintsDescription: Sendable {
  var permitted: [GeneralSubtree] = []
  var excluded: [GeneralSubtree] = []

  static let section = Section<NameConstraintsDescription>(
    "name constraints", "The names that certificates below a CA may have (RFC 5280 section 4.2.1.10).",
    [
      .term(
        "permitted", .list(.subtree),
        "the permitted names: company.example, 192.0.2.0/24, email:company.example, URI:company.example; kinds of "
          + "names that are not listed are unrestricted",
        into: \.permitted),
      .term(
        "excluded", .list(.subtree), "the forbidden names, in the same form; they take precedence over permitted names",
        into: \.excluded),
    ])
}

extension Kind {
  /// The kind and size of a key.
  static var keyKind: Kind<KeyKind> {
    Kind<KeyKind>(.kind("key kind", .pattern("^(rsa-[0-9]{3,4}|ec-p(256|384|521)|ed25519)$"))) { reader in
      guard let text = reader.text() else { return nil }
      if let kind = KeyKind(text) { return kind }
      reader.fail(
        "'\(text)' is not a kind of key",
        hint: meantKey(by: text).map { "did you mean '\($0)'?" }
          ?? "write rsa-2048 (512 to 8192 bits), ec-p256, ec-p384, ec-p521 or ed25519")
      return nil
    }
  }

  /// Returns the kind of key that the author probably meant: `RSA2048`, `prime256v1`, `P-256`.
  private static func meantKey(by text: String) -> String? {
    let bare = text.lowercased().filter { $0.isLetter || $0.isNumber }
    if bare.hasPrefix("rsa") { return ["rsa-\(bare.dropFirst(3))"].first { KeyKind($0) != nil } }
    let curves = [
      "ec-p256": ["p256", "ecp256", "prime256v1", "secp256r1", "ec256", "ecdsa256"],
      "ec-p384": ["p384", "ecp384", "secp384r1", "ec384", "ecdsa384"],
      "ec-p521": ["p521", "ecp521", "secp521r1", "ec521", "ecdsa521"], "ed25519": ["ed25519", "eddsa", "25519"],
    ]
    return curves.first { $0.value.contains(bare) }?.key
  }

  /// The permitted and excluded subtrees of name constraints.
  static var nameConstraints: Kind<NameConstraints> {
    Kind<NameConstraints>(.section(NameConstraintsDescription.section.name)) { reader in
      let reports = reader.sink.reports
      var model = NameConstraintsDescription()
      guard reader.read(NameConstraintsDescription.section, into: &model) != nil else { return nil }
      if model.permitted.isEmpty, model.excluded.isEmpty, reader.sink.reports == reports {
        reader.fail(
          "\(reader.path) has neither permitted nor excluded names", hint: "write { permitted: [company.example] }")
      }
      return NameConstraints(permitted: model.permitted, excluded: model.excluded)
    }
  }

  /// The contents of the serial number: a number, or the octets of the INTEGER.
  static var serialNumber: Kind<[UInt8]> {
    Kind<[UInt8]>(.text, written: { "0x" + Hex.string($0) }) { reader in
      guard let text = reader.text() else { return nil }
      if text.hasPrefix("0x"), let octets = Hex.bytes(String(text.dropFirst(2))), (1...64).contains(octets.count) {
        return octets
      }
      guard let number = Int64(text) else {
        reader.fail(
          "'\(text)' is not a valid serial number",
          hint: "write a number such as 0 or -5, or 1 to 64 octets such as 0x01ff")
        return nil
      }
      var octets = (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
      while octets.count > 1, octets[0] == (octets[1] >= 0x80 ? 0xFF : 0) { octets.removeFirst() }
      return octets
    }
  }

  /// Returns the kind of a plain HTTP URL. A fetch over TLS would itself need certificate validation.
  static func location(of what: String, _ example: String) -> Kind<String> {
    Kind<String>(.pattern("^http://")) { reader in
      guard let text = reader.text() else { return nil }
      guard text.utf8.allSatisfy({ $0 < 0x80 }), let url = try? LoadURL(text), url.scheme == "http" else {
        reader.fail("'\(text)' is not an http:// URL for \(what)", hint: "write \(example)")
        return nil
      }
      return text
    }
  }

  /// A file with a path relative to the scenario's own folder.
  static var file: Kind<FileReference> {
    Kind<FileReference>(.text, written: \.path) { reader in
      guard let text = reader.text() else { return nil }
      let folder = reader.sink.folder
      let path = text.hasPrefix("/") || folder.isEmpty ? text : "\(folder)/\(text)"
      return FileReference(path: path, mark: reader.node.mark)
    }
  }

  /// A host name or an address of subjectAltName.
  static var alternativeName: Kind<String> { Kind<String>(.text) { $0.alternativeName() } }

  /// A subtree of names, for name constraints.
  static var subtree: Kind<GeneralSubtree> { Kind<GeneralSubtree>(.text) { $0.subtree() } }
}

extension NodeReader {
  /// One entry of `authorities` or `certificates`.
  func certificate(named name: String, isCA: Bool, mark: SourceMark) -> CertificateDescription? {
    var description = CertificateDescription(name: name, isCA: isCA, mark: mark)
    guard read(CertificateDescription.section, into: &description) != nil else { return nil }
    if description.issuer == "self" { description.issuer = nil }
    return description
  }
}

extension Instant {
  /// The date, followed by the time unless it is midnight.
  public var shortText: String { description.replacing("T00:00:00Z", with: "") }
}
