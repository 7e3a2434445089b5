import Cryptography
import Explanation

/// The server asks who the client is: RFC 5246 sections 7.4.4, 7.4.6 and 7.4.8.
extension ServerHandshake12 {
  /// CertificateRequest: every kind of key that one of the server's algorithms verifies.
  mutating func sendCertificateRequest() throws(HandshakeFailure) {
    let schemes = configuration.signatureSchemes.filter(\.isImplemented)
    var types: [UInt8] = []
    for type in schemes.compactMap(\.keyKind.certificateType) where !types.contains(type) { types.append(type) }
    try send(
      .certificateRequest(
        CertificateRequestMessage(
          certificateTypes: types.sorted(),
          supportedSignatureAlgorithms: schemes.map(SignatureAndHashAlgorithm.init),
          certificateAuthorities: configuration.clientAuthorities)))
  }

  /// What the certificates mean is asked of someone who knows certificates; a client may have none.
  mutating func evaluate(_ message: CertificateMessage, _ exchange: Exchange) throws(HandshakeFailure) -> State {
    guard message.certificateList.isEmpty else {
      log.add(
        .evaluateCertificate(
          PeerCredentials(
            certificates: message.certificateList, host: nil, cipherSuite: exchange.choice.suite.suite)))
      return .awaitingEvaluation(exchange)
    }
    try log.check(
      .clientCertificateRequired, on: .message("Certificate"), configuration.clientAuthentication != .required,
      .handshakeFailure, required: .atLeast(.number(1)), found: .number(0))
    return .awaitingClientKeyExchange(exchange)
  }

  /// The answer.
  mutating func trust(_ answer: CertificateAnswer, _ exchange: Exchange) throws(HandshakeFailure) -> State {
    switch answer {
    case .refused(let alert):
      throw log.failure(.certificateRefused, on: .message("Certificate"), alert, found: .word("\(alert)"))
    case .accepted(let key):
      guard key.keyKind != nil else {
        throw log.failure(
          .keyTypeMismatch, on: .message("Certificate"), .unsupportedCertificate, required: .word("an RSA or EC key"),
          found: .word(key.algorithmName))
      }
      var exchange = exchange
      exchange.clientKey = key
      return .awaitingClientKeyExchange(exchange)
    }
  }

  /// The signature covers the messages before it: this one joins them afterwards.
  mutating func verify(
    _ proof: CertificateVerify, _ message: HandshakeMessage, by key: PublicKey, _ secrets: Secrets
  ) throws(HandshakeFailure) -> State {
    log.derive([names.value("certificate_verify_signature", proof.signature, .published)])
    let asked = configuration.signatureSchemes.filter(\.isImplemented)
    try log.check(
      .illegalParameter, on: .message("CertificateVerify"),
      asked.contains { $0.codePoint == proof.algorithm.rawValue }, .illegalParameter,
      required: .anyOf(asked.map(\.name)), found: .word(proof.algorithm.description))
    let fault = proof.algorithm.fault(of: proof.signature, over: transcript.bytes, by: key)
    try log.check(
      .badCertificateVerify, on: .message("CertificateVerify"), fault == nil, .decryptError,
      required: .word("\(proof.algorithm) by the certificate's key"), found: fault.map(Detail.word) ?? .none)
    transcript.append(message)
    return .awaitingChangeCipherSpec(secrets)
  }
}
