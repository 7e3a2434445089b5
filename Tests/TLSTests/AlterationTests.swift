import Cryptography
import Explanation
import Testing

@testable import TLS

@Suite("An attacker alters messages")
struct AlterationTests {
  static let suites = [
    "TLS_RSA_WITH_AES_128_GCM_SHA256", "TLS_RSA_WITH_AES_128_CBC_SHA", "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
    "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256", "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
  ]

  /// Plays a handshake with one message altered.
  private func handshake(
    _ run: Conversation.Run, altering name: ProtocolMessage.Name, of side: Side,
    _ change: @escaping ([UInt8]) -> [UInt8]
  ) -> Conversation {
    var conversation = Conversation(run)
    conversation.alter = { message, sender in
      message.name == name && sender == side ? change(message.bytes) : message.bytes
    }
    return conversation.ran()
  }

  private func messages(_ suite: Conversation.Run) -> [(Side, ProtocolMessage)] {
    let conversation = Conversation(suite).ran()
    return Side.allCases.flatMap { side in conversation.sent(by: side).map { (side, $0) } }
  }

  static let runs = suites.map { Conversation.Run(version: .tls12, suite: $0) } + Conversation.Run.few

  @Test("every flipped bit is detected: the handshake fails, with a rule that decides", arguments: runs)
  func flippedBits(_ suite: Conversation.Run) { flipBits(suite, perMessage: 3) }

  /// Flips this number of bits in each message, each in its own handshake.
  func flipBits(_ suite: Conversation.Run, perMessage count: Int) {
    var random = DeterministicRandom(seed: .number(4), label: "bits")
    for (side, message) in messages(suite) {
      for _ in 0..<count {
        let draw = random.bytes(3)
        let position = (Int(draw[0]) << 8 | Int(draw[1])) % message.bytes.count
        let conversation = handshake(suite, altering: message.name, of: side) { bytes in
          var bytes = bytes
          bytes[position] ^= 1 << (draw[2] & 7)
          return bytes
        }
        let isComplete = conversation.isConnected
        let place = "\(message.name) byte \(position) bit \(draw[2] & 7)"
        // Nothing protects the version of an unprotected record (RFC 5246 appendix E.1).
        if !message.isProtected, position == 2 { continue }
        #expect(!isComplete, "\(place)")
        let failure = conversation.failure(of: .client) ?? conversation.failure(of: .server)
        // If a record header announces more bytes than follow, the receiver waits for the rest.
        if let failure {
          #expect(failure.finding.refuses, "\(place)")
        } else {
          #expect(position == 3 || position == 4 || (5...8).contains(position), "\(place)")
        }
      }
    }
  }

  @Test("a message truncated at any byte is decode_error, never a trap", arguments: runs)
  func truncation(_ suite: Conversation.Run) { truncate(suite) { $0 < 24 || $0.isMultiple(of: 97) } }

