import Cryptography
import Explanation
import PKIX
import TLS

/// One connection with the runner.
struct Exchange {
  private(set) var options: Options
  /// The options after the server has rejected early data.
  private let retry: Options
  let isResume: Bool
  let credentials: [LoadedCredential]
  var memory: Memory
  var report = Report()
  var connection: Connection
  /// The application data that was received and not processed.
  var inbox: [UInt8] = []
  var hasReceivedClose = false
  /// Whether the shim ends the connection, so that it no longer renegotiates.
  var isClosing = false
  private let socket: RunnerSocket
  private var failure: HandshakeFailure?
  /// The name of a failure that the shim itself decided on.
  private var reason: String?
  /// The effects that were not yet performed. Those of an answer follow those of the step that asked for it.
  private var pending: [ConnectionEffect] = []
  private var isProcessing = false

  /// Connects to the runner and sends it the shim's number.
  init(_ options: Options, retry: Options, _ memory: Memory, isResume: Bool) throws(ShimFailure) {
    self.options = options
    self.retry = retry
    self.memory = memory
    self.isResume = isResume
    credentials = try options.loadedCredentials()
    guard let first = credentials.first else {
      if options.isServer { throw .failed(":NO_CERTIFICATE_SET: the server has no certificate") }
      connection = Connection(try ClientConfiguration(options, memory, []))
      socket = try Self.connected(options)
      return
    }
    connection =
      options.isServer
      ? Connection(try ServerConfiguration(options, memory, first))
      : Connection(try ClientConfiguration(options, memory, credentials))
    socket = try Self.connected(options)
  }

