import Cryptography
import Explanation

/// Checks of a TLS 1.2 handshake that both an endpoint and the reader of a recording perform.
extension EffectLog {
  /// Checks that the server chose only from the offer (RFC 5246 section 7.4.1.3), and no GREASE value (RFC 8701 section
  /// 3.1).
  ///
  /// In a renegotiation, `bound` binds the handshake to the previous one.
  mutating func checkChoice(
    _ hello: ServerHello, of offer: ClientHello, boundTo bound: VerifyData? = nil
  ) throws(HandshakeFailure) {
    try check(
      .suiteNotOffered, offer.cipherSuites.contains(hello.cipherSuite) && hello.cipherSuite.isSelectable,
      .illegalParameter, required: .anyOf(offer.cipherSuites.filter(\.isSelectable).map(\.name)),
      found: .word(hello.cipherSuite.name))
    try checkSupportedVersions(hello, offer)
    try check(
      .suiteOfOtherVersion, on: .handshake(.serverHello), hello.cipherSuite.isUsable(in: hello.selectedVersion),
      .illegalParameter, required: .word("a suite of \(hello.selectedVersion)"), found: .word(hello.cipherSuite.name))
    try check(
      .illegalParameter, on: .handshake(.serverHello), hello.compressionMethod == 0, .illegalParameter,
      required: .word("compression null"), found: .number(Int(hello.compressionMethod)))
    try checkExtensions(hello.extensions ?? [], offer, bound)
    try checkApplicationProtocol(hello, offer)
    try adviseOnLegacyChoice(hello.selectedVersion, hello.cipherSuite.registration?.cipher)
  }

  /// Checks that the server chose no legacy version or cipher.
  private mutating func adviseOnLegacyChoice(
    _ version: ProtocolVersion, _ cipher: CipherSuite.BulkCipher?
  ) throws(HandshakeFailure) {
    if version == .sslv3 {
      try refuse(
        .ssl3, on: .handshake(.serverHello), .protocolVersion, required: .atLeast(.word("TLSv1.0")),
        found: .word(version.description))
    }
    guard let cipher, let rule = [.rc4128: Rule.rc4, .tripleDESCBC: .shortBlocks][cipher] else { return }
    try refuse(
      rule, on: .handshake(.serverHello), .handshakeFailure, required: .word("AES or ChaCha20"),
      found: .word(cipher.rawValue))
  }

  /// Checks a server's supported_versions extension (RFC 8446 section 4.2.1).
  ///
  /// The extension must contain an offered version, TLS 1.3 or later, that is not a GREASE value (RFC 8701 section
  /// 3.1).
  private mutating func checkSupportedVersions(
    _ hello: ServerHello, _ offer: ClientHello
  ) throws(HandshakeFailure) {
    guard let chosen = hello.extensions?.supportedVersions, let offered = offer.extensions?.supportedVersions else {
      return
    }
    let newer = offered.filter { $0 >= .tls13 && !$0.rawValue.isGrease }
    try check(
      .illegalParameter, on: .handshake(.serverHello), chosen.allSatisfy(newer.contains), .illegalParameter,
      required: newer.isEmpty ? .word("no supported_versions") : .anyOf(newer.map(\.description)),
      found: .words(chosen.map(\.description)))
  }

  /// Checks that the server selected one protocol from the offer (RFC 7301 section 3.1).
  private mutating func checkApplicationProtocol(
    _ hello: ServerHello, _ offer: ClientHello
  ) throws(HandshakeFailure) {
    guard let chosen = hello.extensions?.applicationProtocols else { return }
    let offered = offer.extensions?.applicationProtocols ?? []
    try check(
      .illegalParameter, on: .handshake(.serverHello), chosen.count == 1 && chosen.allSatisfy(offered.contains),
      .illegalParameter, required: .anyOf(offered.map(\.description)), found: .words(chosen.map(\.description)))
  }

