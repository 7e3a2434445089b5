import Cryptography
import Explanation

/// The parameters that a server selects from an offer of TLS 1.3 (RFC 8446 section 4.1.1).
struct Choice13: Sendable {
  let suite: CipherSuite.Registration
  let hash: Hash
  /// The group of the key exchange; nil if only the pre-shared key is used.
  let group: NamedGroup?
  /// The client's share in the group; nil if the server must request one.
  let share: KeyShareEntry?
  /// The scheme of CertificateVerify; nil if a pre-shared key authenticates the server.
  let scheme: SignatureScheme?
  let psk: AcceptedKey?
}

/// A client's pre-shared key that the server knows.
struct AcceptedKey: Sendable {
  let index: UInt16
  let key: PreSharedKey
  /// The server's key that opened the ticket; nil for other pre-shared keys.
  let ticketKey: SessionTicketKey?
  /// Whether the age of the ticket that the client states is near the real age (RFC 8446 section 8.3).
  let isFresh: Bool
}

extension ServerHandshake13 {
  /// Selects the parameters; a pre-shared key decides the hash, the rest is the server's or the client's preference.
  mutating func choose(
    _ offer: ClientHello, _ message: HandshakeMessage, after retry: ServerHello?
  ) throws(HandshakeFailure) -> Choice13 {
    var suites = configuration.commonSuites13(offer)
    if let retry { suites = suites.filter { $0.suite == retry.cipherSuite } }
    try log.check(
      Rule.noCommonSuite.tls13("4.1.1"), !suites.isEmpty, .handshakeFailure,
      required: .anyOf(configuration.cipherSuites.filter { $0.keyExchange == .tls13 }.map(\.name)),
      found: .words(offer.cipherSuites.filter(\.isSelectable).map(\.name)))
    let group = configuration.group13(offer)
    let psk = configuration.preSharedKey(offer, among: suites, names)
    guard let suite = suites.first(where: { psk == nil || $0.hash13 == psk?.key.hash }), let hash = suite.hash13 else {
      throw log.failure(.noCommonSuite.tls13("4.1.1"), .handshakeFailure, found: .absent)
    }
    if let psk { try check(psk, of: offer, message) }
    let modes = offer.extensions?.pskKeyExchangeModes ?? []
    let exchangesKeys = psk == nil || modes.contains(1) && configuration.pskModes.contains(1) && group != nil
    guard exchangesKeys else {
      return Choice13(suite: suite, hash: hash, group: nil, share: nil, scheme: nil, psk: psk)
    }
    let scheme = try psk == nil ? chooseScheme(offer) : nil
    try log.check(
      Rule.noCommonGroup.tls13("4.1.1"), group != nil, .handshakeFailure,
      required: .anyOf(configuration.groups.map(\.description)),
      found: .words((offer.extensions?.supportedGroups ?? []).map(\.description)))
    let share = offer.extensions?.keyShares?.first { $0.group == group }
    return Choice13(suite: suite, hash: hash, group: group, share: share, scheme: scheme, psk: psk)
  }

  private mutating func chooseScheme(_ offer: ClientHello) throws(HandshakeFailure) -> SignatureScheme? {
    try log.require13(
      offer.extensions?.signatureAlgorithms != nil, "4.2.3", on: .clientHello, .missingExtension,
      required: .word("signature_algorithms"), found: .absent)
    let scheme = configuration.scheme13(offer)
    try log.check(
      Rule.noCommonSignatureScheme13, scheme != nil, .handshakeFailure,
      required: .anyOf(configuration.schemes13.map(\.name)),
      found: .words((offer.extensions?.signatureAlgorithms ?? []).map(\.description)))
    return scheme
  }

  /// Checks the binder of the pre-shared key that the server selects, and of no other (RFC 8446 section 4.2.11.2).
  private mutating func check(
    _ psk: AcceptedKey, of offer: ClientHello, _ message: HandshakeMessage
  ) throws(HandshakeFailure) {
    let binders = offer.extensions?.preSharedKeys?.binders ?? []
    let found = binders.indices.contains(Int(psk.index)) ? binders[Int(psk.index)] : []
    let expected = psk.key.binder(transcript, before: message.truncated)
    try log.check(
      Rule.binderMismatch, on: .handshake(.clientHello), ConstantTime.difference(found, expected) == 0, .decryptError,
      required: .bytes(expected), found: .bytes(found))
  }
}

extension ServerConfiguration {
  /// The schemes with which the server's key may sign in TLS 1.3.
  var schemes13: [SignatureScheme] {
    let key = privateKey.publicKey
    let listed = (credentials.signatureSchemes ?? signatureSchemes).filter { $0.suits13(key) }
    guard credentials.signatureSchemes == nil else { return listed }
    // Ed25519 is not in the list that earlier versions use by default.
    return listed.isEmpty ? SignatureScheme.defaults13.filter { $0 == .ed25519 && $0.suits13(key) } : listed
  }

