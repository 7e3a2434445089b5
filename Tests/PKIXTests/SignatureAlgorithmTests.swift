import Cryptography
import Explanation
import Testing

@testable import PKIX

/// Valid and invalid algorithm identifiers of signatures.
@Suite("Algorithm identifiers of signatures")
struct SignatureAlgorithmTests {
  private static let null: [UInt8] = [DERTag.null, 0]
  private static let ecdsa = OID(1, 2, 840, 10045, 4, 3, 2)
  private static let rsa = OID(1, 2, 840, 113549, 1, 1, 11)
  private static let ed25519 = OID(1, 3, 101, 112)

  /// RSASSA-PSS-params with SHA-256, and the parameters that follow the hash.
  private static func pss(mask: OID = OID(1, 2, 840, 113549, 1, 1, 8), _ rest: [UInt8] = []) -> [UInt8] {
    let hash = DER.sequence(DER.objectIdentifier(OID(2, 16, 840, 1, 101, 3, 4, 2, 1)), null)
    return DER.sequence(
      DER.element(DERTag.context(0, constructed: true), hash),
      DER.element(DERTag.context(1, constructed: true), DER.sequence(DER.objectIdentifier(mask), hash)), rest)
  }

  private static func field(_ number: UInt8, _ value: Int) -> [UInt8] {
    DER.element(DERTag.context(number, constructed: true), DER.integer(value))
  }

  @Test("each signature algorithm accepts the parameters that its RFC allows")
  func defects() {
    let rows: [(OID, [UInt8], SignatureAlgorithmDefect?)] = [
      (Self.ecdsa, [], nil), (Self.ecdsa, Self.null, .parametersPresent), (Self.ed25519, [], nil),
      (Self.ed25519, Self.null, .parametersPresent), (Self.rsa, Self.null, nil), (Self.rsa, [], nil),
      (Self.rsa, [4, 1, 0], .parametersNotNull), (.rsassaPSS, Self.pss(Self.field(2, 32)), nil),
      (.rsassaPSS, [], .pss(.absent)), (.rsassaPSS, Self.null, .pss(.malformed)),
      (.rsassaPSS, Self.pss(Self.field(3, 1)), nil), (.rsassaPSS, Self.pss(Self.field(3, 2)), .pss(.trailerField(2))),
      (.rsassaPSS, Self.pss(mask: Self.rsa), .pss(.maskFunction("1.2.840.113549.1.1.11"))),
      (OID(1, 2, 3), [], .unknown),
    ]
    for (oid, parameters, defect) in rows {
      let algorithm = AlgorithmIdentifier(oid, parameters: parameters)
      #expect(algorithm.signatureDefect == defect, "\(algorithm.fullDescription)")
      #expect((algorithm.signatureScheme == nil) == (defect != nil))
    }
  }

  @Test("absent parameters and NULL are different identifiers, but the same on Apple's systems")
  func equalIdentifiers() {
    let (absent, null) = (AlgorithmIdentifier(Self.rsa), AlgorithmIdentifier(Self.rsa, parameters: Self.null))
    #expect(!absent.matches(null, equatesNull: false) && absent.matches(null, equatesNull: true))
    #expect(null.matches(null, equatesNull: false))
    let other = AlgorithmIdentifier(Self.ecdsa)
    #expect(!absent.matches(other, equatesNull: true))
  }

  @Test("the hash of MGF1 may differ from the message's hash, and is encoded as read")
  func maskHash() {
    let parameters = PSSParameters(hash: .sha256, maskHash: .sha1, saltLength: 32)
    #expect(PSSParameters(der: parameters.der) == parameters)
    #expect(PSSParameters(der: PSSParameters(hash: .sha256).der)?.maskHash == .sha256)
    #expect(PSSParameters(der: PSSParameters(hash: .sha1, maskHash: .sha256).der)?.hash == .sha1)
  }