  private mutating func checkExtensions(
    _ extensions: [Extension], _ offer: ClientHello, _ bound: VerifyData?
  ) throws(HandshakeFailure) {
    var offered = Set((offer.extensions ?? []).map(\.type))
    if offer.cipherSuites.contains(.emptyRenegotiationInfo) { offered.insert(.renegotiationInfo) }
    let strange = extensions.map(\.type).filter { !offered.contains($0) }
    try check(
      .unsupportedExtension, on: .handshake(.serverHello), strange.isEmpty, .unsupportedExtension,
      required: .anyOf(offered.map(\.description).sorted()), found: .words(strange.map(\.description)))
    try checkReserved(extensions.map(\.type))
    try checkPointFormats(extensions, on: .serverHello)
    // RFC 5246 section 7.4.1.4.1: a server must not send this extension.
    try check(
      .illegalParameter, on: .handshake(.serverHello), extensions.signatureAlgorithms == nil, .illegalParameter,
      required: .word("no signature_algorithms from a server"),
      found: extensions.signatureAlgorithms == nil ? .absent : .word("signature_algorithms"))
    // RFC 5746 section 3.6: a server may reply only if the hello has the SCSV or renegotiation_info.
    guard bound != nil || offer.supportsSecureRenegotiation else { return }
    try checkRenegotiation(extensions.renegotiationInfo, boundTo: bound)
  }

  /// Refuses a GREASE extension in a ServerHello, although the client offered it (RFC 8701 section 3.1). The RFC
  /// specifies no alert. The client sends the same alert as for a GREASE suite.
  private mutating func checkReserved(_ types: [ExtensionType]) throws(HandshakeFailure) {
    let reserved = types.filter(\.rawValue.isGrease)
    guard !reserved.isEmpty else { return }
    try refuse(
      .illegalParameter, on: .handshake(.serverHello), .illegalParameter,
      required: .word("no extension type reserved for GREASE"), found: .words(reserved.map(\.description)))
  }

  /// Checks that a list of point formats contains the uncompressed format (RFC 8422 section 5.1.2).
  mutating func checkPointFormats(_ extensions: [Extension], on message: HandshakeType) throws(HandshakeFailure) {
    guard let formats = extensions.pointFormats else { return }
    try check(
      .illegalParameter, on: .handshake(message), formats.contains(0), .illegalParameter,
      required: .word("uncompressed (0) among the point formats"), found: .bytes(formats))
  }

  /// Checks that the certificate allows the use of its key in this suite (RFC 5246 sections 7.4.2 and 7.4.6, RFC 8446 section
  /// 4.4.2.2).
  mutating func checkPurpose(_ purpose: KeyPurposes, of allowed: KeyPurposes) throws(HandshakeFailure) {
    let rule = version == .tls13 ? Rule.keyPurpose13 : .keyPurpose
    try check(
      rule, on: .handshake(.certificate), allowed.contains(purpose), .unsupportedCertificate,
      required: .words(purpose.words), found: .words(allowed.words))
  }

  /// Checks that the certificate's key signed the parameters and both random values (RFC 5246 section 7.4.3, RFC 8422
  /// section 5.4).
  mutating func checkSignature(
    _ signature: DigitallySigned, over parameters: ServerParameters, by key: PublicKey, clientRandom: [UInt8],
    serverRandom: [UInt8]
  ) throws(HandshakeFailure) {
    let content = try representable { () throws in
      try parameters.signedContent(clientRandom: clientRandom, serverRandom: serverRandom)
    }
    let fault = signature.fault(over: content, by: key)
    try check(
      .badSignature, on: .handshake(.serverKeyExchange), fault == nil, .decryptError,
      required: .word("\(signature.name(by: key)) by the certificate's key"), found: fault.map(Detail.word) ?? .none)
  }

  /// Checks a DH group that the server chose freely (RFC 5246 section F.1.1.3, RFC 7919 section 3).
  mutating func checkGroup(_ parameters: ServerDHParameters, atLeast bits: Int) throws(HandshakeFailure) {
    let group = parameters.numbers
    try check(
      .shortDHGroup, on: .handshake(.serverKeyExchange), group.bits >= bits, .insufficientSecurity,
      required: .atLeast(.bits(bits)), found: .bits(group.bits))
    let weakness = group.weakness
    try check(
      .badDHGroup, on: .handshake(.serverKeyExchange), weakness == nil, .illegalParameter,
      required: .word("a prime modulus, and a generator with many values"),
      found: .word(weakness?.description ?? parameters.group?.description ?? "a custom group"))
  }

