import Cryptography

/// The ClientHello and ServerHello of a handshake of SSL 3.0 to TLS 1.2.
struct Hellos: Sendable, Hashable {
  /// The client's offer.
  let offer: ClientHello
  /// The server's reply.
  let answer: ServerHello

  /// Whether the server resumes a session, that is, repeats the client's session ID (RFC 5246 section 7.3, RFC 5077
  /// section 3.4).
  ///
  /// Nil if only the server's next message can show this, because the client sent a ticket without a session ID.
  var isResumed: Bool? {
    if !offer.sessionID.isEmpty { return offer.sessionID == answer.sessionID }
    return offer.extensions?.sessionTicket?.isEmpty == false ? nil : false
  }

  /// Whether the server accepted an extension that has no content.
  func agreed(to type: ExtensionType) -> Bool { answer.agreed(to: type) }

  /// The key schedule for this premaster secret and both random values (RFC 5246 section 8.1).
  func schedule(_ negotiated: Negotiated, premasterSecret: [UInt8], sessionHash: [UInt8]?) -> KeySchedule12 {
    KeySchedule12(
      negotiated, premasterSecret: premasterSecret, clientRandom: offer.random, serverRandom: answer.random,
      sessionHash: sessionHash)
  }

  /// The keys that protect the records (RFC 5246 section 6.3).
  func keys(of schedule: KeySchedule12) -> KeyBlock {
    schedule.keyBlock(
      clientRandom: offer.random, serverRandom: answer.random, encryptThenMAC: agreed(to: .encryptThenMAC))
  }

  /// The parameters of the connection. A resumed session has no key exchange, and therefore no group and no signature.
  func parameters(
    group: NamedGroup? = nil, signatureAlgorithm: SignatureAndHashAlgorithm? = nil, hasClientCertificate: Bool,
    isResumed: Bool = false
  ) -> ConnectionParameters {
    ConnectionParameters(
      version: answer.serverVersion, cipherSuite: answer.cipherSuite, group: group,
      signatureAlgorithm: signatureAlgorithm, serverName: offer.extensions?.serverName,
      hasSecureRenegotiation: agreed(to: .renegotiationInfo),
      hasExtendedMasterSecret: agreed(to: .extendedMasterSecret),
      applicationProtocol: answer.extensions?.applicationProtocols?.first, hasClientCertificate: hasClientCertificate,
      isResumed: isResumed)
  }
}
