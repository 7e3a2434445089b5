import Explanation

/// The response of one side when its peer starts a renegotiation (RFC 5746).
public enum Renegotiation: String, Sendable, Hashable, CaseIterable {
  /// This side declines with the warning no_renegotiation, and the connection continues.
  case refused
  /// This side renegotiates if renegotiation_info binds the new handshake to the connection.
  case secure
  /// This side always renegotiates, without renegotiation_info, as implementations before 2010 did.
  ///
  /// An attacker can then insert its own data before the client's data (CVE-2009-3555).
  case insecure

  /// Whether this side renegotiates on a connection with or without secure renegotiation.
  func takesPart(isSecure: Bool) -> Bool {
    switch self {
    case .refused: false
    case .secure: isSecure
    case .insecure: true
    }
  }
}

/// The previous handshake, to which a client returns if the server declines a renegotiation.
struct PreviousHandshake: Sendable {
  let parameters: ConnectionParameters
  let configuration: ClientConfiguration
  let names: ValueScope
}

extension RandomStreams {
  /// The random streams of the next handshake on the same connection.
  var renegotiated: RandomStreams {
    RandomStreams(seed: seed, party: party + "/renegotiated", overrides: overrides)
  }
}

extension ClientHello {
  /// The same offer with renegotiation_info of these bytes. If they are nil, the offer has neither the extension nor
  /// the SCSV.
  func indicating(_ verifyData: [UInt8]?) -> ClientHello {
    var hello = self
    hello.cipherSuites.removeAll { $0 == .emptyRenegotiationInfo }
    var list = extensions ?? []
    let position = list.firstIndex { $0.type == .renegotiationInfo }
    if let position { list.remove(at: position) }
    if let verifyData { list.insert(.renegotiationInfo(verifyData), at: position ?? list.count) }
    hello.extensions = list.isEmpty ? nil : list
    return hello
  }
}

extension ClientHandshake12 {
  /// Starts a renegotiation under the current keys, which apply until the next ChangeCipherSpec (RFC 5746 section 3.5).
  mutating func renegotiate(_ event: Event, _ parameters: ConnectionParameters) throws(HandshakeFailure) -> State {
    guard configuration.renegotiation.takesPart(isSecure: parameters.hasSecureRenegotiation) else {
      try log.declineRenegotiation(event)
      return state
    }
    previous = PreviousHandshake(parameters: parameters, configuration: configuration, names: names)
    configuration.bound = parameters.hasSecureRenegotiation ? verifyData : nil
    configuration.session = nil
    configuration.random = configuration.random.renegotiated
    configuration.valueScope = configuration.valueScope.renegotiated
    names = configuration.valueScope
    transcript = Transcript()
    let random = configuration.random.bytes(for: ValueName(.random, of: .client), count: 32)
    log.derive([names.value(.random, of: .client, random, .generated(by: configuration.party), .published)])
    let hello = configuration.offer(random: random)
    try send(.clientHello(hello))
    return .awaitingServerHello(hello)
  }

  /// Whether the server may send application data.
  ///
  /// It may not in the first handshake. In a renegotiation, it may send data under the previous keys until its
  /// ChangeCipherSpec (RFC 5246 section 6.2.1).
  var takesData: Bool {
    switch state {
    case .connected: true
    case .awaitingFinished, .closed: false
    default: previous != nil
    }
  }

  /// The state after the server declined the renegotiation: the connection continues as before.
  mutating func cancelRenegotiation() -> State? {
    guard let previous else { return nil }
    (configuration, names, order) = (previous.configuration, previous.names, .complete)
    self.previous = nil
    return .connected(previous.parameters)
  }
}

extension ServerHandshake12 {
  /// Starts a renegotiation, which is always a full handshake (RFC 5746 section 3.7).
  mutating func renegotiate(
    _ event: Event, _ offer: ClientHello, _ message: HandshakeMessage, _ parameters: ConnectionParameters
  ) throws(HandshakeFailure) -> State {
    guard settings.renegotiation.takesPart(isSecure: parameters.hasSecureRenegotiation) else {
      try log.declineRenegotiation(event)
      return state
    }
    let (random, scope) = (configuration.random.renegotiated, configuration.valueScope.renegotiated)
    configuration = settings
    configuration.bound = parameters.hasSecureRenegotiation ? verifyData : nil
    (configuration.random, configuration.valueScope) = (random, scope)
    (configuration.sessions, configuration.ticketKeys) = (nil, [])
    if let later = settings.renegotiatedClientAuthentication { configuration.clientAuthentication = later }
    names = scope
    transcript = Transcript()
    transcript.append(message)
    order.skip(to: event, from: .client)
    isRenegotiation = true
    return try processClientHello(offer, parameters.version)
  }

  /// Whether the client may send application data.
  ///
  /// It may not in the first handshake. In a renegotiation, it may send data under the previous keys until its
  /// ChangeCipherSpec (RFC 5246 section 6.2.1).
  var takesData: Bool {
    switch state {
    case .connected: true
    case .awaitingFinished, .closed: false
    default: isRenegotiation
    }
  }

  /// Checks that the client may renegotiate (RFC 5746 sections 3.6 and 3.7).
  mutating func checkRenegotiation(_ offer: ClientHello) throws(HandshakeFailure) {
    if configuration.renegotiation == .insecure { return }
    if let bound = configuration.bound { return try log.checkRenegotiation(offer, boundTo: bound) }
    let info = offer.extensions?.renegotiationInfo
    try log.check(
      .insecureRenegotiation, on: .handshake(.clientHello), offer.supportsSecureRenegotiation, .handshakeFailure,
      required: .word("renegotiation_info"), found: offer.supportsSecureRenegotiation ? .flag(true) : .absent)
    try log.check(
      .illegalParameter, on: .handshake(.clientHello), info ?? [] == [], .handshakeFailure,
      required: .word("an empty renegotiated_connection in the first handshake"), found: .bytes(info ?? []))
  }
}

extension EffectLog {
  /// Checks that the client repeats its previous Finished value in a renegotiation (RFC 5746 section 3.7).
  mutating func checkRenegotiation(_ offer: ClientHello, boundTo bound: VerifyData) throws(HandshakeFailure) {
    let info = offer.extensions?.renegotiationInfo
    try check(
      .unboundRenegotiation, on: .handshake(.clientHello),
      info == bound.client && !offer.cipherSuites.contains(.emptyRenegotiationInfo), .handshakeFailure,
      required: .bytes(bound.client), found: info.map(Detail.bytes) ?? .absent)
  }

  /// Checks a server's renegotiation_info (RFC 5746 sections 3.4 and 3.5).
  ///
  /// The extension must be empty in the first handshake, and contain both previous Finished values in a renegotiation.
  mutating func checkRenegotiation(_ info: [UInt8]?, boundTo bound: VerifyData?) throws(HandshakeFailure) {
    if let bound {
      return try check(
        .unboundRenegotiation, on: .handshake(.serverHello), info == bound.client + bound.server, .handshakeFailure,
        required: .bytes(bound.client + bound.server), found: info.map(Detail.bytes) ?? .absent)
    }
    try check(
      .insecureRenegotiation, on: .handshake(.serverHello), info != nil, .handshakeFailure,
      required: .word("renegotiation_info"), found: info == nil ? .absent : .word("renegotiation_info"))
    try check(
      .illegalParameter, on: .handshake(.serverHello), info ?? [] == [], .handshakeFailure,
      required: .word("an empty renegotiated_connection in the first handshake"), found: .bytes(info ?? []))
  }
}
