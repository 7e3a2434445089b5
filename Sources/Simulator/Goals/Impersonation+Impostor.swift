import Cryptography
import Endpoint
import Explanation
import Laboratory
import PKIX
import TLS
import Trust
import URLLoading

// The impostor: its certificates, its configuration and its meeting with the client.
extension Impersonation {
  /// Returns the connection with another server at another time.
  func impostor(
    _ certificates: [[UInt8]], _ key: PrivateKey, only exchange: CipherSuite.KeyExchange? = nil,
    premaster: [UInt8]? = nil, resuming session: Session? = nil, sharing psk: ExternalPSK? = nil
  ) -> World.Plan? {
    let suites = (CipherSuite.implemented13 + CipherSuite.implemented).filter {
      exchange == nil || $0.keyExchange == exchange
    }
    let known = premaster.map { premaster in Fault.tls { $0.premaster = { _, _ in premaster } } }
    var tls = ServerConfiguration(
      certificates: certificates, privateKey: key, privateKeyName: ValueScope(Party.interceptor.name).name(.key),
      versions: psk == nil ? versions(resuming: session) : .tls13 ... .tls13, cipherSuites: suites, preference: .client,
      applicationProtocols: plan.client.tls.applicationProtocols,
      enforcement: Enforcement([known].compactMap(\.self)), now: at,
      random: RandomStreams(seed: .number(0), party: "impostor"), party: .interceptor, valueScope: plan.scope)
    // RFC 7507 binds honest servers: an attacker accepts a client that signals a fallback.
    tls.honoursFallbackSignal = false
    tls.extendedMasterSecret = plan.server.tls.extendedMasterSecret
    staple(to: &tls.credentials)
    if let psk { (tls.externalPSKs, tls.pskModes) = ([psk], plan.client.tls.pskModes) }
    if let session {
      // An attacker that has the session needs no key to accept its ticket.
      tls.ticketKeys = plan.server.tls.ticketKeys
      var sessions = SessionCache()
      sessions.store(session)
      tls.sessions = sessions
    }
    return met(tls, proposing: session)
  }

  /// The versions of the impostor.
  ///
  /// A server that supports TLS 1.3 marks its choice of an older version (RFC 8446 section 4.1.3). The impostor therefore
  /// supports TLS 1.3 only if the session or the client requires it.
  private func versions(resuming session: Session?) -> ClosedRange<ProtocolVersion> {
    let version = session?.parameters.version ?? plan.client.tls.versions.lowerBound
    return version >= .tls13 ? .tls13 ... .tls13 : .sslv3 ... .tls12
  }

  /// Returns the client's connection to a server with this configuration.
  func met(_ tls: ServerConfiguration, proposing session: Session?) -> World.Plan {
    let front = ServerEndpoint.Configuration(
      tls: tls, certificates: [], answers: .own([plan.client.request.line: .content("in the server's place")]))
    return plan.met(
      by: Interceptor(front: front, back: nil, replacements: [:], holds: []), at: at, proposing: session)
  }

  /// Adds the best responses and SCTs that were ever issued for the certificate. They are public, so an attacker can
  /// send them.
  func staple(to credentials: inout ServerCredentials) {
    guard let leaf = credentials.certificates.first.flatMap({ try? Certificate(der: $0) }) else { return }
    let genuine = plan.server.tls.allCredentials.first { $0.certificates.first == credentials.certificates.first }
    credentials.ocspResponse =
      plan.network.status.staple(of: leaf, at: at) ?? (at == plan.clock ? genuine?.ocspResponse : nil)
    credentials.sctList = plan.network.publicSCTs[leaf] ?? genuine?.sctList
  }

  /// The available CAs that certify the attackers' own names.
  ///
  /// These are CAs that the client trusts and CAs whose keys the app pins. If the key of a trusted root is unknown in
  /// the world, CAs below it are included.
  var trusted: [Holding] {
    let (anchors, pins) = (self.anchors, plan.client.pinnedKeys)
    let keyless = holdings.filter { $0.key == nil }.compactMap(\.chain.first).filter(anchors.contains)
    var seen: Set<Value.ID> = []
    return holdings.filter { holding in
      guard holding.key != nil, let own = holding.chain.first else { return false }
      let isBelow = holding.chain.last.map { last in keyless.contains { $0.subject == last.issuer } } ?? false
      let isWanted =
        anchors.contains(own)
        || own.basicConstraints?.isCA == true
          && (isBelow || pins.contains(PublicKeyPins.Pin.fingerprint(of: own)))
      return isWanted && seen.insert(holding.keyName).inserted
    }
  }

  /// All trust anchors of the client and its app.
  var anchors: Set<Certificate> {
    Set(plan.client.trust.requirements.store.anchors.certificates).union(plan.client.challenges.delegate?.anchors ?? [])
  }

  /// The names of the trust anchors without known keys; empty if any trusted CA can sign for attackers.
  var unaskedAuthorities: [String] {
    guard trusted.isEmpty else { return [] }
    let anchors = self.anchors
    return holdings.filter { $0.key == nil && $0.chain.first.map(anchors.contains) == true }.map(\.name)
  }

  /// The kinds of key exchange in which an attacker without the server's key can present its certificate.
  var genuineWithoutKey: [CipherSuite.KeyExchange] {
    let kinds = Set(unknownCredentials.compactMap(\.privateKey.publicKey.keyKind))
    if plan.client.tls.versions.lowerBound >= .tls13 { return kinds.isEmpty ? [] : [.tls13] }
    return ((kinds.contains(.rsa) ? [.ecdheRSA, .dheRSA, .rsa] : []) + (kinds.contains(.ecdsa) ? [.ecdheECDSA] : []))
      .filter(isOffered)
  }