  private static func connected(_ options: Options) throws(ShimFailure) -> RunnerSocket {
    let socket = try RunnerSocket(port: options.port, usesIPv6: options.usesIPv6)
    guard let number = UInt64(String(decoding: options.shimID ?? [48], as: UTF8.self)) else {
      throw .failed("the value of -shim-id is not a number")
    }
    socket.send((0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) })
    return socket
  }

  /// Plays the whole connection. The runner sees the last alert even if it fails.
  mutating func run() -> Result<Void, ShimFailure> {
    defer { socket.drain() }
    do throws(ShimFailure) {
      try handshake()
      try converse()
      try checkTicket()
      try shutDown()
      try finish()
      return .success(())
    } catch {
      return .failure(error)
    }
  }

  private mutating func handshake() throws(ShimFailure) {
    if options.isServer { try readClientHello() }
    process(connection.start())
    while report.parameters == nil {
      guard try readRecord() else { throw .failed(":UNEXPECTED_EOF: the runner ended the handshake") }
      if connection.maySend { answerInbox() }
    }
    try checkFailure()
    if report.parameters?.version == .tls13, let flag = options.flagsOfTLS13.first { throw .unimplemented(flag) }
    if options.skipsExpectations { return }
    try options.expected.check(report, options, isResume: isResume)
    let reason = report.earlyDataReason(options, offered: memory.session)
    if let expected = options.expected.earlyDataReason, expected != Array(reason.utf8) {
      throw .failed("another reason about early data: \(reason)")
    }
  }

  /// Reads until the ClientHello is complete, and then configures the server for it.
  ///
  /// A trial connection without suites reads the message and ends, so that the choice costs no key exchange.
  private mutating func readClientHello() throws(ShimFailure) {
    guard let first = credentials.first else { return }
    var configuration = try ServerConfiguration(options, memory, first)
    var trialConfiguration = configuration
    trialConfiguration.cipherSuites = []
    var trial = Connection(trialConfiguration)
    var received: [UInt8] = []
    var hello: ClientHello?
    while hello == nil, !trial.isOver {
      let record = readRecordBytes()
      guard !record.isEmpty else { break }
      received += record
      for case .received(let message) in trial.receive(record) {
        if case .handshake(let message) = message.content, case .clientHello(let found) = message.body { hello = found }
      }
    }
    if let hello {
      configuration = try self.configuration(for: hello)
      connection = Connection(configuration)
      try refuseByCallback(hello)
    }
    process(connection.receive(received))
    try checkFailure()
  }

  /// The server's configuration with the first credential that serves this client.
  private mutating func configuration(for hello: ClientHello) throws(ShimFailure) -> ServerConfiguration {
    var variants: [(LoadedCredential, ServerConfiguration)] = []
    for credential in credentials where credential.suits(hello) {
      var variant = try ServerConfiguration(options, memory, credential)
      try variant.adapt(to: hello, options)
      variants.append((credential, variant))
    }
    for (credential, variant) in variants {
      guard let agreement = variant.agreement(with: hello) else { continue }
      report.selectedCredential = credential.number
      var chosen = variant
      // Like BoringSSL, the server resumes no session whose suite it would not choose now.
      chosen.cipherSuites = [agreement.cipherSuite]
      return chosen
    }
    if let last = variants.last { return last.1 }
    var refusal = try ServerConfiguration(options, memory, credentials[0])
    refusal.cipherSuites = []
    return refusal
  }

  /// Ends the connection if one of the runner's callbacks refuses the client.
  private mutating func refuseByCallback(_ hello: ClientHello) throws(ShimFailure) {
    let offersProtocols = hello.extensions?.applicationProtocols != nil
    let asksForStatus = hello.extensions?.asksForStatus == true
    let refusals: [(Bool, AlertDescription, String)] = [
      (options.failsEarlyCallback, .handshakeFailure, ":CONNECTION_REJECTED:"),
      (options.failsProtectionCallback, .internalError, ":CONNECTION_REJECTED:"),
      (options.failsCertificateCallback, .internalError, ":CERT_CB_ERROR:"),
      (options.selectsEmptyProtocol && offersProtocols, .internalError, ":INVALID_ALPN_PROTOCOL:"),
      (options.usesOCSPCallback && options.failsOCSP && asksForStatus, .internalError, ":OCSP_CB_ERROR:"),
    ]
    guard let (_, alert, name) = refusals.first(where: \.0) else { return }
    abort(alert, name)
    try checkFailure()
  }

  /// Ends the connection with an alert, for a reason outside TLS.
  mutating func abort(_ alert: AlertDescription, _ name: String) {
    reason = reason ?? name
    process(connection.abort(alert))
  }

  func checkFailure() throws(ShimFailure) {
    guard let failure else {
      if let reason { throw .failed(reason) }
      return
    }
    throw .failed("\(reason ?? failure.boringSSLName(options)) \(failure.finding.rule.id) \(failure.alert)")
  }
}

/// Reading from the runner.
extension Exchange {
  /// The bytes of the next record. They are incomplete at the end, or if the header is not that of a record.
  private func readRecordBytes() -> [UInt8] {
    let header = socket.read(Record.headerLength)
    guard header.count == Record.headerLength, (20...24).contains(header[0]) else { return header }
    let length = Int(header[3]) << 8 | Int(header[4])
    guard length <= Record.maximumCiphertext else { return header }
    return header + socket.read(length)
  }

  /// Reads and processes one record, and returns whether there was one. Nothing follows close_notify.
  mutating func readRecord() throws(ShimFailure) -> Bool {
    if hasReceivedClose { return false }
    let bytes = readRecordBytes()
    if bytes.isEmpty { return false }
    receive(bytes)
    try checkFailure()
    return true
  }

  /// Processes a record. A request for another handshake may be refused or ignored in a way that TLS does not have.
  private mutating func receive(_ bytes: [UInt8]) {
    let before = connection
    let effects = connection.receive(bytes)
    guard let parameters = report.parameters, parameters.version < .tls13, effects.contains(where: \.requestsHandshake)
    else { return process(effects) }
    switch options.renegotiation {
    case .freely where !isClosing: process(effects)
    case .once where !isClosing && report.handshakes == 1: process(effects)
    case .ignore where !options.isServer:
      connection = before
      connection.skip(bytes)
    case .never, .once, .freely, .ignore:
      connection = before
      abort(.noRenegotiation, ":NO_RENEGOTIATION:")
    }
  }