  /// Checks that Finished covers the messages before it (RFC 5246 section 7.4.9).
  mutating func checkFinished(_ finished: Finished, _ expected: [UInt8]) throws(HandshakeFailure) {
    try check(
      .finishedMismatch, on: .handshake(.finished), ConstantTime.difference(finished.verifyData, expected) == 0,
      .decryptError,
      required: .bytes(expected), found: .bytes(finished.verifyData))
  }
}

/// The result of decrypting the premaster secret with the server's key.
struct DecryptedPremaster {
  /// The premaster secret, or its random substitute.
  let bytes: [UInt8]
  /// Whether the bytes are the secret that the client sent.
  let matchesPeer: Bool
  /// The defect of the decrypted data; nil if there is none.
  let flaw: PremasterFlaw?
}

extension EffectLog {
  /// Decrypts the premaster secret, or substitutes a random one for a defective secret (RFC 5246 section 7.4.7.1).
  ///
  /// Neither messages nor states reveal the substitution; only the finding in the trace does. The method throws if the
  /// key cannot decrypt anything.
  mutating func decrypt(
    _ encrypted: [UInt8], with decryption: PremasterDecryption, version: ProtocolVersion, orElse substitute: [UInt8],
    _ decisions: TLSDecisions = .standard
  ) throws(HandshakeFailure) -> DecryptedPremaster {
    guard let decryption = try? decryption(encrypted, version, substitute) else {
      throw failure(.internalError, .internalError, found: .word("RSADP failed"))
    }
    let premaster = PremasterSecret.checked(decryption.bytes, version: version, orElse: substitute)
    // Computes all possible results first, so that the selection takes the same path for each result.
    let flaws: [PremasterFlaw?] = [.blockType, .padding, .version, nil]
    let words = [PremasterFlaw.padding.rawValue, PremasterFlaw.padding.rawValue, PremasterFlaw.version.rawValue]
    let (began, formed, whole) = (
      decryption.beganRightly ? 1 : 0, decryption.wasWellFormed ? 1 : 0, premaster.hasVersion ? 1 : 0
    )
    let place = began + began * formed + began * formed * whole
    let isRight = place == 3
    try check(
      .premasterMalformed, on: .handshake(.clientKeyExchange), isRight, .decryptError,
      required: .word("48 bytes that begin with \(version)"), found: .word((words + ["as required"])[place]))
    let flaw = flaws[place]
    guard let chosen = decisions.premaster?(decryption.bytes, version) else {
      return DecryptedPremaster(bytes: premaster.bytes, matchesPeer: isRight, flaw: flaw)
    }
    return DecryptedPremaster(bytes: chosen, matchesPeer: decryption.wasWellFormed, flaw: flaw)
  }
}

/// The premaster secret of an RSA key exchange, and the check of its version (RFC 5246 section 7.4.7.1).
package struct PremasterSecret {
  let bytes: [UInt8]
  let hasVersion: Bool

  /// Generates a client's premaster secret: the version of its offer, followed by 46 random bytes.
  package static func drawn(from random: RandomStreams, version: ProtocolVersion) -> [UInt8] {
    bytes(of: version) + random.bytes(for: ValueName(.premasterSecret), count: 46)
  }

  private static func bytes(of version: ProtocolVersion) -> [UInt8] {
    [UInt8(truncatingIfNeeded: version.rawValue >> 8), UInt8(truncatingIfNeeded: version.rawValue)]
  }

  /// The decrypted secret if it begins with `version`, otherwise the substitute. The selection has no branch.
  static func checked(
    _ decrypted: [UInt8], version: ProtocolVersion, orElse substitute: [UInt8]
  ) -> PremasterSecret {
    var difference: UInt8 = decrypted.count == substitute.count ? 0 : 1
    for (found, wanted) in zip(decrypted, bytes(of: version)) { difference |= found ^ wanted }
    let mask = ConstantTime.isZero(difference)  // all ones if the values are equal
    let bytes = zip(decrypted, substitute).map { ($0 & mask) | ($1 & ~mask) }
    return PremasterSecret(bytes: bytes, hasVersion: difference == 0)
  }
}
