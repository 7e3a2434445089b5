import Cryptography
import Explanation
import TLS

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The state that the shim keeps between its connections.
struct Memory: Sendable {
  /// The client's session of the connection before.
  var session: Session?
  /// The facts of the connection that established the session. A resumption before TLS 1.3 does not repeat them.
  var origins: [[UInt8]: Report] = [:]
  /// The facts of the connection before. Its tickets of TLS 1.3 have a key each.
  var previous: Report?
  /// The server's sessions.
  var sessions = SessionCache()
  let ticketKey: SessionTicketKey?
  /// The number of seconds by which the runner has advanced the clock.
  var delay: Int64 = 0

  init() {
    var random = DeterministicRandom(seed: nil, label: "ticket key")
    ticketKey = SessionTicketKey(ValueName(.sessionTicketKey), random.bytes(SessionTicketKey.count))
  }

  var now: Instant { Instant(secondsSince1970: Int64(time(nil)) + delay) }
}

extension Options {
  /// The enabled versions.
  ///
  /// As in BoringSSL, they are contiguous: the first enabled version, and those after it up to the first disabled one.
  func versions() throws(ShimFailure) -> ClosedRange<ProtocolVersion> {
    let (oldest, newest) = (minimumVersion ?? 0x0301, maximumVersion ?? 0x0304)
    let enabled = ProtocolVersion.implemented.drop { version in
      version < .tls10 || version.rawValue < oldest || disabledVersions.contains(Int(version.rawValue))
    }.prefix { $0.rawValue <= newest && !disabledVersions.contains(Int($0.rawValue)) }
    guard let first = enabled.first, let last = enabled.last else {
      throw .failed(":NO_SUPPORTED_VERSIONS_ENABLED: no version is enabled")
    }
    return first...last
  }

  func cipherPreferences() throws(ShimFailure) -> CipherPreferences {
    guard let ciphers else { return .standard }
    return try CipherPreferences(String(decoding: ciphers, as: UTF8.self))
  }

  /// The suites of TLS 1.3, if it is enabled. BoringSSL's cipher list does not affect them.
  static func suites13(_ versions: ClosedRange<ProtocolVersion>) -> [CipherSuite] {
    versions.contains(.tls13) ? [.aes128GCMSHA256, .aes256GCMSHA384, .chacha20Poly1305SHA256] : []
  }

  func namedGroups(_ versions: ClosedRange<ProtocolVersion>) throws(ShimFailure) -> [NamedGroup] {
    if groups.isEmpty { return [.x25519, .secp256r1, .secp384r1] }
    let named = groups.map { NamedGroup(rawValue: UInt16(truncatingIfNeeded: $0)) }
    if let unknown = named.first(where: { !$0.isImplemented && !$0.isImplemented13 }) {
      throw .unimplemented("the group \(unknown)")
    }
    return versions.contains(.tls13) ? named : named.filter(\.isImplemented)
  }

  /// The groups of the key shares in the shim's ClientHello of TLS 1.3.
  ///
  /// Without a flag, these are the first classical group and the first hybrid one.
  func keyShareGroups(_ groups: [NamedGroup]) throws(ShimFailure) -> [NamedGroup] {
    if sendsNoKeyShares { return [] }
    if keyShares.isEmpty {
      let firsts = [groups.first(where: \.isImplemented), groups.first { !$0.isImplemented }]
      return groups.filter(firsts.contains)
    }
    let named = keyShares.map { NamedGroup(rawValue: UInt16(truncatingIfNeeded: $0)) }
    if let unknown = named.first(where: { !$0.isImplemented13 }) { throw .unimplemented("the group \(unknown)") }
    return named
  }

  /// The schemes that the shim accepts from its peer.
  func verificationSchemes() throws(ShimFailure) -> [SignatureScheme] {
    if verifyPreferences.isEmpty { return SignatureScheme.verification }
    let known = verifyPreferences.compactMap(SignatureScheme.init)
    guard !known.isEmpty else { throw .unimplemented("the signature schemes \(verifyPreferences)") }
    return known
  }

  /// The names of CAs that a flag lists in hexadecimal.
  static func distinguishedNames(_ list: [UInt8]?) -> [[UInt8]] {
    let text = String(decoding: list ?? [], as: UTF8.self)
    if ["<NULL>", "<EMPTY>"].contains(text) { return [] }
    return text.split(separator: ",").compactMap { Hex.bytes(String($0)) }
  }
}

extension ClientConfiguration {
  /// The configuration of the shim as a client.
  init(_ options: Options, _ memory: Memory, _ credentials: [LoadedCredential]) throws(ShimFailure) {
    let versions = try options.versions()
    // An address in place of a name omits server_name, as BoringSSL does without -host-name.
    let host = options.hostName.map { String(decoding: $0, as: UTF8.self) } ?? "127.0.0.1"
    let suites = try options.cipherPreferences().suites
    let usable = (Options.suites13(versions) + suites).filter { suite in
      ProtocolVersion.implemented.contains { versions.contains($0) && suite.isUsable(in: $0) }
    }
    guard !usable.isEmpty else { throw .failed(":NO_CIPHERS_AVAILABLE: no suite fits the enabled versions") }
    self.init(
      host: host, versions: versions, cipherSuites: usable + (options.sendsFallbackSignal ? [.fallback] : []),
      groups: try options.namedGroups(versions), signatureSchemes: try options.verificationSchemes(),
      applicationProtocols: try ApplicationProtocol.list(options.advertisedProtocols ?? []),
      layout: options.clientHelloTemplate, extendedMasterSecret: true, session: options.offered(memory.session),
      now: memory.now,
      random: RandomStreams(seed: nil, party: "client"))
    identity = credentials.first?.clientIdentity
    otherIdentities = credentials.dropFirst().map(\.clientIdentity)
    choosesIdentity = true
    offersTickets = !options.ignoresTickets
    asksForStatus = options.requestsOCSP
    renegotiation = options.renegotiation == .never ? .refused : .secure
    splitsRecords = options.splitsRecords
    keyShareGroups = try options.keyShareGroups(groups)
    earlyData = options.earlyData(memory.session)
  }
}

