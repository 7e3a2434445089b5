import Cryptography
import Explanation

/// The client proves who it is: RFC 5246 sections 7.4.6 and 7.4.8.
extension ClientHandshake12 {
  /// An identity that was shown, and how its key will sign for it.
  struct IdentityProof {
    let identity: ClientIdentity
    let scheme: SignatureScheme
  }

  /// Shows what suits the request; a client that has nothing suitable must still send a message, without certificates.
  mutating func sendCertificate(
    _ request: CertificateRequestMessage
  ) throws(HandshakeFailure) -> IdentityProof? {
    guard let identity = configuration.identity,
      let scheme = identity.scheme(for: request, among: configuration.signatureSchemes)
    else {
      try send(.certificate(CertificateMessage(certificateList: [])))
      return nil
    }
    let listed = request.certificateAuthorities
    try log.check(
      .authorityNotListed, on: .message("CertificateRequest"),
      listed.isEmpty || !Set(listed).isDisjoint(with: identity.issuers), .certificateUnknown,
      required: .word("an issuer among \(listed.count) certificate_authorities"), found: .word("none of them"))
    try send(.certificate(CertificateMessage(certificateList: identity.certificates)))
    return IdentityProof(identity: identity, scheme: scheme)
  }

  /// Signs all handshake messages so far: the signature is good for this handshake and no other.
  mutating func sendCertificateVerify(_ proof: IdentityProof) throws(HandshakeFailure) {
    var random = configuration.random.stream("signature")
    let content = transcript.bytes
    let signature = try log.representable { () throws in
      try proof.identity.privateKey.sign(content, proof.scheme, random: &random)
    }
    log.derive([
      names.value(
        "certificate_verify_signature", signature, .published,
        .computed(function: "\(proof.scheme.name)(handshake_messages)", from: [proof.identity.privateKeyName]))
    ])
    try send(
      .certificateVerify(
        CertificateVerify(algorithm: SignatureAndHashAlgorithm(proof.scheme), signature: signature)))
  }
}