  /// The findings for the three certificates, the leaf having another algorithm identifier and signed by `sign`.
  private func findings(
    _ algorithm: AlgorithmIdentifier, _ hierarchy: Hierarchy = Hierarchy(), sign: ([UInt8]) throws -> [UInt8]
  ) throws -> [Finding] {
    var chain = try hierarchy.issue()
    var whole = DERCursor(chain[0].der)
    var parts = whole.inside(try whole.next("Certificate"))
    var signed = parts.inside(try parts.next("tbsCertificate"))
    var fields: [[UInt8]] = []
    while !signed.isAtEnd { fields.append(signed.encoding(try signed.next("field"))) }
    fields[2] = algorithm.der
    let tbs = DER.sequence(of: fields)
    chain[0] = try Certificate(der: DER.sequence(tbs, algorithm.der, DER.bitString(try sign(tbs))))
    return PathValidation(CertificatePath(chain, end: .anchor), at: Hierarchy.now).findings
  }

  private func signature(_ scheme: SignatureScheme, of message: [UInt8]) throws -> [UInt8] {
    var random = DeterministicRandom(seed: .number(1), label: "signatures")
    return try Hierarchy.key("Issuing").sign(message, scheme, random: &random)
  }

  @Test("wrong parameters are the only finding, with the required ones, and the fix names them")
  func reason() throws {
    let wrong = AlgorithmIdentifier(Self.rsa, parameters: [4, 1, 0])
    let found = try findings(wrong) { try signature(.rsaPKCS1SHA256, of: $0) }
    let violated = found.filter { $0.outcome == .violated && $0.refuses }
    #expect(violated.map(\.rule.id) == ["chain.unsupported-signature-algorithm"])
    #expect(violated.first?.found == .word(wrong.fullDescription))
    #expect(violated.first?.rule.clause == .rfc(4055, "5"))
    #expect(violated.first?.rule.fix != Rule.unsupportedSignatureAlgorithm.fix)
    let right = try findings(AlgorithmIdentifier(Self.rsa)) { try signature(.rsaPKCS1SHA256, of: $0) }
    #expect(right.deciding.isEmpty)
  }

  @Test("an issuer's signature that does not match its identifier is not reported as another key's")
  func otherForm() throws {
    let pss32 = PSSParameters(hash: .sha256)
    let rows: [(AlgorithmIdentifier, SignatureScheme, String)] = [
      (
        AlgorithmIdentifier(.rsassaPSS, parameters: PSSParameters(hash: .sha256, saltLength: 20).der), .rsaPSSSHA256,
        AlgorithmIdentifier(.rsassaPSS, parameters: pss32.der).fullDescription
      ),
      (
        AlgorithmIdentifier(.rsassaPSS, parameters: PSSParameters(hash: .sha256, maskHash: .sha1, saltLength: 32).der),
        .rsaPSSSHA256, AlgorithmIdentifier(.rsassaPSS, parameters: pss32.der).fullDescription
      ),
      (
        AlgorithmIdentifier(Self.rsa, parameters: Self.null), .rsaPSSSHA384,
        AlgorithmIdentifier(.rsassaPSS, parameters: PSSParameters(hash: .sha384).der).fullDescription
      ),
    ]
    for (algorithm, scheme, form) in rows {
      let found = try findings(algorithm) { try signature(scheme, of: $0) }
      let violated = found.first { $0.outcome == .violated && $0.refuses }
      #expect(violated?.rule == .signatureInvalid)
      #expect(violated?.found == .word(SignatureError.otherForm(form).description))
      #expect(violated?.rule.fix.contains(form) == true)
    }
    // The same signature with its real parameters.
    let right = try findings(AlgorithmIdentifier(.rsassaPSS, parameters: pss32.der)) {
      try signature(.rsaPSSSHA256, of: $0)
    }
    #expect(right.deciding.isEmpty)
  }

