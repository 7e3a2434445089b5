import Cryptography
import PKIX
import TLS

/// The shim's decisions about certificates.
extension Exchange {
  /// Evaluates the peer's certificates as the flags state.
  mutating func evaluate(_ shown: PeerCredentials) {
    let isFirst = report.handshakes == 0
    if !isFirst, shown.certificates != report.peerCertificates {
      return abort(.illegalParameter, ":SERVER_CERT_CHANGED:")
    }
    guard let leaf = shown.certificates.first.flatMap({ try? Certificate(der: $0) }) else {
      return abort(.decodeError, ":CANNOT_PARSE_LEAF_CERT:")
    }
    if isFirst, let list = report.sctList, LengthPrefixed.items(list) == nil {
      return abort(.decodeError, ":ERROR_PARSING_EXTENSION:")
    }
    if isFirst { (report.peerCertificates, report.ocspResponse) = (shown.certificates, shown.ocspResponse) }
    if options.failsVerification, options.insistsOnVerification {
      return abort(options.refusalAlert, ":CERTIFICATE_VERIFY_FAILED:")
    }
    if options.verifiesPeer, !isTrusted(leaf, shown.certificates) {
      return abort(.unknownCA, ":CERTIFICATE_VERIFY_FAILED:")
    }
    if options.usesOCSPCallback, options.failsOCSP, options.requestsOCSP, !options.isServer {
      return abort(.badCertificateStatusResponse, ":OCSP_CB_ERROR:")
    }
    let ignoresUsage = options.ignoresRSAKeyUsage && leaf.publicKey.keyKind == .rsa
    let purposes = KeyPurposes(leaf)
    let purpose = !options.isServer && shown.cipherSuite.keyExchange == .rsa ? KeyPurposes.decryption : .signing
    report.hasInvalidKeyUsage = !purposes.contains(purpose)
    process(connection.certificateEvaluated(.accepted(leaf.publicKey, for: ignoresUsage ? .all : purposes)))
  }

  /// Whether a valid path leads from `leaf` to the runner's root. Without a root, every certificate is trusted.
  private func isTrusted(_ leaf: Certificate, _ chain: [[UInt8]]) -> Bool {
    guard let file = options.trustFile, !file.isEmpty, let roots = try? PEMFile.certificates(file) else { return true }
    let building = PathBuilding(
      from: leaf, over: chain.dropFirst().compactMap { try? Certificate(der: $0) },
      to: CertificatePool(roots.compactMap { try? Certificate(der: $0) }), at: memory.now)
    return building.paths.contains { path in
      path.isAnchored && !PathValidation(path, at: memory.now).findings.refuses
    }
  }

  /// Chooses the first credential that fits the request. If the shim has credentials and none fits, the connection ends
  /// as in BoringSSL; without a credential, the client sends an empty Certificate message.
  mutating func chooseIdentity(for request: CertificateRequestMessage) {
    if options.failsCertificateCallback { return abort(.internalError, ":CERT_CB_ERROR:") }
    let suitable = credentials.first { $0.suits(request, isTLS13: report.isTLS13) }
    if suitable == nil, !credentials.isEmpty { return abort(.handshakeFailure, ":NO_COMMON_SIGNATURE_ALGORITHMS:") }
    report.selectedCredential = suitable?.number
    process(connection.identityChosen(suitable?.keyName))
  }
}

extension LoadedCredential {
  /// Whether the server may show the credential to this client.
  func suits(_ hello: ClientHello) -> Bool {
    !options.mustMatchIssuer || !Set(hello.certificateAuthorities).isDisjoint(with: issuers)
  }

  /// Whether the client may show the credential for this request.
  fileprivate func suits(_ request: CertificateRequestMessage, isTLS13: Bool) -> Bool {
    if options.mustMatchIssuer, Set(request.certificateAuthorities).isDisjoint(with: issuers) { return false }
    let accepted = request.supportedSignatureAlgorithms ?? []
    if isTLS13 {
      return schemes.contains { $0.suits13(key.publicKey) && accepted.contains(SignatureAndHashAlgorithm($0)) }
    }
    return clientIdentity.misfit(for: request, among: schemes) == nil
  }
}

extension ClientHello {
  /// The names in `certificate_authorities` (RFC 8446 section 4.2.4), which BoringSSL also reads before TLS 1.3.
  fileprivate var certificateAuthorities: [[UInt8]] {
    if let names = extensions?.certificateAuthorities { return names }
    for case .other(.certificateAuthorities, let data) in extensions ?? [] { return LengthPrefixed.items(data) ?? [] }
    return []
  }
}

extension Options {
  /// The alert for a certificate that fails verification: that of the callback in use.
  var refusalAlert: AlertDescription { usesCustomVerification ? .certificateUnknown : .handshakeFailure }
}

extension KeyPurposes {
  /// The purposes that the keyUsage of a certificate allows (RFC 5280 section 4.2.1.3).
  fileprivate init(_ certificate: Certificate) {
    guard let usage = certificate.keyUsage else {
      self = .all
      return
    }
    self = []
    if usage.contains(.digitalSignature) { insert(.signing) }
    if usage.contains(.keyEncipherment) { insert(.decryption) }
  }
}

/// A list whose elements have a length of two bytes each, after the length of the list.
private enum LengthPrefixed {
  /// The elements; nil if the list is malformed, or if it or an element is empty.
  static func items(_ list: [UInt8]) -> [[UInt8]]? {
    var rest = list[...]
    guard let count = takeLength(&rest), count == rest.count, count > 0 else { return nil }
    var items: [[UInt8]] = []
    while !rest.isEmpty {
      guard let count = takeLength(&rest), count > 0, count <= rest.count else { return nil }
      items.append(Array(rest.prefix(count)))
      rest = rest.dropFirst(count)
    }
    return items
  }

  private static func takeLength(_ rest: inout ArraySlice<UInt8>) -> Int? {
    guard let high = rest.popFirst(), let low = rest.popFirst() else { return nil }
    return Int(high) << 8 | Int(low)
  }
}