extension Options {
  /// The early data that the client sends with this session; nil if it sends none.
  fileprivate func earlyData(_ session: Session?) -> [UInt8]? {
    guard usesEarlyData, case .tls13(let session)? = session, session.maximumEarlyData > 0 else { return nil }
    if let before = session.parameters.applicationProtocol {
      let offered = try? ApplicationProtocol.list(advertisedProtocols ?? [])
      guard offered?.contains(before) == true else { return nil }
    }
    return writesFirst ? Array("hello".utf8) : []
  }

  /// The session that the client offers. Without tickets, it offers no session of a ticket either.
  fileprivate func offered(_ session: Session?) -> Session? {
    if ignoresTickets, case .tls12(let session)? = session, session.ticket != nil { return nil }
    return session
  }

  /// The extensions of the shim's ClientHello, in BoringSSL's order.
  fileprivate var clientHelloTemplate: ClientHelloTemplate {
    let timestamps: [Extension] = requestsSCTs ? [.signedCertificateTimestamps([])] : []
    return ClientHelloTemplate(
      extensions: [
        .serverName(nil), .extendedMasterSecret, .renegotiationInfo([]), .supportedGroups([]), .ecPointFormats([0]),
        .applicationProtocols([]), .signatureAlgorithms([]),
      ] + timestamps + [.tls13(.keyShares([])), .tls13(.pskKeyExchangeModes([])), .supportedVersions([])],
      isPadded: true)
  }
}

extension ApplicationProtocol {
  /// The protocols in a list in the form of messages: each name after its length.
  static func list(_ encoded: [UInt8]) throws(ShimFailure) -> [ApplicationProtocol] {
    var rest = encoded[...]
    var list: [ApplicationProtocol] = []
    while let count = rest.popFirst() {
      guard count > 0, rest.count >= count else { throw .failed("the list of application protocols is malformed") }
      list.append(ApplicationProtocol(bytes: Array(rest.prefix(Int(count)))))
      rest = rest.dropFirst(Int(count))
    }
    return list
  }
}

extension ServerConfiguration {
  /// The configuration of the shim as a server, before a ClientHello is known.
  init(_ options: Options, _ memory: Memory, _ credential: LoadedCredential) throws(ShimFailure) {
    let versions = try options.versions()
    self.init(
      certificates: credential.certificates, privateKey: credential.key, privateKeyName: credential.keyName,
      versions: versions, cipherSuites: Options.suites13(versions) + (try options.cipherPreferences().suites),
      preference: options.usesServerOrder ? .server : .client, groups: try options.namedGroups(versions),
      signatureSchemes: try options.verificationSchemes(), extendedMasterSecret: true,
      clientAuthentication: options.clientAuthentication,
      acceptedCAs: Options.distinguishedNames(options.clientCAs), sessions: memory.sessions, now: memory.now,
      random: RandomStreams(seed: nil, party: "server"))
    credentials = credential.serverCredentials
    ticketKeys = options.ignoresTickets ? [] : [memory.ticketKey].compactMap(\.self)
    agreesToFragmentLength = false
    splitsRecords = options.splitsRecords
    sessionLifetime = 2 * 60 * 60
    ticketCount = 2
    if options.usesEarlyData { earlyData = EarlyDataPolicy(maximum: 14336, replayProtection: .none) }
    if options.ignoresTickets { pskModes = [] }
    if options.declinesOCSP, options.usesOCSPCallback { credentials.ocspResponse = nil }
  }

  /// Chooses between equal preferences by the client's offer, and sets the application protocol.
  mutating func adapt(to hello: ClientHello, _ options: Options) throws(ShimFailure) {
    let offersTLS13 = hello.extensions?.supportedVersions?.contains(.tls13) == true
    if offersTLS13, versions.contains(.tls13) { sessionLifetime = 2 * 24 * 60 * 60 }
    let offered = hello.extensions?.supportedGroups
    if options.usesServerOrder {
      cipherSuites = Options.suites13(versions) + (try options.cipherPreferences().ordered(for: hello.cipherSuites))
    } else if let offered {
      groups = offered.filter(groups.contains) + groups.filter { !offered.contains($0) }
    }
    if offersTLS13, versions.contains(.tls13), let first = groups.first(where: { offered?.contains($0) == true }) {
      // BoringSSL chooses the first group even if only another one has a key share.
      groups = [first]
    }
    // RFC 8422 section 4 lets the server choose any curve for such a client. BoringSSL chooses no ECDHE suite.
    if offered == nil { cipherSuites.removeAll { $0.keyExchange == .ecdheRSA || $0.keyExchange == .ecdheECDSA } }
    if options.declinesProtocols { return }
    if options.rejectsProtocols {
      // The client does not offer this name, so that the server finds no common protocol.
      applicationProtocols = [ApplicationProtocol("none of the offered protocols")]
    } else if let selected = options.selectedProtocol, !selected.isEmpty {
      applicationProtocols = [ApplicationProtocol(bytes: selected)]
    }
  }
}

extension Options {
  fileprivate var usesServerOrder: Bool { ciphers != nil || prefersServerOrder }

  fileprivate var clientAuthentication: ClientAuthentication {
    if verifiesPeer { return .optional }
    return requiresClientCertificate ? .required : .none
  }
}
