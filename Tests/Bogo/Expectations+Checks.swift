import TLS

extension Expectations {
  /// Checks the facts of a connection right after its first handshake.
  func check(_ report: Report, _ options: Options, isResume: Bool) throws(ShimFailure) {
    guard let parameters = report.parameters else { throw .failed("the handshake is not complete") }
    try checkSession(report, parameters, options, isResume: isResume)
    try checkAlgorithms(report, parameters)
    try checkNames(report, parameters, options)
    try checkAuthentication(report, options)
    try checkRequest(report, options)
    try require("extended_master_secret", !hasExtendedMasterSecret || parameters.isSecure(\.hasExtendedMasterSecret))
    try require(
      "secure renegotiation", !hasSecureRenegotiation || parameters.isSecure(\.hasSecureRenegotiation))
    try require(
      "no secure renegotiation", !hasNoSecureRenegotiation || !parameters.isSecure(\.hasSecureRenegotiation))
    try require("a HelloRetryRequest", !hasRetryRequest || report.hasRetryRequest)
    try require("no HelloRetryRequest", !hasNoRetryRequest || !report.hasRetryRequest)
    try require("early data", !acceptsEarlyData || report.acceptsEarlyData == true)
    try require("rejected early data", !rejectsEarlyData || report.acceptsEarlyData != true)
    try require("no offer of early data", !offersNoEarlyData || report.clientHello?.offersEarlyData != true)
  }

  private func require(_ fact: String, _ holds: Bool) throws(ShimFailure) {
    if !holds { throw .failed("expected \(fact)") }
  }

  private func checkSession(
    _ report: Report, _ parameters: ConnectionParameters, _ options: Options, isResume: Bool
  ) throws(ShimFailure) {
    let resumes = isResume && !missesSession
    try require(resumes ? "a resumed session" : "a full handshake", parameters.isResumed == resumes)
    if !options.isServer, parameters.version < .tls13 {
      let isNew = !hasNoSession && (!parameters.isResumed || renewsTicket)
      try require(isNew ? "a new session" : "no new session", (report.session != nil) == isNew)
    }
    guard !isResume else { return }
    try require("a session ID", !storesSession || report.session != nil)
    try require("no session ID", !storesNoSession || report.session == nil)
  }

  private func checkAlgorithms(_ report: Report, _ parameters: ConnectionParameters) throws(ShimFailure) {
    let suite = Int(parameters.cipherSuite.rawValue)
    let facts: [(String, Int?, Int?)] = [
      ("version", version, Int(parameters.version.rawValue)),
      ("suite", cipher, suite), ("suite", cipherWithAESHardware, suite),
      ("group", group, report.group.map { Int($0.rawValue) }),
      ("signature algorithm", signatureAlgorithm, report.signatureAlgorithm.map { Int($0.rawValue) }),
      ("credential", selectedCredential, report.selectedCredential ?? -1),
    ]
    for (name, expected, found) in facts {
      guard let expected, expected != 0 || name == "credential", expected != found else { continue }
      throw .failed("expected the \(name) \(expected), found \(found.map(String.init) ?? "none")")
    }
  }

  private func checkNames(
    _ report: Report, _ parameters: ConnectionParameters, _ options: Options
  ) throws(ShimFailure) {
    let host = report.clientHello?.extensions?.serverName.map { Array($0.utf8) }
    try require("another server_name", serverName == nil || serverName == host)
    try require("no server_name", !hasNoServerName || host == nil)
    let wanted = (options.isServer ? options.selectedProtocol : selectedProtocol) ?? []
    try require("another application protocol", wanted == parameters.applicationProtocol?.bytes ?? [])
    if let advertisedProtocols {
      let list = (report.clientHello?.extensions?.applicationProtocols ?? []).flatMap {
        [UInt8(truncatingIfNeeded: $0.bytes.count)] + $0.bytes
      }
      try require("another ALPN list", advertisedProtocols == list)
    }
  }

  /// Checks the peer's certificates and the stapled data.
  func checkAuthentication(_ report: Report, _ options: Options) throws(ShimFailure) {
    try require("another OCSP response", ocspResponse == nil || ocspResponse == report.ocspResponse)
    try require("another SCT list", sctList == nil || sctList == report.sctList)
    try require("an invalid key usage", !hasInvalidKeyUsage || report.hasInvalidKeyUsage)
    if let file = peerCertificateFile {
      try require("other peer certificates", try PEMFile.certificates(file) == report.peerCertificates)
    }
    if hasNoPeerCertificate { return try require("no peer certificate", report.peerCertificates.isEmpty) }
    let needsCertificate = !options.isServer || options.requiresClientCertificate
    try require("a peer certificate", !needsCertificate || !report.peerCertificates.isEmpty)
  }

  private func checkRequest(_ report: Report, _ options: Options) throws(ShimFailure) {
    let offered = options.isServer ? report.clientHello?.extensions?.signatureAlgorithms : report.request?.algorithms
    if !peerVerifyPreferences.isEmpty, let offered, options.isServer && !report.isResumed || report.request != nil {
      try require("other signature algorithms", peerVerifyPreferences == offered.map { Int($0.rawValue) })
    }
    guard !options.isServer, let request = report.request else { return }
    try require("other certificate types", certificateTypes.map { $0 == request.certificateTypes } ?? true)
    let authorities = clientCAs.map { Options.distinguishedNames($0) }
    try require("other CA names", authorities.map { $0 == request.authorities } ?? true)
  }
}

extension ConnectionParameters {
  /// Whether the connection has a protection that TLS 1.3 always has.
  fileprivate func isSecure(_ property: KeyPath<ConnectionParameters, Bool>) -> Bool {
    version >= .tls13 || self[keyPath: property]
  }
}
