import Cryptography
import Explanation

/// The server's choices from a client's offer (RFC 5246 sections 7.4.1.3 and 7.4.3, appendix E.1).
extension ServerHandshake12 {
  /// Selects the deciding side's first suite for which a group and a signature scheme are available.
  mutating func chooseSuite(
    _ offer: ClientHello, _ version: ProtocolVersion
  ) throws(HandshakeFailure) -> Choice {
    let scheme = configuration.firstScheme(offer, version)
    let common = configuration.commonSuites(offer, version)
    let missing = configuration.missingGroups(offer, for: common)
    let chosen = configuration.firstSuite(offer, version)
    let needsGroup = chosen == nil && !common.isEmpty
    try log.check(
      .noCommonSuite, !common.isEmpty, .handshakeFailure,
      required: .anyOf(boxed.value.cipherSuites.map(\.name)),
      found: .words(offer.cipherSuites.filter(\.isSelectable).map(\.name)))
    try log.check(
      .noCommonGroup, !needsGroup || missing.isEmpty, .handshakeFailure,
      required: .anyOf(missing.map(\.description)),
      found: .words((offer.extensions?.supportedGroups ?? []).map(\.description)))
    try log.check(
      .noCommonSignatureScheme, !needsGroup || scheme != nil, .handshakeFailure,
      required: .anyOf(boxed.value.signatureSchemes.map(\.name)),
      found: .words((offer.extensions?.signatureAlgorithms ?? []).map(\.description)))
    guard let chosen, chosen.isImplemented else {
      throw log.failure(
        .suiteNotImplemented, .handshakeFailure, required: .anyOf(CipherSuite.defaults.map(\.name)),
        found: chosen.map { .word($0.name) } ?? .absent)
    }
    return Choice(chosen, version, configuration, offer)
  }

}

extension EffectLog {
  /// Checks that both sides have an application protocol in common if both list some (RFC 7301 section 3.2).
  mutating func checkApplicationProtocol(
    _ offer: ClientHello, _ configuration: ServerConfiguration
  ) throws(HandshakeFailure) {
    guard configuration.namesProtocols(offer) else { return }
    try check(
      .noApplicationProtocol, configuration.applicationProtocol(offer) != nil, .noApplicationProtocol,
      required: .anyOf(configuration.applicationProtocols.map(\.description)),
      found: .words((offer.extensions?.applicationProtocols ?? []).map(\.description)))
  }
}

extension ServerHandshake12 {
  /// The parameters that the server chose from the offer.
  public struct Choice: Sendable, Hashable {
    /// The version and suite of the connection.
    public let negotiated: Negotiated
    /// The curve of ECDHE; nil for other key exchanges.
    public let curve: NamedGroup?
    /// The finite-field group of DHE; nil for other key exchanges.
    public let field: DHGroup?
    /// The signature scheme of the key exchange; nil if it is not signed.
    public let signatureScheme: SignatureScheme?
    /// The scheme as encoded with the signature; nil before TLS 1.2, because messages do not contain it.
    var signatureAlgorithm: SignatureAndHashAlgorithm? {
      negotiated.namesSignatureAlgorithms ? signatureScheme.map(SignatureAndHashAlgorithm.init) : nil
    }

    /// The registered properties of the suite.
    var suite: CipherSuite.Registration { negotiated.suite }

    fileprivate init(
      _ suite: CipherSuite.Registration, _ version: ProtocolVersion, _ configuration: ServerConfiguration,
      _ offer: ClientHello
    ) {
      let kind = suite.keyExchange.ephemeralKind
      negotiated = Negotiated(version: version, suite: suite)
      curve = kind == .ellipticCurve ? configuration.firstCurve(offer) : nil
      field = kind == .finiteField ? configuration.field(offer) : nil
      signatureScheme =
        kind != nil && suite.keyExchange.isAuthenticated ? configuration.firstScheme(offer, version) : nil
    }

    /// The named group; nil if there is no group or it has no name.
    public var group: NamedGroup? { curve ?? field.flatMap(NamedGroup.init) }

    func keyShare(_ random: RandomStreams) -> KeyShare? {
      curve.flatMap { KeyShare($0, of: .server, random: random) }
        ?? field.flatMap { KeyShare($0, of: .server, random: random) }
    }
  }
}

extension ServerConfiguration {
  /// The version and suite that the server would select, even if they are not implemented; nil if none are common.
  public func agreement(with offer: ClientHello) -> (version: ProtocolVersion, cipherSuite: CipherSuite)? {
    // RFC 6066 section 3: the server may end the handshake if it does not recognize the name.
    if unrecognizedName == .fatal, let name = offer.extensions?.serverName, !recognizes(name) { return nil }
    let version = newestVersion(offer)
    guard otherCredentials.isEmpty else {
      return (version == .tls13 ? showing13(offer) : showing(offer)).agreement(with: offer)
    }
    if version == .tls13 { return agreement13(with: offer).map { (.tls13, $0) } }
    guard let version, let suite = firstSuite(offer, version)?.suite,
      !namesProtocols(offer) || applicationProtocol(offer) != nil
    else { return nil }
    return (version, suite)
  }