  /// Whether the client can agree on a suite with this key exchange, and with a signature scheme for it.
  private func isOffered(_ exchange: CipherSuite.KeyExchange) -> Bool {
    let tls = plan.client.tls
    let version = min(tls.versions.upperBound, .tls12)
    let signer: SignatureScheme.KeyKind? =
      switch exchange {
      case .ecdheECDSA: .ecdsa
      case .ecdheRSA, .dheRSA: .rsa
      default: nil
      }
    // Before TLS 1.2, the key alone determines the scheme (RFC 5246 section 7.4.1.4.1).
    let isSignable = signer == nil || version < .tls12 || tls.signatureSchemes.contains { $0.keyKind == signer }
    return isSignable
      && tls.cipherSuites.contains { $0.keyExchange == exchange && $0.isImplemented && $0.isUsable(in: version) }
  }

  /// The server's credentials whose keys the attackers do not know.
  var unknownCredentials: [ServerCredentials] {
    plan.server.tls.allCredentials.filter { !knows.contains($0.privateKeyName) }
  }

  func issue(_ host: String, by authority: CertificateAuthority, for key: PrivateKey? = nil) -> Certificate? {
    let address = IPAddress(host).map { GeneralName.ipAddress($0.bytes) }
    // Some clients treat an address in commonName as a dNSName, to which other constraints apply.
    let subject = DistinguishedName(commonName: address == nil ? host : "The attackers")
    var template = CertificateTemplate.server(
      subject, names: [address ?? .dnsName(host)], notBefore: at.adding(days: -1),
      notAfter: at.adding(days: Self.lifetime))
    template.signatureScheme = scheme(of: authority.key)
    if plan.network.status.isPublished {
      (template.responderLocations, template.crlLocations) = ([Self.statusLocation], [Self.statusLocation])
    }
    var random = Self.random
    let subjectKey = (key ?? ownKey).publicKey
    guard plan.client.trust.evidence.logs != nil else {
      return try? authority.issue(template, for: subjectKey, random: &random)
    }
    return try? authority.issue(template, for: subjectKey, loggedBy: Self.logs, at: at, random: &random).certificate
  }

  /// The logs that clients know and that accept every chain to a root (RFC 6962 section 3.1).
  ///
  /// There are as many logs as a certificate of attackers needs.
  static let logs = ["Log of everyone 1", "Log of everyone 2"].map {
    LogOperator($0, operator: $0, key: .ec(KeyStore.ecKey(owner: "log/\($0)", curve: .p256)))
  }

  /// The location of the revocation status of the attackers' certificates.
  private static let statusLocation = "http://\(ownName)/status"

  /// The certificates with known keys that sign OCSP responses for the CA that issued them (RFC 6960 section 4.2.2.2).
  var delegates: [Holding] {
    holdings.filter { holding in
      let purposes = holding.chain.first?.extendedKeyUsage?.purposes ?? []
      return knows.contains(holding.keyName) && purposes.contains(ExtendedKeyUsage.ocspSigning)
    }
  }

  /// Returns the statuses that `delegate` signs in place of its CA.
  func forgery(by delegate: Holding) -> World.Forgery? {
    guard let signer = delegate.signer else { return nil }
    let issuer = holdings.lazy.compactMap(\.chain.first).first {
      $0.subject == signer.certificate.issuer && signer.certificate.isSigned(by: $0)
    }
    return issuer.map { .delegated(by: signer, issuer: $0) }
  }

  func scheme(of key: PrivateKey) -> SignatureScheme {
    key.publicKey.keyKind == .rsa ? .rsaPKCS1SHA256 : .ecdsaSHA256
  }

  /// An attackers' key of a kind that the client's cipher suites can use.
  var ownKey: PrivateKey {
    if hasRSAKey, let rsaKey { return rsaKey }
    return isOffered(.ecdheECDSA) ? .ec(KeyStore.ecKey(owner: "interceptor", curve: .p256)) : rsaKey ?? rootKey
  }
  var rootKey: PrivateKey { .ec(KeyStore.ecKey(owner: "interceptor's root", curve: .p256)) }
  var rsaKey: PrivateKey? {
    (try? keys.rsaKey(owner: "interceptor", bits: 2048)).map(PrivateKey.rsa)
  }
  static var random: DeterministicRandom { DeterministicRandom(seed: .number(0), label: "attackers") }
}

extension ProxyEndpoint.Configuration {
  /// Returns this impersonation with an attacker that replaces the proxy and accepts every request.
  ///
  /// Traffic to a proxy is in the clear, and no client authenticates the proxy.
  fileprivate func replaced(by party: Party) -> Self {
    var replaced = self
    replaced.party = party
    replaced.authenticator = nil
    return replaced
  }
}

extension World.Plan {
  /// Returns this client's connection to `impostor`, in place of the server, at another time.
  fileprivate func met(
    by impostor: Interceptor, at time: Instant, proposing session: Session?
  ) -> World.Plan {
    var met = alone(on: way.met(by: impostor))
    met.clock = time
    met.client.tls.now = time
    met.client.tls.session = session
    met.client.trust.requirements.date = time
    if let known = client.trust.evidence.logs {
      met.client.trust.evidence.logs = LogList(
        known.logs + Impersonation.logs.map(\.log), version: known.version, timestamp: known.timestamp)
    }
    met.proxy = proxy?.replaced(by: impostor.front.tls.party)
    return met
  }
}
