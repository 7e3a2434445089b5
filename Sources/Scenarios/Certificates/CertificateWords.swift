import Explanation
import PKIX
import Trust
import URLLoading

/// What an authority or a certificate says, and what clients were told about it.
extension CertificateDescription {
  /// The hashes that signatures are made with.
  static let signatures = ["md5", "sha1", "sha256", "sha384", "sha512", "pss-sha256", "pss-sha384", "pss-sha512"]

  /// Every word of an entry of `authorities` or `certificates`.
  static let section = Section<CertificateDescription>(
    "certificate",
    "An authority or a certificate: issued here, or read from a file. Those of a file stand in the place of the "
      + "baseline's, those of a case beside the file's.",
    [
      .term(
        "issuer", .text, "who signs it; left out, it signs itself", into: \.issuer,
        usually: { $0.isIssuedHere ? .usual("self") : nil }),
      .term(
        "crossSigns", .text,
        "the authority or certificate whose key, and name where no other is given, it is for: a cross-certificate",
        into: \.crossSigned, says: { "for the key of \($0)" }),
      .term(
        "key", .keyKind, "kind and size of its key: rsa-2048, ec-p256", into: \.key,
        usually: { $0.isIssuedHere && $0.crossSigned == nil ? .usual("\(usualKey)") : nil }),
      .term(
        "entropy", .integer(0...63),
        "the bits of entropy its key was made with: 15; a good generator, if left out", into: \.entropy,
        says: { "its key has \($0) bits of entropy" }),
      .term(
        "sharesPrimeWith", .text, "the certificate whose RSA key has a prime in common with this one's",
        into: \.sharesPrimeWith, says: { "its key shares a prime with that of \($0)" }),
      .term(
        "signature", .choice(signatures, called: "hash"),
        "the hash its signature is made with; pss- for RSASSA-PSS by an RSA key", into: \.signature,
        usually: { $0.isIssuedHere ? .usual(usualSignature) : nil }),
      .term(
        "names", .list(.alternativeName),
        "DNS names and IP addresses of subjectAltName; DNS:192.0.2.1 for an address where a DNS name belongs",
        into: \.names),
      .term(
        "commonName", .text, "the subject's common name; left out, the first name or the certificate's own",
        into: \.commonName,
        usually: { $0.isIssuedHere && $0.crossSigned == nil ? .usual($0.usualCommonName) : nil },
        says: { "its common name is \($0)" }),
      .term(
        "days", .integer(0...73_000), "how long it is valid", into: \.days,
        usually: { $0.isIssuedHere && $0.notAfter == nil ? .usual(String($0.usualDays)) : nil },
        says: { "valid for \($0) days" }),
      .term("notBefore", .date, "when it becomes valid", into: \.notBefore, says: { "valid from \($0)" }),
      .term("notAfter", .date, "when it expires", into: \.notAfter, says: { "valid until \($0)" }),
      .term(
        "trust", .choice(called: "store"),
        "where the client's store has it: system, distrusted (blocked by the system, with what it signed) or none; "
          + "user, installed-not-trusted, denied and ask are trustSettings for what no system has", into: \.trust,
        usually: { $0.isAuthority ? .usual($0.trust.rawValue) : nil }),
      .term(
        "trustSettings", .choice(called: "setting"),
        "what the user or an administrator set for it, whatever the system has: always (installed and trusted), never "
          + "(nor what it signed), ask (which OS X 10.5 gave up), installed (without trusting it)",
        into: \.trustSettings),
      .term(
        "distrust", .oneOrMany(.section(DistrustDescription.section, DistrustDescription.init)),
        "what systems were told not to trust of it, and of what it signed", into: \.distrusts
      ).saying { $0.distrusts.map(\.sentence) },
      .term(
        "caIssuers", .location(of: "a certificate", "http://ca.example/issuing.cer"),
        "the http:// URL where its certificate can be fetched; what it signs names the place (AIA)",
        into: \.issuerLocation, says: { "published at \($0)" }),
      .term(
        "responder", .location(of: "a responder's answers", "http://ocsp.example/"),
        "the http:// URL where it answers whether what it signed is revoked (OCSP); what it signs names the place",
        into: \.responder, says: { "its responder is \($0)" }),
      .term(
        "crl", .revocationList,
        "its list of what it has revoked: the http:// URL, or more of it; what it signs names the place; where neither "
          + "responder nor list is said, clients that ask have the list", into: \.list, says: { $0.sentence }),
      .term(
        "revoked", .date, "when its authority put it on the list of what it has revoked", into: \.revoked,
        says: { "revoked on \($0.shortText)" }),
      .term(
        "reason", .revocationReason,
        "why, as list and responder say it; left out, they do not (RFC 5280 section 5.3.1)",
        into: \.reason, says: { "revoked for \($0.name)" }),
      .term(
        "released", .date,
        "when its authority took it off again, on which it was on hold until then (certificateHold: RFC 5280 section 5.3.1)",
        into: \.released, says: { "taken off the list again on \($0.shortText)" }),
      .term(
        "mustStaple", .flag,
        "whether it says that its server brings an answer of the responder along (RFC 7633); false, if left out",
        into: \.mustStaple, says: { $0 ? "its server must staple" : nil }),
      .term(
        "pathLength", .integer(0...100), "how many authorities may follow below it", into: \.pathLength,
        says: { $0 == 0 ? "no authority below it" : "at most \($0) \($0 == 1 ? "authority" : "authorities") below it" }),
      .term(
        "nameConstraints", .nameConstraints, "the names that certificates below it may have", into: \.nameConstraints,
        says: { "names below it: \($0.meaning)" }),
      .term(
        "version", .integer(1...3), "the version: 1 leaves the extensions out; 3, if left out", into: \.version,
        says: { "version \($0)" }),
      .term(
        "serial", .serialNumber, "the serial number: 0, -5, or octets as they shall be: 0x01ff; drawn, if left out",
        into: \.serial, says: { "serial number \(Hex.string($0))" }),
      .term(
        "extensions", .list(.choice(called: "extension")),
        "which of the usual extensions it has: keytool writes [subjectKeyIdentifier] alone; all of them, if left out",
        into: \.extensions,
        says: { "of the usual extensions it has \($0.isEmpty ? "none" : $0.map(\.rawValue).listed)" }),
      .term(
        "keyUsage", .list(.choice(KeyUsage.names, called: "key usage")), "bits of keyUsage, instead of the usual ones",
        into: \.keyUsage, usually: { $0.isIssuedHere && $0.has(.keyUsage) ? .usual($0.usualKeyUsage) : nil },
        says: { "its key usage is \($0.isEmpty ? "empty" : $0.listed)" }),
      .term(
        "extendedKeyUsage", .list(.choice(ExtendedKeyUsage.named.map(\.name), called: "purpose")),
        "purposes of extendedKeyUsage, instead of serverAuth", into: \.extendedKeyUsage,
        usually: { $0.isIssuedHere && $0.has(.extendedKeyUsage) ? $0.usualPurposes.map(Node.usual) : nil },
        says: { "its purposes are \($0.isEmpty ? "empty" : $0.listed)" }),
      .term(
        "timestamps", .timestamps,
        "the signed certificate timestamps it comes with: a number or logs, all embedded or by kind; unknown, if left out",
        into: \.timestamps, says: { "its timestamps: \($0)" }),
      .term(
        "break", .oneOrMany(.choice(called: "fault").named("fault")), "how it is broken on purpose", into: \.faults
      ).saying { $0.faults.map { "broken on purpose: \($0.rawValue)" } },
      .term(
        "pem", .file, "a PEM or DER file to read it from, leaf first, in place of issuing it", into: \.pem),
      .term(
        "privateKey", .file, "the PEM or DER file of its private key, when it is read from a file", into: \.privateKey),
    ])