  /// Truncates each unprotected message to each of the chosen lengths.
  func truncate(_ suite: Conversation.Run, to isLookedAt: (Int) -> Bool) {
    for (side, message) in messages(suite) {
      guard case .handshake(let whole) = message.content, !message.isProtected else { continue }
      for length in 0..<(whole.bytes.count - 4) where isLookedAt(length) {
        let body = Array(whole.bytes.dropFirst(4).prefix(length))
        // ServerHello and ClientHello may end before their extensions; then the failure is another one.
        let cut = [whole.type.rawValue, 0, UInt8(length >> 8), UInt8(length & 255)] + body
        let record = Record(type: .handshake, version: .tls12, fragment: cut).bytes
        let conversation = handshake(suite, altering: message.name, of: side) { _ in record }
        #expect(!conversation.isConnected)
        let receiver = conversation.failure(of: side.peer)
        let isDecodeError = receiver?.alert == .decodeError && receiver?.finding.rule == .decodeError
        // The encrypted premaster secret has no length field in SSL 3.0; it fits the key, or it does not.
        let hasLength =
          suite.version > .sslv3 || message.name != .handshake(.clientKeyExchange) || !suite.suite.contains("TLS_RSA")
        #expect(
          isDecodeError || message.name.description.hasSuffix("Hello") || !hasLength, "\(message.name) cut to \(length)"
        )
      }
    }
  }

  @Test("an altered Finished is a record that does not authenticate", arguments: runs)
  func alteredFinishedRecord(_ suite: Conversation.Run) {
    for side in Side.allCases {
      let conversation = handshake(suite, altering: .handshake(.finished), of: side) { bytes in
        bytes.dropLast() + [(bytes.last ?? 0) ^ 1]
      }
      #expect(conversation.failure(of: side.peer)?.alert == .badRecordMAC)
      #expect(conversation.failure(of: side.peer)?.finding.rule == .badMAC)
      #expect(conversation.failure(of: side)?.isOwn == false)
    }
  }

  @Test("a wrong verify_data is finished-mismatch, a right one is not")
  func wrongFinished() throws {
    for isRight in [true, false] {
      var server = Conversation("TLS_RSA_WITH_AES_128_GCM_SHA256").server.handshake
      let conversation = Conversation("TLS_RSA_WITH_AES_128_GCM_SHA256").ran()
      for message in conversation.sent(by: .client) {
        guard case .handshake(let handshake) = message.content else {
          _ = server.handle(.changeCipherSpec)
          continue
        }
        guard case .finished(var finished) = handshake.body else {
          _ = server.handle(.received(handshake))
          continue
        }
        if !isRight { finished.verifyData[3] ^= 1 }
        let failure = server.handle(.received(try HandshakeMessage(.finished(finished)))).failure
        #expect(failure?.finding.rule == (isRight ? nil : .finishedMismatch))
        #expect(failure?.alert == (isRight ? nil : .decryptError))
      }
    }
  }

  @Test("an altered ClientHello is detected at Finished at the latest, because the transcripts differ")
  func alteredHello() {
    let conversation = handshake(
      Conversation.Run(version: .tls12, suite: "TLS_RSA_WITH_AES_128_GCM_SHA256"), altering: .handshake(.clientHello),
      of: .client
    ) { bytes in
      var bytes = bytes
      bytes[11 + 5] ^= 1  // within client_random
      return bytes
    }
    #expect(conversation.failure(of: .server)?.finding.rule == .badMAC)
  }

  @Test("every kind of wrong encrypted premaster secret gets the same response; only the finding differs")
  func premaster() {
    let good = Conversation("TLS_RSA_WITH_AES_128_GCM_SHA256").ran()
    #expect(good.findings(of: .server).first { $0.rule == .premasterMalformed }?.outcome == .satisfied)
    for position in [11, 50, 130] {
      let conversation = handshake(
        Conversation.Run(version: .tls12, suite: "TLS_RSA_WITH_AES_128_GCM_SHA256"),
        altering: .handshake(.clientKeyExchange),
        of: .client
      ) {
        var bytes = $0
        bytes[min(position, bytes.count - 1)] ^= 1
        return bytes
      }
      #expect(conversation.failure(of: .server)?.alert == .badRecordMAC)
      #expect(conversation.findings(of: .server).first { $0.rule == .premasterMalformed }?.outcome == .violated)
    }
  }

  @Test("a wrong version in the premaster secret is treated like wrong padding")
  func premasterVersion() throws {
    var server = Conversation("TLS_RSA_WITH_AES_128_GCM_SHA256").server.handshake
    let conversation = Conversation("TLS_RSA_WITH_AES_128_GCM_SHA256").ran()
    for message in conversation.sent(by: .client).prefix(1) {
      if case .handshake(let hello) = message.content { _ = server.handle(.received(hello)) }
    }
    var padding = DeterministicRandom(seed: .number(1), label: "padding")
    guard case .rsa(let key) = Conversation.rsaKey.publicKey else { throw KeyError.label("tests") }
    let encrypted = try key.encryptPKCS1v15(
      [3, 1] + [UInt8](repeating: 5, count: 46), random: &padding)
    let effects = server.handle(
      .received(try HandshakeMessage(.clientKeyExchange(.rsa(encryptedPremasterSecret: encrypted)))))
    #expect(effects.failure == nil)
    #expect(effects.violated == [.premasterMalformed])
    let values = effects.compactMap { if case .derived(let value) = $0 { value.id } else { nil } }
    #expect(values.contains("substitute_premaster_secret") && !values.contains("premaster_secret"))
  }

  @Test("a malformed premaster secret takes the same steps as a valid one")
  func sameShape() throws {
    let run = Conversation.Run(version: .tls12, suite: "TLS_RSA_WITH_AES_128_CBC_SHA")
    func shape(_ change: @escaping ([UInt8]) -> [UInt8]) -> [String] {
      let played = handshake(run, altering: .handshake(.clientKeyExchange), of: .client, change)
      return played.log.filter { $0.side == .server }.prefix { entry in
        if case .failed = entry.effect { false } else { true }
      }.map { entry in
        switch entry.effect {
        case .derived(let value): "\(value.id.description.replacing("substitute_", with: "")) \(value.bytes.count)"
        case .found(let finding): finding.rule.id
        case .send(let message): message.name.description
        default: ""
        }
      }
    }
    let good = shape { $0 }
    let bad = shape { $0.dropLast() + [($0.last ?? 0) ^ 1] }
    #expect(bad.contains("premaster_secret 48") && Array(good.prefix(bad.count - 1)) == bad.dropLast())
  }

  @Test("a signature over other parameters is bad-signature, unless a mutant skips the check")
  func badSignature() {
    let suite = Conversation.Run(version: .tls12, suite: "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256")
    let change: ([UInt8]) -> [UInt8] = { $0.dropLast() + [($0.last ?? 0) ^ 1] }
    let strict = handshake(suite, altering: .handshake(.serverKeyExchange), of: .server, change)
    #expect(strict.failure(of: .client)?.alert == .decryptError)
    #expect(strict.failure(of: .client)?.finding.rule == .badSignature)
    var client = strict.clientSettings
    client.enforcement = .standard.overriding("handshake.bad-signature", by: .mutant)
    var lax = Conversation(client, strict.serverSettings)
    lax.alter = { message, _ in message.name == .handshake(.serverKeyExchange) ? change(message.bytes) : message.bytes }
    lax.run()
    #expect(lax.failure(of: .client)?.finding.rule != .badSignature)
    #expect(
      lax.findings(of: .client).contains { $0.rule == .badSignature && $0.weight == .overridden(by: .mutant) })
    // An enforcement can depend on the negotiated version.
    client.enforcement = .standard.deciding("handshake.bad-signature") { $0.version.map { $0 < 0x0303 } ?? true }
    var later = Conversation(client, strict.serverSettings)
    later.alter = lax.alter
    later.run()
    #expect(later.failure(of: .client)?.finding.rule == .badSignature)
  }

  @Test("application data that is altered, repeated or dropped is record.bad-mac", arguments: runs)
  func data(_ suite: Conversation.Run) {
    let connected = Conversation(suite).ran()
    var sender = connected.client
    let first = sender.send([1, 2, 3]).sentBytes
    let second = sender.send([4, 5, 6]).sentBytes
    for (bytes, rule) in [
      (first + second, nil), (first + first, Rule.badMAC), (second, .badMAC),
      (first.dropLast() + [first.last.map { $0 ^ 128 } ?? 0], .badMAC),
    ] {
      var receiver = connected.server
      let effects = receiver.receive(bytes)
      let failures = effects.compactMap { if case .failed(let failure) = $0 { failure } else { nil } }
      #expect(failures.map(\.finding.rule) == [rule].compactMap(\.self))
      #expect(receiver.isOver == (rule != nil))
      if rule != nil { #expect(receiver.receive(second).isEmpty) }
    }
  }

  @Test("a client that ignores the MAC reads on, and the violation is reported")
  func ignoredMAC() {
    for suite in Self.suites {
      let good = Conversation(suite)
      var server = good.serverSettings
      server.enforcement = .standard.overriding("record.bad-mac", by: .mutant)
      var conversation = Conversation(good.clientSettings, server)
      conversation.run()
      conversation.alter = { message, side in
        message.name == .applicationData && side == .client && suite.contains("GCM")
          ? message.bytes.enumerated().map { $0.offset == 13 ? $0.element ^ 1 : $0.element } : message.bytes
      }
      conversation.send([0x40, 0x41], from: .client)
      #expect(conversation.data(at: .server) == (suite.contains("GCM") ? [0x41, 0x41] : [0x40, 0x41]))
    }
  }

  @Test(
    "data that is not TLS is detected at its first bytes",
    arguments: [
      ("HTTP/1.1 400 Bad Request\r\n", AlertDescription.unexpectedMessage, Rule.unexpectedRecordType),
      ("\u{16}\u{02}\u{00}\u{00}\u{01}x", .protocolVersion, .recordVersion),
      ("\u{16}\u{03}\u{01}\u{7f}\u{7f}", .recordOverflow, .recordOverflow),
      ("\u{16}\u{03}\u{01}\u{00}\u{00}", .unexpectedMessage, .emptyRecord),
      ("\u{17}\u{03}\u{03}\u{00}\u{01}x", .unexpectedMessage, .unexpectedRecordType),
      ("\u{15}\u{03}\u{03}\u{00}\u{02}\u{03}x", .decodeError, .decodeError),
      ("\u{14}\u{03}\u{03}\u{00}\u{01}x", .unexpectedMessage, .unexpectedMessage),
    ])
  func notTLS(_ text: String, _ alert: AlertDescription, _ rule: Rule) {
    var conversation = Conversation("TLS_RSA_WITH_AES_128_GCM_SHA256")
    _ = conversation.client.start()
    conversation.receive(Array(text.utf8), at: .client)
    #expect(conversation.failure(of: .client)?.alert == alert)
    #expect(conversation.failure(of: .client)?.finding.rule == rule)
    #expect(conversation.client.isOver)
  }
}

/// The checks of `AlterationTests`, at more places.
@Suite("An attacker alters messages, at every byte")
struct AlterationSweep {
  @Test("every flipped bit is detected, and a truncated message is decode_error", arguments: AlterationTests.runs)
  func altered(_ suite: Conversation.Run) {
    AlterationTests().flipBits(suite, perMessage: 12)
    AlterationTests().truncate(suite) { $0 < 300 || $0.isMultiple(of: 7) }
  }
}
