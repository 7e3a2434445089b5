import Cryptography
import Explanation

/// What whoever reads a handshake of TLS 1.2 holds against it, be it an end or someone with a recording.
extension EffectLog {
  /// RFC 5246 section 7.4.1.3: the server may only choose out of the offer; and nothing of it that is reserved for GREASE:
  /// RFC 8701 section 3.1.
  ///
  /// In another handshake on the same connection, `bound` is what binds it to the one before.
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

  /// What is of another time is worth a word, where it was chosen.
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

  /// RFC 8446 section 4.2.1: where a server answers supported_versions, it names TLS 1.3 or newer, out of the offer; and no
  /// value of GREASE (RFC 8701 section 3.1).
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

  /// RFC 7301 section 3.1: the server names one protocol, out of the offer.
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
    // Section 7.4.1.4.1: a server has nothing to say here.
    try check(
      .illegalParameter, on: .handshake(.serverHello), extensions.signatureAlgorithms == nil, .illegalParameter,
      required: .word("no signature_algorithms of a server"),
      found: extensions.signatureAlgorithms == nil ? .absent : .word("signature_algorithms"))
    // RFC 5746 section 3.6: a server may answer only a hello that has the SCSV or renegotiation_info.
    guard bound != nil || offer.supportsSecureRenegotiation else { return }
    try checkRenegotiation(extensions.renegotiationInfo, boundTo: bound)
  }

  /// RFC 8701 section 3.1: a client refuses an extension of GREASE in a ServerHello, though it has offered it. No alert is
  /// named there; it is that of a suite of GREASE.
  private mutating func checkReserved(_ types: [ExtensionType]) throws(HandshakeFailure) {
    let reserved = types.filter(\.rawValue.isGrease)
    guard !reserved.isEmpty else { return }
    try refuse(
      .illegalParameter, on: .handshake(.serverHello), .illegalParameter,
      required: .word("no extension that is reserved for GREASE"), found: .words(reserved.map(\.description)))
  }

  /// RFC 8422 section 5.1.2: a list of point formats, of either side, has the uncompressed one.
  mutating func checkPointFormats(_ extensions: [Extension], on message: HandshakeType) throws(HandshakeFailure) {
    guard let formats = extensions.pointFormats else { return }
    try check(
      .illegalParameter, on: .handshake(message), formats.contains(0), .illegalParameter,
      required: .word("uncompressed (0) among the point formats"), found: .bytes(formats))
  }

  /// RFC 5246 sections 7.4.2 and 7.4.6: a certificate that says what its key is for must allow what it is used for here.
  mutating func checkPurpose(_ purpose: KeyPurposes, of allowed: KeyPurposes) throws(HandshakeFailure) {
    try check(
      .keyPurpose, on: .handshake(.certificate), allowed.contains(purpose), .unsupportedCertificate,
      required: .words(purpose.words), found: .words(allowed.words))
  }

  /// RFC 5246 section 7.4.3, RFC 8422 section 5.4: the key in the certificate signed the parameters and both randoms.
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

  /// What a client holds against a group that the server made up itself: RFC 5246 section F.1.1.3, RFC 7919 section 3.
  mutating func checkGroup(_ parameters: ServerDHParameters, atLeast bits: Int) throws(HandshakeFailure) {
    let group = parameters.numbers
    try check(
      .shortDHGroup, on: .handshake(.serverKeyExchange), group.bits >= bits, .insufficientSecurity,
      required: .atLeast(.bits(bits)), found: .bits(group.bits))
    let weakness = group.weakness
    try check(
      .badDHGroup, on: .handshake(.serverKeyExchange), weakness == nil, .illegalParameter,
      required: .word("a prime, and a generator of many values"),
      found: .word(weakness?.description ?? parameters.group?.description ?? "a group of its own"))
  }

  /// RFC 5246 section 7.4.9: Finished covers the messages before it.
  mutating func checkFinished(_ finished: Finished, _ expected: [UInt8]) throws(HandshakeFailure) {
    try check(
      .finishedMismatch, on: .handshake(.finished), ConstantTime.difference(finished.verifyData, expected) == 0,
      .decryptError,
      required: .bytes(expected), found: .bytes(finished.verifyData))
  }
}

/// What comes of an encrypted premaster secret for whoever has the server's key: the server, or someone with a recording.
struct DecryptedPremaster {
  /// The secret, or the substitute where there is none.
  let bytes: [UInt8]
  /// Whether they are what the client sent.
  let matchesPeer: Bool
  /// What is wrong with what was decrypted; nil when nothing is.
  let flaw: PremasterFlaw?
}

extension EffectLog {
  /// RFC 5246 section 7.4.7.1: whatever is wrong, the substitute takes the secret's place, and neither messages nor state
  /// tell. Only the finding does, to whoever reads the trace.
  ///
  /// Throws where the key cannot decrypt at all.
  mutating func decrypt(
    _ encrypted: [UInt8], with decryption: PremasterDecryption, version: ProtocolVersion, orElse substitute: [UInt8],
    _ decisions: TLSDecisions = .standard
  ) throws(HandshakeFailure) -> DecryptedPremaster {
    guard let decryption = try? decryption(encrypted, version, substitute) else {
      throw failure(.internalError, .internalError, found: .word("RSADP failed"))
    }
    let premaster = PremasterSecret.checked(decryption.bytes, version: version, orElse: substitute)
    // Everything that may be told is made first; which of it is told takes no other way.
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

/// The premaster secret of an RSA key exchange, and the check of its version: RFC 5246 section 7.4.7.1.
package struct PremasterSecret {
  let bytes: [UInt8]
  let hasVersion: Bool

  /// The secret that a client draws: the version of its offer, then 46 random bytes.
  package static func drawn(from random: RandomStreams, version: ProtocolVersion) -> [UInt8] {
    bytes(of: version) + random.bytes(for: ValueName(.premasterSecret), count: 46)
  }

  private static func bytes(of version: ProtocolVersion) -> [UInt8] {
    [UInt8(truncatingIfNeeded: version.rawValue >> 8), UInt8(truncatingIfNeeded: version.rawValue)]
  }

  /// The decrypted secret when it begins with `version`, else the substitute, selected without a branch.
  static func checked(
    _ decrypted: [UInt8], version: ProtocolVersion, orElse substitute: [UInt8]
  ) -> PremasterSecret {
    var difference: UInt8 = decrypted.count == substitute.count ? 0 : 1
    for (found, wanted) in zip(decrypted, bytes(of: version)) { difference |= found ^ wanted }
    let mask = ConstantTime.isZero(difference)  // all ones when nothing differs
    let bytes = zip(decrypted, substitute).map { ($0 & mask) | ($1 & ~mask) }
    return PremasterSecret(bytes: bytes, hasVersion: difference == 0)
  }
}
