/// The settings of one connection, as the runner's flags state them.
struct Options: Sendable {
  // The transport.
  var port = 0
  var usesIPv6 = false
  var shimID: [UInt8]?
  var resumeCount = 0
  var isHandshakerQuestion = false

  // Parameters that both sides negotiate.
  var isServer = false
  var minimumVersion: Int?
  var maximumVersion: Int?
  var disabledVersions: [Int] = []
  var ciphers: [UInt8]?
  var prefersServerOrder = false
  var groups: [Int] = []
  var keyShares: [Int] = []
  var sendsNoKeyShares = false
  var verifyPreferences: [Int] = []
  var hostName: [UInt8]?
  var sendsFallbackSignal = false
  var ignoresTickets = false
  var splitsRecords = false

  // Credentials, and the evaluation of the peer's.
  var defaultCredential = Credential()
  var credentials: [Credential] = []
  var trustFile: [UInt8]?
  var verifiesPeer = false
  var requiresClientCertificate = false
  var failsVerification = false
  var usesCustomVerification = false
  var verifiesOnResume = false
  var ignoresRSAKeyUsage = false
  var clientCAs: [UInt8]?

  // Application protocols.
  var advertisedProtocols: [UInt8]?
  var selectedProtocol: [UInt8]?
  var selectsEmptyProtocol = false
  var declinesProtocols = false
  var rejectsProtocols = false

  // Stapled data.
  var requestsOCSP = false
  var requestsSCTs = false
  var usesOCSPCallback = false
  var declinesOCSP = false
  var failsOCSP = false

  // Callbacks that refuse a client.
  var failsEarlyCallback = false
  var failsProtectionCallback = false
  var failsCertificateCallback = false

  // The conversation after the handshake.
  var writesFirst = false
  var shutsDown = false
  var checksCloseNotify = false
  var sendsAlert = false
  var writesManySizes = false
  var readSize = 512
  var renegotiation = RenegotiationMode.never
  var exportedCount = 0
  var exportLabel: [UInt8]?
  var exportContext: [UInt8]?
  var usesExportContext = false
  var sendsTLSUnique = false
  var updatesKeys = false
  var updatesKeysBeforeRead = false
  var resumptionDelay = 0
  var usesEarlyData = false
  var skipsExpectations = false
  /// The flags whose effect needs TLS 1.3, and that the shim does not implement. An older version ignores them.
  var flagsOfTLS13: [String] = []

  var expected = Expectations()

  /// The credential that a credential flag changes: the one that was introduced last.
  var currentCredential: Credential {
    get { credentials.last ?? defaultCredential }
    set {
      guard let last = credentials.indices.last else { return defaultCredential = newValue }
      credentials[last] = newValue
    }
  }

  /// Whether a certificate that fails verification ends the connection.
  var insistsOnVerification: Bool { verifiesPeer || requiresClientCertificate }
}

/// The files and settings of one certificate chain of the shim.
struct Credential: Sendable {
  var certificateFile: [UInt8]?
  var keyFile: [UInt8]?
  var signingPreferences: [Int] = []
  var ocspResponse: [UInt8]?
  var sctList: [UInt8]?
  var mustMatchIssuer = false
}

/// The shim's response to a HelloRequest.
enum RenegotiationMode: Sendable {
  /// The shim ends the connection.
  case never
  /// The shim renegotiates once, and ends the connection at the next request.
  case once
  case freely
  case ignore
}

/// The facts that the shim itself checks after the handshake or at the end.
struct Expectations: Sendable {
  var version: Int?
  var cipher: Int?
  var cipherWithAESHardware: Int?
  var group: Int?
  var signatureAlgorithm: Int?
  var peerVerifyPreferences: [Int] = []
  var certificateTypes: [UInt8]?
  var clientCAs: [UInt8]?
  var serverName: [UInt8]?
  var hasNoServerName = false
  var advertisedProtocols: [UInt8]?
  var selectedProtocol: [UInt8]?
  var ocspResponse: [UInt8]?
  var sctList: [UInt8]?
  var missesSession = false
  var hasNoSession = false
  var storesSession = false
  var storesNoSession = false
  var renewsTicket = false
  var hasExtendedMasterSecret = false
  var hasSecureRenegotiation = false
  var hasNoSecureRenegotiation = false
  var hasRetryRequest = false
  var hasNoRetryRequest = false
  var hasNoPeerCertificate = false
  var hasInvalidKeyUsage = false
  var selectedCredential: Int?
  var renegotiations = 0
  var acceptsEarlyData = false
  var rejectsEarlyData = false
  var offersNoEarlyData = false
  var ticketPermitsEarlyData = false
  var earlyDataReason: [UInt8]?
  var peerCertificateFile: [UInt8]?
  /// All messages of the connection in order, one on each line, such as `read hs 2`.
  var messages: [UInt8]?
}