  @Test("a hash that the identifier does not name is reported, without mention of another key")
  func otherHash() throws {
    let found = try findings(AlgorithmIdentifier(Self.rsa, parameters: Self.null)) {
      try signature(.rsaPKCS1SHA384, of: $0)
    }
    let violated = found.first { $0.outcome == .violated && $0.refuses }
    #expect(violated?.found == .word(SignatureError.hash(expected: .sha256, found: .sha384).description))
    #expect(violated?.rule.fix.contains("SHA-384") == true && violated?.rule.fix.contains("another key") == false)
  }
}

/// Path validation takes only the name and the key of an anchor (RFC 5280 section 6.1.1 (d)).
@Suite("The form of an anchor")
struct AnchorFormTests {
  static let rows: [(String, @Sendable (inout Hierarchy) -> Void)] = [
    ("chain.version", { $0.root.faults.insert(.version) }),
    ("chain.malformed", { $0.root.faults.insert(.duplicateExtension) }),
    ("chain.signature-algorithm-mismatch", { $0.root.faults.insert(.signatureAlgorithm) }),
    ("chain.unhandled-critical-extension", { $0.root.faults.insert(.unknownCriticalExtension) }),
    ("chain.not-a-ca", { $0.root.faults.insert(.notCA) }),
    ("chain.key-usage", { $0.root.keyUsage = .cRLSign }),
  ]

  @Test("the form of an anchor is advice, of an intermediate required; callers can require both")
  func form() throws {
    for (rule, change) in Self.rows {
      var hierarchy = Hierarchy()
      change(&hierarchy)
      let path = CertificatePath(try hierarchy.issue(), end: .anchor)
      let advised = PathValidation(path, at: Hierarchy.now).findings
      #expect(advised.deciding.isEmpty, "\(rule)")
      #expect(advised.contains { $0.rule.id == rule && $0.outcome == .violated && $0.weight == .advises }, "\(rule)")
      var inputs = PathValidation.Inputs()
      inputs.refusesAnchorForm = true
      let strict = PathValidation(path, at: Hierarchy.now, inputs: inputs).findings
      #expect(strict.deciding.map(\.id) == [rule])
      hierarchy.issuing.faults = hierarchy.root.faults
      hierarchy.issuing.keyUsage = hierarchy.root.keyUsage
      #expect(try hierarchy.deciding().contains(rule), "\(rule)")
    }
  }
}

/// Dates, counts and extensions that look valid but are not.
@Suite("One cause, one reason")
struct OneReasonTests {
  @Test("a validity that ends before it begins is one finding, without renewal or clock")
  func reversed() throws {
    let rows: [(String, Rule)] = [
      ("1950-06-01", .expired), ("2016-01-01", .expired), ("2016-12-01", .notYetValid),
    ]
    for (end, rule) in rows {
      var hierarchy = Hierarchy()
      hierarchy.leaf.notAfter = Hierarchy.date(end)
      hierarchy.leaf.notBefore = Hierarchy.date("2017-01-01")
      let path = CertificatePath(try hierarchy.issue(), end: .anchor)
      let violated = PathValidation(path, at: Hierarchy.now).findings.filter { $0.outcome == .violated }
      #expect(violated.map(\.rule) == [rule], "\(end)")
      #expect(violated.first?.rule.clause == .rfc(5280, "4.1.2.5"))
      #expect(violated.first?.rule.fix.contains("GeneralizedTime") == end.hasPrefix("1950"))
    }
    #expect(try Hierarchy().deciding(at: Hierarchy.date("2018-01-01")) == ["chain.expired"])
  }