  func scheme13(_ offer: ClientHello) -> SignatureScheme? {
    let offered = offer.extensions?.signatureAlgorithms ?? []
    return schemes13.first { offered.contains(SignatureAndHashAlgorithm($0)) }
  }

  /// The suites of TLS 1.3 that both sides support, in the order of the deciding side.
  func commonSuites13(_ offer: ClientHello) -> [CipherSuite.Registration] {
    let (first, second) =
      preference == .server ? (cipherSuites, offer.cipherSuites) : (offer.cipherSuites, cipherSuites)
    return first.filter(second.contains).compactMap(\.registration).filter { $0.keyExchange == .tls13 }
  }

  /// The server's first group for which the client has a share, otherwise the first that both sides support.
  func group13(_ offer: ClientHello) -> NamedGroup? {
    let shared = (offer.extensions?.keyShares ?? []).map(\.group)
    let common = groups.filter { $0.isImplemented13 && offer.extensions?.supportedGroups?.contains($0) == true }
    return common.first(where: shared.contains) ?? common.first
  }

  /// The version and suite of TLS 1.3 that the server would select; nil if it would end the handshake.
  func agreement13(with offer: ClientHello) -> CipherSuite? {
    guard group13(offer) != nil, scheme13(offer) != nil else { return nil }
    return commonSuites13(offer).first?.suite
  }

  /// The same server with only the first credentials for this client whose key can sign.
  func showing13(_ offer: ClientHello) -> ServerConfiguration {
    let variants = allCredentials(for: offer).map { credentials in
      var variant = self
      (variant.credentials, variant.otherCredentials) = (credentials, [])
      return variant
    }
    return variants.first { $0.scheme13(offer) != nil } ?? variants.first ?? self
  }

  /// The maximum number of pre-shared keys that the server looks at.
  private static let mostKeys = 8

  /// The first offered pre-shared key that the server knows and may use; others are ignored (RFC 8446 section 4.2.11).
  func preSharedKey(
    _ offer: ClientHello, among suites: [CipherSuite.Registration], _ names: ValueScope
  ) -> AcceptedKey? {
    let modes = (offer.extensions?.pskKeyExchangeModes ?? []).filter(pskModes.contains)
    let canAgree = modes.contains(0) || modes.contains(1) && group13(offer) != nil
    guard canAgree, let identities = offer.extensions?.preSharedKeys?.identities else { return nil }
    for (index, identity) in identities.prefix(Self.mostKeys).enumerated() {
      guard let accepted = accepted(identity, UInt16(truncatingIfNeeded: index), offer, names),
        suites.contains(where: { $0.hash13 == accepted.key.hash })
      else { continue }
      return accepted
    }
    return nil
  }

  /// The first offered key, and the suite that protects early data with it (RFC 8446 section 4.2.10).
  ///
  /// The server may not resume its session. Nil if the server does not know the key.
  func earlyKey(_ offer: ClientHello, _ names: ValueScope) -> (psk: PreSharedKey, suite: CipherSuite.Registration)? {
    guard let identity = offer.extensions?.preSharedKeys?.identities.first,
      let session = session(of: identity.identity, names)?.session, let psk = PreSharedKey(session),
      let suite = session.parameters.cipherSuite.registration
    else { return nil }
    return (psk, suite)
  }

  private func accepted(
    _ identity: OfferedPSKs.Identity, _ index: UInt16, _ offer: ClientHello, _ names: ValueScope
  ) -> AcceptedKey? {
    if let external = externalPSKs.first(where: { $0.identity == identity.identity }) {
      return AcceptedKey(index: index, key: PreSharedKey(external), ticketKey: nil, isFresh: false)
    }
    guard let found = session(of: identity.identity, names), isUsable(found.session, for: offer),
      let key = PreSharedKey(found.session)
    else { return nil }
    let stated = Int64(identity.obfuscatedTicketAge &- found.session.ageAdd)
    let age = (now.secondsSince1970 - found.session.established.secondsSince1970).multipliedReportingOverflow(by: 1000)
    let isFresh = !age.overflow && abs(age.partialValue - stated) <= Self.ageTolerance
    return AcceptedKey(index: index, key: key, ticketKey: found.key, isFresh: isFresh)
  }

  /// The difference in milliseconds between the stated and the real age of a ticket that permits early data.
  private static let ageTolerance: Int64 = 10_000

  private func session(of ticket: [UInt8], _ names: ValueScope) -> (session: Session13, key: SessionTicketKey?)? {
    for key in ticketKeys {
      if let state = key.open13(ticket) {
        return (state.session(ticket, pskName: names.name(.psk)), key)
      }
    }
    guard case .tls13(let session)? = sessions?[ticket] else { return nil }
    return (session, nil)
  }

  /// Whether the session may be resumed: recent, for the same host, and with a client certificate if one is required.
  private func isUsable(_ session: Session13, for offer: ClientHello) -> Bool {
    Session.tls13(session).isFresh(at: now) && now <= session.established.adding(seconds: sessionLifetime)
      && offer.extensions?.serverName == session.parameters.serverName
      && (clientAuthentication != .required || session.parameters.hasClientCertificate)
  }
}
