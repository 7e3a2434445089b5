import TLS

/// The conversation after the handshake.
extension Exchange {
  /// Sends as the flags request, then answers each message with its bytes inverted, until the runner ends.
  mutating func converse() throws(ShimFailure) {
    try sendExports()
    if options.sendsAlert { return abortAsRequested() }
    if options.writesManySizes {
      for count in [0, 1, 255, 256, 257, 16383, 16384, 16385, 32767, 32768, 32769] {
        process(connection.send([UInt8](repeating: 0x42, count: count)))
      }
      return
    }
    if options.writesFirst, report.acceptsEarlyData != true { process(connection.send(Array("hello".utf8))) }
    if options.shutsDown { return }
    repeat {
      answerInbox()
      if options.updatesKeysBeforeRead { updateKeys() }
    } while try readRecord()
    try checkFailure()
  }

  private mutating func sendExports() throws(ShimFailure) {
    if options.exportedCount > 0 {
      guard let exported = report.exported(options) else { throw .failed("failed to export keying material") }
      process(connection.send(exported))
    }
    guard options.sendsTLSUnique else { return }
    guard let value = report.firstFinished, value.count == 12 else { throw .failed("failed to get tls-unique") }
    process(connection.send(value))
  }

  /// Answers the data that was received.
  mutating func answerInbox() {
    while !inbox.isEmpty {
      let part = inbox.prefix(max(1, options.readSize))
      inbox.removeFirst(part.count)
      if options.updatesKeys { updateKeys() }
      process(connection.send(part.map { $0 ^ 0xff }))
    }
  }

  private mutating func updateKeys() { process(connection.updateKeys(requestsPeer: false)) }

  private mutating func abortAsRequested() { process(connection.abort(.decompressionFailure)) }

  /// Sends close_notify. With `-check-close-notify`, the runner's must arrive, and no data after the shim's own.
  mutating func shutDown() throws(ShimFailure) {
    if options.sendsAlert { return }
    isClosing = true
    // Without -check-close-notify, BoringSSL sends none. The trace of its messages would show one.
    if options.expected.messages == nil || options.checksCloseNotify { process(connection.close()) }
    guard options.checksCloseNotify else { return }
    while options.shutsDown, !hasReceivedClose, try readRecord() {
      if !inbox.isEmpty { throw .failed(":APPLICATION_DATA_ON_SHUTDOWN:") }
    }
    if !hasReceivedClose { throw .failed("the runner sent no close_notify") }
  }

  /// Makes the checks that need the whole connection, and stores the session for the next connection.
  mutating func finish() throws(ShimFailure) {
    (memory.session, memory.previous) = (report.session, report)
    if let messages = options.expected.messages, messages != Array(report.messages.utf8) {
      throw .failed("other messages: \(report.messages.split(separator: "\n").joined(separator: ", "))")
    }
    let renegotiations = report.handshakes - 1
    guard renegotiations == options.expected.renegotiations else {
      throw .failed("expected \(options.expected.renegotiations) renegotiations, found \(renegotiations)")
    }
  }

  /// Checks whether the server has sent a ticket of TLS 1.3. A side that ends the connection at once reads none.
  func checkTicket() throws(ShimFailure) {
    guard report.parameters?.version == .tls13, !options.isServer, !options.sendsAlert else { return }
    let expectsSession = !options.expected.hasNoSession && !options.shutsDown
    if expectsSession != (report.session != nil) {
      throw .failed("expected \(expectsSession ? "a" : "no") new session")
    }
    guard expectsSession, case .tls13(let session)? = report.session else { return }
    if options.expected.ticketPermitsEarlyData != (session.maximumEarlyData > 0) {
      throw .failed("the ticket permits \(session.maximumEarlyData) bytes of early data")
    }
  }
}
