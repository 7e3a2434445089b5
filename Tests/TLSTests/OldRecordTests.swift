import Cryptography
import Explanation
import Testing

@testable import TLS

@Suite("Records of TLS 1.0 and 1.1, and of old ciphers")
struct OldRecordTests {
  private func applicationData(_ conversation: Conversation, _ side: Side) -> [ProtocolMessage] {
    conversation.sent(by: side).filter { $0.name == .applicationData }
  }

  @Test("the IV is the last ciphertext block in TLS 1.0, and explicit in TLS 1.1")
  func vectors() throws {
    for version in [ProtocolVersion.tls10, .tls11, .tls12] {
      for (suite, size) in [("TLS_RSA_WITH_AES_128_CBC_SHA", 16), ("TLS_RSA_WITH_3DES_EDE_CBC_SHA", 8)] {
        var played = Conversation(suite, in: version).ran()
        played.send([1, 2, 3], from: .server)
        played.send([4, 5, 6, 7], from: .server)
        let values = played.values(of: .client)
        let key = try #require(values["server_write_key"]).bytes
        let records = played.sent(by: .server).filter(\.isProtected).flatMap(\.records)
        #expect(records.count == 3)
        #expect((values["server_write_IV"]?.bytes.count ?? 0) == (version == .tls10 ? size : 0))
        var previous = values["server_write_IV"]?.bytes ?? []
        for (record, content) in zip(records.dropFirst(0), [nil, [1, 2, 3], [4, 5, 6, 7]] as [[UInt8]?]) {
          let fragment = record.fragment
          let iv = version == .tls10 ? previous : Array(fragment.prefix(size))
          let blocks = version == .tls10 ? fragment : Array(fragment.dropFirst(size))
          let opened =
            size == 8
            ? try TripleDESCBC.decrypt(blocks, key: key, iv: iv) : try AESCBC.decrypt(blocks, key: key, iv: iv)
          if let content { #expect(opened.starts(with: content), "\(suite) in \(version)") }
          previous = Array(fragment.suffix(size))
        }
      }
    }
  }

  @Test("only a client of TLS 1.0 with a CBC cipher splits records 1/n-1 by default")
  func splitting() {
    func sizes(
      _ suite: String, _ version: ProtocolVersion, _ side: Side = .client,
      _ change: (inout ClientConfiguration, inout ServerConfiguration) -> Void = { _, _ in }
    ) -> [Int] {
      let plain = Conversation(suite, in: version)
      var (client, server) = (plain.clientSettings, plain.serverSettings)
      change(&client, &server)
      var played = Conversation(client, server).ran()
      played.send([UInt8](repeating: 7, count: 20_000), from: side)
      #expect(played.data(at: side.peer) == [UInt8](repeating: 7, count: 20_000))
      return applicationData(played, side).map(\.plaintext.count)
    }
    #expect(sizes("TLS_RSA_WITH_AES_128_CBC_SHA", .tls10) == [1, 16_384, 3_615])
    #expect(sizes("TLS_RSA_WITH_3DES_EDE_CBC_SHA", .tls10) == [1, 16_384, 3_615])
    #expect(sizes("TLS_RSA_WITH_AES_128_CBC_SHA", .tls11) == [16_384, 3_616])
    #expect(sizes("TLS_RSA_WITH_RC4_128_SHA", .tls10) == [16_384, 3_616])
    #expect(
      sizes("TLS_RSA_WITH_AES_128_CBC_SHA", .tls10) { client, _ in client.splitsRecords = false } == [16_384, 3_616])
    #expect(sizes("TLS_RSA_WITH_AES_128_CBC_SHA", .tls10, .server) == [16_384, 3_616])
    #expect(
      sizes("TLS_RSA_WITH_AES_128_CBC_SHA", .tls10, .server) { _, server in server.splitsRecords = true }
        == [1, 16_384, 3_615])
    var single = Conversation("TLS_RSA_WITH_AES_128_CBC_SHA", in: .tls10).ran()
    single.send([9], from: .client)
    #expect(applicationData(single, .client).map(\.plaintext.count) == [1])
  }

  @Test("a single record needs the preceding ciphertext block in TLS 1.0, its position with RC4")
  func derivations() throws {
    var chained = Conversation("TLS_RSA_WITH_AES_128_CBC_SHA", in: .tls10).ran()
    chained.send([1, 2, 3], from: .server)
    let values = chained.values(of: .client)
    #expect(
      values["application_data.server.1"]?.derivations == [
        .computed(
          .recordOpening(cipher: "AES_128_CBC"), from: ["server_write_key", "record_IV.server.1", "record.server.1"])
      ])
    let finished = try #require(chained.sent(by: .server).last { $0.name == .handshake(.finished) })
    #expect(values["record_IV.server.1"]?.bytes == Array(finished.bytes.suffix(16)))
    #expect(values["record_IV.server.1"]?.derivations == [.published])
    #expect(chained.values(of: .server)["record_IV.server.1"]?.bytes == values["record_IV.server.1"]?.bytes)

    var streamed = Conversation("TLS_RSA_WITH_RC4_128_SHA", in: .tls12).ran()
    streamed.send([1, 2, 3], from: .server)
    streamed.send([4], from: .server)
    for (number, offset) in [(1, 36), (2, 59)] {  // Finished and its code; and three bytes with theirs
      #expect(
        streamed.values(of: .client)["application_data.server.\(number)"]?.derivations == [
          .computed(
            .recordOpening(cipher: "RC4_128", offset: offset), from: ["server_write_key", "record.server.\(number)"])
        ])
    }
    var clear = Conversation("TLS_RSA_WITH_NULL_SHA").ran()
    clear.send([1, 2, 3], from: .server)
    #expect(clear.values(of: .client)["application_data.server.1"]?.derivations == [.published])
    let record = try #require(applicationData(clear, .server).first?.records.first)
    #expect(record.fragment.prefix(3) == [1, 2, 3] && record.fragment.count == 23)
  }

  @Test(
    "records that are changed, repeated, late or missing are refused",
    arguments: Conversation.Run.all.filter { $0.suite.hasPrefix("TLS_RSA") }, [true, false])
  func damage(_ run: Conversation.Run, _ encryptThenMAC: Bool) {
    let plain = Conversation(run)
    var (client, server) = (plain.clientSettings, plain.serverSettings)
    (client.encryptThenMAC, server.encryptThenMAC) = (encryptThenMAC, encryptThenMAC)
    let start = Conversation(client, server).ran()
    var sender = start.server
    let (first, second) = (sender.send([1, 2, 3]).sentBytes, sender.send([4, 5]).sentBytes)
    func data(_ bytes: [UInt8]) -> ([UInt8], HandshakeFailure?) {
      var receiver = start.client
      let effects = receiver.receive(bytes)
      return (
        effects.flatMap { if case .applicationData(let bytes) = $0 { bytes } else { [UInt8]() } },
        effects.lazy.compactMap { if case .failed(let failure) = $0 { failure } else { nil } }.first
      )
    }
    #expect(data(first + second).0 == [1, 2, 3, 4, 5])
    for index in Record.headerLength..<first.count {
      var changed = first
      changed[index] ^= 0x20
      let (content, failure) = data(changed)
      #expect(content.isEmpty && failure?.alert == .badRecordMAC, "byte \(index)")
    }
    #expect(data(first + first).1?.alert == .badRecordMAC && data(second).1?.alert == .badRecordMAC)
    #expect(data(second + first).0.isEmpty)
    for count in [0, 1, 8, 15, 16, 17, 19, 20, 31, 32] where count < first.count - Record.headerLength {
      let cut = Record(
        type: .applicationData, version: run.version, fragment: Array(first[5...].prefix(count)))
      #expect(data(cut.bytes).0.isEmpty && data(cut.bytes).1?.alert == .badRecordMAC, "cut to \(count)")
    }
  }

  @Test("encrypt-then-MAC verifies the MAC before decryption, so that padding reveals nothing")
  func encryptThenMAC() throws {
    let row = try #require(CipherSuite(name: "TLS_RSA_WITH_AES_128_CBC_SHA")?.registration)
    let keys = KeySchedule12(Negotiated(version: .tls12, suite: row), masterSecret: [UInt8](repeating: 1, count: 48))
      .keyBlock(clientRandom: [], serverRandom: [], encryptThenMAC: true).client
    func header(_ count: Int) -> [UInt8] { [UInt8(count)] }
    let record = try CBCProtection(keys, .standard).protect([1, 2, 3], iv: [UInt8](repeating: 9, count: 16), header)
    var changed = record
    changed[20] ^= 1  // within the only block: content and padding become something else
    var decisions = TLSDecisions.standard
    decisions.answer = { padding, code in !padding ? .decryptionFailedReserved : code ? nil : .badRecordMAC }
    #expect(CBCProtection(keys, decisions).open(record, header) == OpenedContent([1, 2, 3], nil))
    #expect(CBCProtection(keys, decisions).open(changed, header) == OpenedContent([], .badRecordMAC))
    #expect(CBCProtection(keys, .standard).open(changed, header) == OpenedContent([], .badRecordMAC))
    #expect(
      CBCProtection(keys, decisions, ignoresBadMAC: true).open(changed, header).alert == .decryptionFailedReserved)
  }
}