  /// Performs the effects of a step of the connection, after those that are still pending.
  mutating func process(_ effects: [ConnectionEffect]) {
    pending += effects
    guard !isProcessing else { return }
    isProcessing = true
    while !pending.isEmpty { perform(pending.removeFirst()) }
    isProcessing = false
  }

  private mutating func perform(_ effect: ConnectionEffect) {
    switch effect {
    case .send(let message):
      report.note(message, isReceived: false)
      socket.send(message.bytes)
    case .received(let message): report.note(message, isReceived: true)
    case .evaluateCertificate(let shown): evaluate(shown)
    case .chooseIdentity(let request): chooseIdentity(for: request)
    case .derived(let value): note(value)
    case .established(let session): store(session)
    case .resumed(let session): resume(session)
    case .connected(let parameters): connected(parameters)
    case .applicationData(let bytes): inbox += bytes
    case .failed(let failure):
      self.failure = self.failure ?? failure
      forgetSession(failure)
    case .peerClosed, .closed: hasReceivedClose = true
    case .answeredEarlyData(let isAccepted): if !isAccepted { options = retry }
    case .spent(let ticket): memory.sessions.spend(ticket)
    case .found: break
    }
  }

  private mutating func note(_ value: Value) {
    guard report.handshakes == 0 else { return }
    if value.id.kind == .masterSecret { report.masterSecret = value.bytes }
    if value.id.kind == .exporterSecret { report.exporterSecret = value.bytes }
  }

  private mutating func connected(_ parameters: ConnectionParameters) {
    report.handshakes += 1
    if let first = report.parameters {
      // BoringSSL lets a renegotiation change neither. RFC 7627 section 5.4 advises it for the extended master secret.
      if first.hasExtendedMasterSecret != parameters.hasExtendedMasterSecret {
        abort(.handshakeFailure, ":RENEGOTIATION_EMS_MISMATCH:")
      } else if first.version != parameters.version {
        abort(.protocolVersion, ":WRONG_SSL_VERSION:")
      }
      return
    }
    report.parameters = parameters
    report.group = parameters.group ?? report.group
    memory.origins[report.masterSecret] = report
  }

  /// Stores a session that later connections may resume. A renegotiation results in none.
  private mutating func store(_ session: Session) {
    guard report.handshakes == 0 || report.parameters?.version == .tls13 else { return }
    report.session = session
    if options.isServer { memory.sessions.store(session) }
  }

  private mutating func resume(_ session: Session) {
    report.resumedSession = session
    switch session {
    case .tls12(let session): report.resume(memory.origins[session.schedule.masterSecret])
    case .tls13: report.resume(memory.previous)
    }
    guard options.verifiesOnResume, !options.isServer, options.failsVerification, options.insistsOnVerification else {
      return
    }
    abort(options.refusalAlert, ":CERTIFICATE_VERIFY_FAILED:")
  }

  /// A fatal alert also ends the session (RFC 5246 section 7.2.2).
  private mutating func forgetSession(_ failure: HandshakeFailure) {
    guard failure.endsSession, let session = report.session else { return }
    memory.sessions.remove(session)
  }
}

extension ConnectionEffect {
  /// Whether the peer requests another handshake.
  fileprivate var requestsHandshake: Bool {
    guard case .received(let message) = self else { return false }
    return message.handshakeType == .helloRequest || message.handshakeType == .clientHello
  }
}

extension Connection {
  /// Ignores a record, whose sequence number still counts.
  fileprivate mutating func skip(_ bytes: [UInt8]) {
    guard bytes.count >= Record.headerLength else { return }
    let version = ProtocolVersion(rawValue: UInt16(bytes[1]) << 8 | UInt16(bytes[2]))
    _ = unwrap(Record(bytes: bytes, ContentType(rawValue: bytes[0]), version))
  }
}