  @Test("an extension that cannot be decoded is malformed, and not also reported as absent")
  func undecodable() throws {
    let rows: [(OID, [UInt8])] = [
      (.basicConstraints, DER.sequence(DER.boolean(true), [DERTag.integer, 1, 0xFF])),
      (.keyUsage, [DERTag.bitString, 1]),
      (.certificatePolicies, DER.sequence()),
    ]
    for (oid, value) in rows {
      var hierarchy = Hierarchy()
      if oid == .basicConstraints { hierarchy.issuing.basicConstraints = nil }
      if oid == .keyUsage { hierarchy.issuing.keyUsage = nil }
      hierarchy.issuing.otherExtensions = [.init(oid, critical: true, value: value)]
      #expect(try hierarchy.deciding() == ["chain.malformed"], "\(oid.name)")
    }
    var absent = Hierarchy()
    absent.issuing.basicConstraints = nil
    #expect(try absent.deciding() == ["chain.not-a-ca"])
  }

  @Test("a pathLenConstraint of any size counts, and a negative one is malformed")
  func pathLength() throws {
    let large = DER.sequence(DER.boolean(true), DER.integer([0x40] + [UInt8](repeating: 0, count: 8)))
    #expect(try BasicConstraints(der: large).pathLength == .max)
    #expect(try BasicConstraints(der: DER.sequence(DER.boolean(true), DER.integer(3))).pathLength == 3)
    #expect(throws: CertificateError.self) {
      try BasicConstraints(der: DER.sequence(DER.boolean(true), [DERTag.integer, 1, 0x80]))
    }
  }

  @Test("an encoded critical FALSE is advice, and an omitted one is not reported")
  func defaultValue() throws {
    let certificate = try Hierarchy().issue()[0]
    #expect(!names(certificate).contains("chain.default-value"))
    let value: [UInt8] = DER.sequence()
    let item = DER.sequence(DER.objectIdentifier(OID(1, 2, 3)), DER.boolean(false), DER.octetString(value))
    var whole = DERCursor(certificate.der)
    var parts = whole.inside(try whole.next("Certificate"))
    let signed = try parts.next("tbsCertificate")
    var fields: [[UInt8]] = []
    var cursor = parts.inside(signed)
    while !cursor.isAtEnd { fields.append(cursor.encoding(try cursor.next("field"))) }
    fields[fields.count - 1] = DER.element(DERTag.context(3, constructed: true), DER.sequence(item))
    let algorithm = certificate.signatureAlgorithm.der
    let changed = try Certificate(der: DER.sequence(DER.sequence(of: fields), algorithm, DER.bitString([1])))
    #expect(names(changed).contains("chain.default-value"))
  }

  private func names(_ certificate: Certificate) -> [String] {
    let path = CertificatePath([certificate], end: .noIssuer)
    let findings = CertificateConformance(path, [.certificate(index: 0, name: "leaf")]).findings
    #expect(!findings.contains { $0.rule == .defaultValue && $0.refuses })
    return findings.map(\.rule.id)
  }
}

/// The displayed form of names in certificates.
@Suite("Text from certificates")
struct ShownTextTests {
  @Test("an ambiguous name, or one with invisible characters, is displayed in quotation marks")
  func quoted() {
    let rows = [
      ("shop.example.com", "DNS:shop.example.com"), ("*.a_b.example", "DNS:*.a_b.example"),
      ("evil.test, DNS:shop.example.com", "DNS:\"evil.test, DNS:shop.example.com\""),
      ("a\", DNS:\"b", "DNS:\"a\\\", DNS:\\\"b\""), ("shop.example.com.", "DNS:\"shop.example.com.\""),
      ("shop.example.com ", "DNS:\"shop.example.com\\u{20}\""), ("a\nb", "DNS:\"a\\u{a}b\""), ("", "DNS:\"\""),
    ]
    for (text, shown) in rows { #expect(GeneralName.dnsName(text).meaning == shown) }
    #expect(GeneralName.dnsName("a.example").quoted == "dNSName \"a.example\"")
    #expect(GeneralName.ipAddress([192, 0, 2, 1]).quoted == "iPAddress 192.0.2.1")
    #expect(ShownText.visible("a\u{202E}b\u{200B}c d") == "a\\u{202e}b\\u{200b}c d")
    #expect(DistinguishedName(commonName: "a\u{200B}b").description == "CN=a\\e2\\80\\8bb")
  }
}
