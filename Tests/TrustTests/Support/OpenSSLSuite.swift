import Cryptography
import Explanation
import PKIX
import Testing

@testable import Trust

/// The cases of OpenSSL's own tests of `openssl verify`.
struct OpenSSLSuite: Decodable {
  struct Case: Decodable {
    let id: String
    let cert: String
    let purpose: String
    let trusted: [String]
    let untrusted: [String]
    let options: [String]
    let expected: Bool

    /// Returns the value after an option.
    func value(_ option: String) -> String? {
      options.firstIndex(of: option).flatMap { options.indices.contains($0 + 1) ? options[$0 + 1] : nil }
    }
  }
  let pem: [String: String]
  let testcases: [Case]

  /// A certificate with the trusted and rejected purposes of its X509_CERT_AUX.
  struct Store {
    let certificate: Certificate
    var trusted: [OID]?
    var rejected: [OID] = []
  }

  func entry(_ name: String) throws -> Store {
    let text = try #require(pem[name], "\(name)")
    let block = try #require(try PEM.decode(text).first)
    let length = try #require(Self.length(of: block.bytes[...]), "\(name)")
    var entry = Store(certificate: try Certificate(der: Array(block.bytes[..<length])))
    guard length < block.bytes.count else { return entry }
    for field in Self.elements(Self.elements(block.bytes[length...]).first?.content ?? []) {
      let purposes = Self.elements(field.content).compactMap { OID(content: $0.content) }
      switch field.tag {
      case 0x30: entry.trusted = purposes
      case 0xA0: entry.rejected = purposes
      default: continue
      }
    }
    return entry
  }

  private static func length(of bytes: ArraySlice<UInt8>) -> Int? {
    elements(bytes).first.map { $0.content.endIndex - bytes.startIndex }
  }

  /// The encodings that follow each other in `bytes`.
  private static func elements(_ bytes: ArraySlice<UInt8>) -> [(tag: UInt8, content: ArraySlice<UInt8>)] {
    var rest = bytes
    var elements: [(tag: UInt8, content: ArraySlice<UInt8>)] = []
    while rest.count >= 2, let tag = rest.popFirst(), let first = rest.popFirst() {
      let count = first < 0x80 ? 0 : Int(first & 0x7F)
      let length = count == 0 ? Int(first) : rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
      rest = rest.dropFirst(count)
      elements.append((tag, rest.prefix(length)))
      rest = rest.dropFirst(length)
    }
    return elements
  }
}

/// A case as OpenSSL handles it: the path that it builds, and the checks that it applies.
struct OpenSSLQuestion {
  private let item: OpenSSLSuite.Case
  private let leaf: Certificate
  private let store: [OpenSSLSuite.Store]
  private let untrusted: [Certificate]
  private let date: Instant

  init(_ item: OpenSSLSuite.Case, _ suite: OpenSSLSuite, now: Instant) throws {
    self.item = item
    leaf = try suite.entry(item.cert).certificate
    store = try item.trusted.map(suite.entry)
    untrusted = try item.untrusted.map { try suite.entry($0).certificate }
    date = item.value("-attime").flatMap { Int64($0) }.map { Instant(secondsSince1970: $0) } ?? now
  }

  private var purpose: TrustRequirements.Purpose {
    switch item.purpose {
    case "sslserver": .server
    case "sslclient": .client
    default: .any
    }
  }

  /// Whether the store trusts a certificate as it is (true), rejects it (false), or only contains it (nil).
  private func isTrusted(_ entry: OpenSSLSuite.Store) -> Bool? {
    let wanted = [ExtendedKeyUsage.any] + (purpose.keyPurpose.map { [$0] } ?? [])
    if entry.rejected.contains(where: wanted.contains) { return false }
    if let trusted = entry.trusted { return trusted.contains(where: wanted.contains) }
    let certificate = entry.certificate
    let signsItself =
      certificate.isSelfIssued && certificate.identifies(certificate)
      && certificate.signatureScheme?.suits(certificate.publicKey) != false
    return signsItself || item.options.contains("-partial_chain") ? true : nil
  }