  private var isIssuedHere: Bool { pem == nil }

  /// What `describe` says of it beside its key, its issuer and its place in the store.
  public var details: [String] { Self.section.sentences(on: self) }
}

extension DistrustDescription {
  static let section = Section<DistrustDescription>(
    "distrust", "What systems were told not to trust of a certificate and of what it signed; all of it, if left empty.",
    [
      .term(
        "from", .date, "the first day on which the list is in force, by the clock", into: \.from,
        says: { "from \($0.shortText) on" }),
      .term(
        "since", .oneOrMany(.os), "the release that brought it, or one of each family: [iOS 10.2, macOS 10.12.2]",
        into: \.since, says: { $0.isEmpty ? nil : "since \($0.map(\.description).joined(separator: " and "))" }),
      .term(
        "issuedFrom", .date, "only server certificates whose notBefore is this or later", into: \.issuedFrom,
        says: { "for what is issued on \($0.shortText) or later" }),
      .term(
        "issuedBefore", .date, "only server certificates whose notBefore is earlier", into: \.issuedBefore,
        says: { "for what was issued before \($0.shortText)" }),
      .term(
        "except", .list(.text), "certificates through which a path is trusted all the same", into: \.except,
        says: { $0.isEmpty ? nil : "except through \($0.listed)" }),
    ])

  fileprivate var sentence: String {
    (["distrusted"] + Self.section.sentences(on: self)).joined(separator: " ")
  }
}

