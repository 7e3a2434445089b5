import Cryptography
import Explanation
import PKIX
import TLS
import Trust
import URLLoading

extension ClientEndpoint {
  /// Evaluates the server's certificate.
  ///
  /// The system evaluates it and calls the app's delegate, and App Transport Security adds its own requirements.
  mutating func evaluate(_ credentials: PeerCredentials) -> [EndpointEffect] {
    let (leaf, chain): (Certificate, [Certificate])
    do throws(UnreadableCertificate) { (leaf, chain) = try credentials.chain() } catch { return refuse(error) }
    pending.chain = chain
    pending.isStapled = credentials.ocspResponse != nil
    trust.receive(
      stapled: credentials.ocspResponse, wasAskedFor: hello?.extensions?.asksForStatus == true)
    trust.evidence.presentedSCTs = credentials.signedCertificateTimestamps
    return decide(leaf)
  }

  /// Continues the evaluation with content that was fetched.
  ///
  /// The content is an issuer's certificate in DER or PEM, an OCSP response or a CRL. It may be missing or invalid.
  public mutating func fetched(_ content: [UInt8]?) -> [EndpointEffect] {
    guard let fetch = pending.fetch, let leaf = pending.chain.first else { return [] }
    pending.fetch = nil
    trust.receive(content, for: fetch)
    return decide(leaf)
  }

  /// Decides whether to trust the server, unless something must be fetched first.
  private mutating func decide(_ leaf: Certificate) -> [EndpointEffect] {
    let challenge = ServerTrustChallenge(
      pending.chain, host: configuration.tls.host, trust, conversation: conversation,
      decision: decision, enforcement: configuration.tls.enforcement)
    if let wanted = challenge.wanted {
      pending.fetch = wanted
      return [.fetch(wanted)]
    }
    self.challenge = challenge
    conversation.record(challenge.exchange)
    let found = (demands(on: leaf, challenge.system) + challenge.trustFindings + standIn(for: leaf)).settled
    let trusting = ServerTrustDecisions(challenge, host: configuration.tls.host, decision: decision)
    let sources = RevocationSources(trust, path: challenge.system.path, isStapled: pending.isStapled)
    let looking = sources.map { Decision(.trust(.revocationSources($0, configuration.load.os))) }
    let decided = ([looking].compactMap(\.self) + trusting.all(found)).map(EndpointEffect.decided)
    // Until the delegate responds, the handshake waits.
    if challenge.exchange.answer == .unanswered { return decided }
    let refusing = (found + challenge.findings).deciding
    let answer: CertificateAnswer =
      refusing.isEmpty
      ? .accepted(configuration.standIns[leaf.der] ?? leaf.publicKey, for: leaf.keyPurposes)
      : .refused(AlertDescription(refusing: refusing + challenge.system.deciding))
    return decided + effects(of: connection?.certificateEvaluated(answer) ?? [])
  }

  /// The findings about App Transport Security's requirements on the server's own certificate.
  private func demands(on leaf: Certificate, _ evaluation: TrustEvaluation) -> [Finding] {
    let enforcement = configuration.tls.enforcement
    let name = configuration.trust.diagnostics.names(leaf)
    return decision.findings(
      on: AppTransportSecurity.ServerCertificate(leaf, name: name), enforcement: enforcement)
      + decision.findings(onTimestampsOf: leaf, name: name, evaluation: evaluation, enforcement: enforcement)
  }

  private func standIn(for leaf: Certificate) -> [Finding] {
    guard configuration.standIns[leaf.der] != nil else { return [] }
    let subject = Finding.Subject.certificate(index: 0, name: configuration.trust.diagnostics.names(leaf))
    return [configuration.tls.enforcement.check(.standInKey, on: subject, false, found: .word("a stand-in"))]
  }

  private mutating func refuse(_ unreadable: UnreadableCertificate) -> [EndpointEffect] {
    let decision = Decision(
      .trust(.unreadable(unreadable, by: .client)),
      [unreadable.finding(.unreadableCertificate, configuration.trust.diagnostics.enforcement)])
    return [.decided(decision)] + effects(of: connection?.certificateEvaluated(.refused(.badCertificate)) ?? [])
  }
}

extension AlertDescription {
  /// Creates the alert that best describes these violated rules of a certificate chain (RFC 5246 section 7.2.2).
  init(refusing rules: [Rule]) {
    let violated = Set(rules)
    if !violated.isDisjoint(with: [.expired, .notYetValid]) {
      self = .certificateExpired
    } else if violated.contains(.revoked) {
      self = .certificateRevoked
    } else if violated.contains(.badStaple) {
      self = .badCertificateStatusResponse
    } else if !violated.isDisjoint(with: [.noAnchor, .noIssuer, .selfSigned]) {
      self = .unknownCA
    } else {
      self = .badCertificate
    }
  }
}

extension Certificate {
  /// The purposes for which TLS may use the key; all purposes if there is no keyUsage extension (RFC 5280 section
  /// 4.2.1.3).
  ///
  /// A certificate with an unreadable extension is refused earlier.
  var keyPurposes: KeyPurposes {
    guard let usage = keyUsage else { return .all }
    var purposes: KeyPurposes = []
    if usage.contains(.digitalSignature) { purposes.insert(.signing) }
    if usage.contains(.keyEncipherment) { purposes.insert(.decryption) }
    return purposes
  }
}

extension ClientEndpoint {
  /// Challenges the app for a client identity. If the app chooses none, the client sends an empty Certificate message
  /// (RFC 5246 section 7.4.6).
  mutating func choose(_ request: CertificateRequestMessage) -> [EndpointEffect] {
    let exchange = conversation.exchange(
      on: ProtectionSpace(of: url, .clientCertificate, names: request.certificateAuthorities))
    conversation.record(exchange)
    var decisions = ChallengeDecisions(exchange).all(conduct: exchange.findings)
    if decisions.isEmpty {
      decisions = [Decision(.challenge(.certificateNotAsked), exchange.findings)]
    }
    let decided = decisions.map(EndpointEffect.decided)
    switch exchange.answer {
    case .unanswered: return decided
    case .cancelled, .exception:
      isAnswered = true
      return decided + effects(of: connection?.close() ?? [])
    case .credential(let credential):
      identityMisfit = configuration.tls.misfit(ofIdentity: credential.keyName, for: request)
      let misfit = identityMisfit.map { [EndpointEffect.decided($0.decision(configuration.tls.enforcement))] } ?? []
      return decided + misfit + effects(of: connection?.identityChosen(credential.keyName) ?? [])
    case .noCredential, .defaultHandling, .rejected:
      return decided + effects(of: connection?.identityChosen(nil) ?? [])
    }
  }
}

extension IdentityMisfit {
  /// The decision that the client may not send the identity that the app chose.
  fileprivate func decision(_ enforcement: Enforcement) -> Decision {
    Decision(
      .trust(.identityMisfit(self)),
      [
        enforcement.note(
          .clientCertificateRequired.fixed(by: fix), on: .handshake(.certificateRequest), .notEvaluated,
          required: .word(required), found: .word(found))
      ])
  }
}

extension Credential {
  /// The name of an identity's private key; nil for any other credential.
  fileprivate var keyName: Value.ID? {
    guard case .identity(let name, _) = kind else { return nil }
    return ValueScope(name).name(.key)
  }
}
