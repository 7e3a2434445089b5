import Cryptography
import Explanation

extension ClientHandshake12 {
  /// RFC 5246 section 7.4.2: what the certificates mean is asked of someone who knows certificates.
  mutating func evaluate(_ message: CertificateMessage, _ choice: Choice) throws(HandshakeFailure) -> State {
    guard !message.certificateList.isEmpty else {
      throw log.failure(
        .illegalParameter, on: .message("Certificate"), .illegalParameter, required: .atLeast(.number(1)),
        found: .number(0))
    }
    log.add(
      .evaluateCertificate(
        PeerCredentials(
          certificates: message.certificateList, host: configuration.host, cipherSuite: choice.suite.suite)))
    return .awaitingEvaluation(choice)
  }

  /// The answer.
  mutating func trust(_ answer: CertificateAnswer, _ choice: Choice) throws(HandshakeFailure) -> State {
    switch answer {
    case .refused(let alert):
      throw log.failure(.certificateRefused, on: .message("Certificate"), alert, found: .word("\(alert)"))
    case .accepted(let key):
      let required = choice.suite.suite.keyKind
      guard let kind = key.keyKind, kind == required, key.suits(choice.suite.keyExchange) else {
        throw log.failure(
          .keyTypeMismatch, on: .message("Certificate"), .unsupportedCertificate,
          required: .word(required?.rawValue ?? ""), found: .word(key.algorithmName))
      }
      let server = TrustedServer(choice: choice, publicKey: key)
      return choice.suite.keyExchange == .rsa
        ? .awaitingServerHelloDone(Exchange(server: server)) : .awaitingServerKeyExchange(server)
    }
  }

  /// RFC 5246 section 7.4.3, RFC 8422 section 5.4.
  mutating func verify(_ message: ServerKeyExchange, _ server: TrustedServer) throws(HandshakeFailure) -> State {
    guard case .ecdhe(let signed) = message else { throw unexpectedShape("ServerKeyExchange") }
    let parameters = signed.parameters
    log.derive([names.value("server_ecdh_public", parameters.publicKey, .published)])
    try log.check(
      .noCommonGroup, on: .message("ServerKeyExchange"), configuration.groups.contains(parameters.group),
      .illegalParameter, required: .anyOf(configuration.groups.map(\.description)),
      found: .word(parameters.group.description))
    try log.check(
      .noCommonSignatureScheme, on: .message("ServerKeyExchange"),
      configuration.signatureSchemes.contains { $0.codePoint == signed.algorithm.rawValue }, .illegalParameter,
      required: .anyOf(configuration.signatureSchemes.map(\.name)), found: .word(signed.algorithm.description))
    try log.checkSignature(
      of: signed, by: server.publicKey, clientRandom: server.choice.offer.random,
      serverRandom: server.choice.hello.random)
    return .awaitingServerHelloDone(Exchange(server: server, signed: signed))
  }

  mutating func unexpectedShape(_ name: String) -> HandshakeFailure {
    log.failure(.decodeError, on: .message(name), .decodeError, found: .word("a key exchange of another kind"))
  }
}

extension ServerECDHParameters {
  /// What ServerKeyExchange signs: ClientHello.random + ServerHello.random + params, RFC 8422 section 5.4.
  func signedContent(clientRandom: [UInt8], serverRandom: [UInt8]) throws -> [UInt8] {
    clientRandom + serverRandom + (try encoded())
  }
}
