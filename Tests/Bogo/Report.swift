import Cryptography
import Explanation
import TLS

/// The facts of one connection that the runner's expectations refer to.
struct Report: Sendable {
  var clientHello: ClientHello?
  var serverRandom: [UInt8] = []
  var peerCertificates: [[UInt8]] = []
  var ocspResponse: [UInt8]?
  var sctList: [UInt8]?
  var request: Request?
  /// The algorithm with which the peer signed.
  var signatureAlgorithm: SignatureAndHashAlgorithm?
  var group: NamedGroup?
  /// The content of the first Finished message, `tls-unique` of RFC 5929.
  var firstFinished: [UInt8]?
  var hasRetryRequest = false
  /// Whether the server chose TLS 1.3.
  var isTLS13 = false
  /// Whether the server accepted the client's early data; nil if the client sent none.
  var acceptsEarlyData: Bool?
  /// Whether the peer's certificate does not allow the use of its key.
  var hasInvalidKeyUsage = false
  /// The parameters of the first handshake.
  var parameters: ConnectionParameters?
  /// The number of completed handshakes.
  var handshakes = 0
  /// The session that was established last.
  var session: Session?
  var masterSecret: [UInt8] = []
  var exporterSecret: [UInt8] = []
  var selectedCredential: Int?
  var isResumed = false
  /// The session that was resumed.
  var resumedSession: Session?
  /// All messages in order, in the form of BoringSSL's message callback.
  var messages = ""

  /// The content of a CertificateRequest.
  struct Request: Sendable {
    let certificateTypes: [UInt8]
    let algorithms: [SignatureAndHashAlgorithm]
    let authorities: [[UInt8]]
  }

  /// Records a message. `isReceived` is false for the shim's own messages.
  mutating func note(_ message: ProtocolMessage, isReceived: Bool) {
    let name: String
    switch message.content {
    case .handshake(let handshake):
      note(handshake, isReceived: isReceived)
      name = "hs \(handshake.bytes.first ?? 0)"
    case .changeCipherSpec: name = "ccs"
    case .alert(let alert): name = "alert \(alert.level.rawValue) \(alert.description.rawValue)"
    default: return
    }
    messages += "\(isReceived ? "read" : "write") \(name)\n"
  }

  private mutating func note(_ message: HandshakeMessage, isReceived: Bool) {
    switch message.body {
    case .clientHello(let hello): clientHello = clientHello ?? hello
    case .serverHello(let hello): note(hello)
    case .finished(let finished): firstFinished = firstFinished ?? finished.verifyData
    case .certificateRequest(let request):
      self.request = Request(
        certificateTypes: request.certificateTypes, algorithms: request.supportedSignatureAlgorithms ?? [],
        authorities: request.certificateAuthorities)
    case .encryptedExtensions(let answer):
      guard clientHello?.offersEarlyData == true else { return }
      acceptsEarlyData = answer.extensions.contains(.earlyData)
    case .certificateRequest13(let request):
      self.request = Request(
        certificateTypes: [], algorithms: request.extensions.signatureAlgorithms ?? [],
        authorities: request.extensions.certificateAuthorities ?? [])
    case .certificate(let shown) where isReceived:
      for case .signedCertificateTimestamps(let list) in shown.tls13?.extensions.first ?? [] { sctList = list }
    case .serverKeyExchange(.ephemeral(let signed)) where isReceived:
      signatureAlgorithm = signed.signature?.algorithm
    case .certificateVerify(let proof) where isReceived: signatureAlgorithm = proof.signed.algorithm
    default: break
    }
  }

  private mutating func note(_ hello: ServerHello) {
    isTLS13 = hello.choosesTLS13
    if hello.isRetryRequest {
      hasRetryRequest = true
      return
    }
    guard serverRandom.isEmpty else { return }
    serverRandom = hello.random
    for case .signedCertificateTimestamps(let list) in hello.extensions ?? [] { sctList = list }
  }

  /// Adds the facts that a resumption takes from the connection that established its session.
  mutating func resume(_ origin: Report?) {
    isResumed = true
    guard let origin else { return }
    (peerCertificates, ocspResponse, sctList) = (origin.peerCertificates, origin.ocspResponse, origin.sctList)
    signatureAlgorithm = origin.signatureAlgorithm
    group = group ?? origin.group
  }

  /// Exported keying material (RFC 5705 section 4, RFC 8446 section 7.5); nil before the handshake is complete.
  func exported(_ options: Options) -> [UInt8]? {
    guard let parameters, let suite = parameters.cipherSuite.registration, let clientHello else { return nil }
    let label = String(decoding: options.exportLabel ?? [], as: UTF8.self)
    let context = options.usesExportContext ? options.exportContext ?? [] : nil
    if let hash = suite.hash13 {
      return ExpandLabel(hash).exported(
        exporterSecret, label: label, context: context ?? [], count: options.exportedCount)
    }
    let length = context.map { [UInt8(truncatingIfNeeded: $0.count >> 8), UInt8(truncatingIfNeeded: $0.count)] + $0 }
    return Negotiated(version: parameters.version, suite: suite).prf.output(
      secret: masterSecret, label: label, seed: clientHello.random + serverRandom + (length ?? []),
      count: options.exportedCount)
  }
}

extension ClientHello {
  /// Whether the client sends early data.
  var offersEarlyData: Bool { extensions?.contains(.earlyData) == true }
}

/// Why early data was accepted, rejected or not sent, in BoringSSL's words.
extension Report {
  /// The reason after the handshake. `offered` is the client's session of the connection before.
  func earlyDataReason(_ options: Options, offered: Session?) -> String {
    if !options.usesEarlyData { return "disabled" }
    if parameters?.version != .tls13 { return "protocol_version" }
    if acceptsEarlyData == true { return "accept" }
    return options.isServer ? serverReason : clientReason(offered)
  }

  private func clientReason(_ offered: Session?) -> String {
    guard clientHello?.offersEarlyData == true else {
      guard let offered else { return "no_session_offered" }
      guard case .tls13(let session) = offered else { return "protocol_version" }
      return session.maximumEarlyData == 0 ? "unsupported_for_session" : "alpn_mismatch"
    }
    if hasRetryRequest { return "hello_retry_request" }
    return isResumed ? "peer_declined" : "session_not_resumed"
  }

  private var serverReason: String {
    guard case .tls13(let session)? = resumedSession else {
      return clientHello?.extensions?.preSharedKeys == nil ? "no_session_offered" : "session_not_resumed"
    }
    if session.maximumEarlyData == 0 { return "unsupported_for_session" }
    if clientHello?.offersEarlyData != true { return "peer_declined" }
    if session.parameters.applicationProtocol != parameters?.applicationProtocol { return "alpn_mismatch" }
    return hasRetryRequest ? "hello_retry_request" : "ticket_age_skew"
  }
}