  /// The first common suite for which the required group and signature scheme are available.
  fileprivate func firstSuite(_ offer: ClientHello, _ version: ProtocolVersion) -> CipherSuite.Registration? {
    let canSign = firstScheme(offer, version) != nil
    return commonSuites(offer, version).first { suite in
      guard suite.keyExchange.ephemeralKind != nil else { return true }
      return missingGroups(offer, for: [suite]).isEmpty && (canSign || !suite.keyExchange.isAuthenticated)
    }
  }

  /// The suites that both sides support in `version`. A TLS 1.2 suite is not allowed in an older version (RFC 5246
  /// section A.5).
  fileprivate func commonSuites(_ offer: ClientHello, _ version: ProtocolVersion) -> [CipherSuite.Registration] {
    let (first, second) =
      preference == .server ? (cipherSuites, offer.cipherSuites) : (offer.cipherSuites, cipherSuites)
    return first.filter(second.contains).compactMap(\.registration).filter { row in
      (decisions.hasSuite?(row.suite, version) ?? row.isUsable(in: version)) && isServable(row.suite, version)
    }
  }

  /// Whether the suite is implemented and matches the server's key.
  private func isServable(_ suite: CipherSuite, _ version: ProtocolVersion) -> Bool {
    switch suite.keyExchange {
    case .tls13, .signalling, nil: false
    default: privateKey.publicKey.suits(suite, in: version)
    }
  }

  /// The first curve that both sides support. A client without supported_groups accepts any curve (RFC 8422 section 4).
  fileprivate func firstCurve(_ offer: ClientHello) -> NamedGroup? {
    let offered = offer.extensions?.supportedGroups ?? groups
    return groups.first { $0.curve != nil && offered.contains($0) }
  }

  /// The DHE group: the server's own, unless the client offers finite-field groups (RFC 7919 section 4). Nil if the
  /// sides have none in common.
  fileprivate func field(_ offer: ClientHello) -> DHGroup? {
    let offered = (offer.extensions?.supportedGroups ?? []).filter(\.isFiniteField)
    if offered.isEmpty { return dhGroup }
    let own = groups.filter(\.isFiniteField) + [NamedGroup(dhGroup)].compactMap(\.self)
    return own.first(where: offered.contains)?.field
  }

  /// The groups that the ephemeral suites in `suites` need and the client does not offer; one of them would suffice.
  ///
  /// These are the server's groups or the group of its certificate's key, which the client must also support (RFC 8422
  /// section 5.1). The list is empty if no group is missing.
  fileprivate func missingGroups(_ offer: ClientHello, for suites: [CipherSuite.Registration]) -> [NamedGroup] {
    let kinds = Set(suites.compactMap(\.keyExchange.ephemeralKind))
    var missing: [NamedGroup] = []
    if kinds.contains(.ellipticCurve) { missing += missingCurves(offer) }
    if kinds.contains(.finiteField), field(offer) == nil {
      missing += groups.filter(\.isFiniteField) + [NamedGroup(dhGroup)].compactMap(\.self)
    }
    return missing
  }

  private func missingCurves(_ offer: ClientHello) -> [NamedGroup] {
    guard firstCurve(offer) != nil else { return groups.isEmpty ? NamedGroup.implemented : groups }
    guard case .ec(let key) = privateKey.publicKey, let offered = offer.extensions?.supportedGroups
    else { return [] }
    let keyGroup = NamedGroup(key.curve)
    return offered.contains(keyGroup) ? [] : [keyGroup]
  }

  /// The first signature scheme that both sides support. A client without signature_algorithms accepts SHA-1 with any
  /// type of key (RFC 5246 section 7.4.1.4.1). Before TLS 1.2, the key determines the scheme.
  fileprivate func firstScheme(_ offer: ClientHello, _ version: ProtocolVersion) -> SignatureScheme? {
    let key = privateKey.publicKey
    guard version >= .tls12 else { return SignatureScheme(unnamedBy: key) }
    let silent = [SignatureScheme.rsaPKCS1SHA1, .ecdsaSHA1].map(SignatureAndHashAlgorithm.init)
    let offered = offer.extensions?.signatureAlgorithms ?? silent
    return (credentials.signatureSchemes ?? signatureSchemes).first {
      $0.suits(key) && offered.contains(SignatureAndHashAlgorithm($0))
    }
  }
}