/// Names of a name constraint while they are read.
struct NameConstraintsDescription: Sendable {
  var permitted: [GeneralSubtree] = []
  var excluded: [GeneralSubtree] = []

  static let section = Section<NameConstraintsDescription>(
    "name constraints", "The names that certificates below an authority may have: RFC 5280 section 4.2.1.10.",
    [
      .term(
        "permitted", .list(.subtree),
        "company.example, 192.0.2.0/24, email:company.example, URI:company.example: kinds not named are free",
        into: \.permitted),
      .term(
        "excluded", .list(.subtree), "the same, for names that are not allowed whatever is permitted", into: \.excluded),
    ])
}

extension Kind {
  /// Kind and size of a key.
  static var keyKind: Kind<KeyKind> {
    Kind<KeyKind>(.kind("key kind", .pattern("^(rsa-[0-9]{3,4}|ec-p(256|384|521)|ed25519)$"))) { reader in
      guard let text = reader.text() else { return nil }
      if let kind = KeyKind(text) { return kind }
      reader.fail(
        "'\(text)' is not a key",
        hint: meantKey(by: text).map { "did you mean '\($0)'?" }
          ?? "write rsa-2048 (512 to 8192 bits), ec-p256, ec-p384, ec-p521 or ed25519")
      return nil
    }
  }

  /// The key that was probably meant: `RSA2048`, `prime256v1`, `P-256`.
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

  /// Subtrees of names that are permitted and excluded.
  static var nameConstraints: Kind<NameConstraints> {
    Kind<NameConstraints>(.section(NameConstraintsDescription.section.name)) { reader in
      let reports = reader.sink.reports
      var model = NameConstraintsDescription()
      guard reader.read(NameConstraintsDescription.section, into: &model) != nil else { return nil }
      if model.permitted.isEmpty, model.excluded.isEmpty, reader.sink.reports == reports {
        reader.fail(
          "\(reader.path) permits nothing and excludes nothing", hint: "write { permitted: [company.example] }")
      }
      return NameConstraints(permitted: model.permitted, excluded: model.excluded)
    }
  }

  /// The contents of an INTEGER: a number, or its octets as they are.
  static var serialNumber: Kind<[UInt8]> {
    Kind<[UInt8]>(.text, written: { "0x" + Hex.string($0) }) { reader in
      guard let text = reader.text() else { return nil }
      if text.hasPrefix("0x"), let octets = Hex.bytes(String(text.dropFirst(2))), (1...64).contains(octets.count) {
        return octets
      }
      guard let number = Int64(text) else {
        reader.fail("'\(text)' is no serial number", hint: "write 0, -5, or 1 to 64 octets as they shall be: 0x01ff")
        return nil
      }
      var octets = (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
      while octets.count > 1, octets[0] == (octets[1] >= 0x80 ? 0xFF : 0) { octets.removeFirst() }
      return octets
    }
  }

  /// Where something can be fetched over plain HTTP: fetching it with TLS would ask for trust to find trust.
  static func location(of what: String, _ example: String) -> Kind<String> {
    Kind<String>(.pattern("^http://")) { reader in
      guard let text = reader.text() else { return nil }
      guard text.utf8.allSatisfy({ $0 < 0x80 }), let url = try? LoadURL(text), url.scheme == "http" else {
        reader.fail("'\(text)' is no place to fetch \(what) from over plain http", hint: "write \(example)")
        return nil
      }
      return text
    }
  }

  /// A file, from the scenario's own folder.
  static var file: Kind<FileReference> {
    Kind<FileReference>(.text, written: \.path) { reader in
      guard let text = reader.text() else { return nil }
      let folder = reader.sink.folder
      let path = text.hasPrefix("/") || folder.isEmpty ? text : "\(folder)/\(text)"
      return FileReference(path: path, mark: reader.node.mark)
    }
  }

  /// A host or an address of subjectAltName.
  static var alternativeName: Kind<String> { Kind<String>(.text) { $0.alternativeName() } }

  /// A part of a name space.
  static var subtree: Kind<GeneralSubtree> { Kind<GeneralSubtree>(.text) { $0.subtree() } }
}

extension NodeReader {
  /// One entry of `authorities` or `certificates`.
  func certificate(named name: String, isAuthority: Bool, mark: SourceMark) -> CertificateDescription? {
    var description = CertificateDescription(name: name, isAuthority: isAuthority, mark: mark)
    guard read(CertificateDescription.section, into: &description) != nil else { return nil }
    if description.issuer == "self" { description.issuer = nil }
    return description
  }
}

extension Instant {
  /// A day, with its time unless that is midnight.
  public var shortText: String { description.replacing("T00:00:00Z", with: "") }
}