  /// OpenSSL follows only one path. At every step an issuer from the store precedes one that was presented.
  private var path: CertificatePath {
    var chain = [leaf]
    while chain.count < 16, let last = chain.last {
      if let entry = store.first(where: { $0.certificate == last }) {
        switch isTrusted(entry) {
        case true?: return CertificatePath(chain, end: .anchor)
        case false?: return CertificatePath(chain, end: .noAnchors)
        case nil: break
        }
      }
      let issuers = (store.map(\.certificate) + untrusted).filter { issuer in
        issuer.subject.matches(last.issuer) && !chain.contains(issuer) && issuer.identifies(last)
      }
      guard let issuer = issuers.first(where: { $0.notAfter >= date }) ?? issuers.first else { break }
      chain.append(issuer)
    }
    return CertificatePath(chain, end: .noIssuer)
  }

  var findings: [Finding] {
    let path = path
    var evaluator = TrustEvaluator(
      TrustRequirements(
        profile: .rfc5280, os: nil, purpose: purpose, date: date, store: TrustStore(system: path.certificates.suffix(1))
      ))
    evaluator.requirements.limits.maximumIntermediates = item.value("-verify_depth").flatMap { Int($0) }
    evaluator.requirements.inputs.allowsProxyCertificates = item.options.contains("-allow_proxy_certs")
    evaluator.requirements.inputs.usesCommonName = true
    evaluator.requirements.conformance = item.options.contains("-x509_strict") ? .required : .advised
    evaluator.requirements.inputs.initialPolicies = Set(
      item.value("-policy").flatMap { OID($0) }.map { [$0] } ?? [.anyPolicy])
    evaluator.requirements.inputs.requiresExplicitPolicy = item.options.contains("-explicit_policy")
    let validation = PathValidation(path, at: date, inputs: evaluator.requirements.inputs)
    let judged = PathContext(path, validation.subjects, evaluator, purpose: purpose)
    // The trusted purposes in the store replace those in the anchor's certificate.
    let purposes = judged.nestedPurposes().filter { finding in
      finding.subject != judged.subjects.last || store.allSatisfy { $0.certificate != path.anchor || $0.trusted == nil }
    }
    var findings = validation.findings + judged.statedPurpose + purposes
    findings += judged.depth + judged.anchorDates
    if item.options.contains("-x509_strict") { findings += judged.conformance }
    return findings
  }

  /// SSL_CTX_set_security_level(3): the bits of security of keys, and of all signature hashes except the anchor's.
  var isStrongEnough: Bool {
    let level = item.value("-auth_level").flatMap { Int($0) } ?? 1
    let needed = [0, 80, 112, 128, 192, 256][min(max(level, 0), 5)]
    let keys = path.certificates.map { certificate -> Int in
      let bits = certificate.publicKey.bits ?? 256
      guard certificate.publicKey.algorithmName.hasPrefix("RSA") else { return bits / 2 }
      return [(15_360, 256), (7680, 192), (3072, 128), (2048, 112), (1024, 80)].first { bits >= $0.0 }?.1 ?? 0
    }
    let hashes: [Hash: Int] = [.md5: 39, .sha1: 63, .sha224: 112, .sha256: 128, .sha384: 192, .sha512: 256]
    let signatures = path.certificates.dropLast(path.isAnchored ? 1 : 0).map { certificate in
      certificate.signatureScheme?.hash.flatMap { hashes[$0] } ?? 128
    }
    return (keys + signatures).allSatisfy { $0 >= needed }
  }
}

extension Certificate {
  /// Whether the authorityKeyIdentifier of `issued`, if it has one, matches this certificate.
  fileprivate func identifies(_ issued: Certificate) -> Bool {
    guard let own = subjectKeyIdentifier?.keyIdentifier,
      let claimed = issued.authorityKeyIdentifier?.keyIdentifier
    else { return true }
    return own == claimed
  }
}
