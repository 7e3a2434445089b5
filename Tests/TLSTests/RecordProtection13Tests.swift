import Cryptography
import Explanation
import Oracles
import Testing

@testable import TLS

@Suite("Record protection of TLS 1.3, with RFC 8448 and recorded sessions")
struct RecordProtection13Tests {
  private func record(_ bytes: [UInt8]) throws -> Record {
    var reader = RecordReader()
    var log = EffectLog(.standard)
    reader.append(bytes)
    let record = try #require(try reader.next(.protected(.tls13), &log))
    #expect(reader.isEmpty)
    return record
  }

  private func protection(_ keys: RecordKeys, at number: UInt64 = 0) -> RecordProtection {
    RecordProtection(
      keys: keys, random: RandomStreams(seed: .number(0), party: "client").stream(ValueName(.recordIV)),
      sequenceNumber: number)
  }

  private static let suites = CipherSuite.implemented13.compactMap(\.registration)

  private func keys(_ suite: CipherSuite.Registration) throws -> RecordKeys {
    ExpandLabel(try #require(suite.hash13)).recordKeys([UInt8](repeating: 7, count: 32), suite)
  }

  @Test("every protected record of RFC 8448 opens, and is produced again", .needsData(Traces13.file))
  func traces() throws {
    var count = 0
    for trace in Traces13.all {
      let suite = try #require(trace.suite)
      for step in trace.steps {
        guard let name = step.secret, let number = step.sequence_number else { continue }
        let keys = ExpandLabel(.sha256).recordKeys(try #require(trace.secret(name)).value.bytes, suite)
        var opener = protection(keys, at: number)
        let opened = opener.open(try record(step.record.bytes))
        #expect(opened.isAuthentic && opened.plaintext == step.plaintext.bytes, "\(trace.id) \(step.number)")
        #expect(opened.paddingLength == step.padding)
        var sealer = protection(keys, at: number)
        #expect(
          try sealer.seal(opened.plaintext, type: opened.type, padding: opened.paddingLength).bytes
            == step.record.bytes)
        count += 1
      }
    }
    #expect(count >= 15)
  }

  @Test("every protected record of the recorded sessions opens", .needsData(Sessions13.file), arguments: Sessions13.all)
  func sessions(_ session: Sessions13.Session) throws {
    let suite = try #require(session.expected.cipher_suite.flatMap { CipherSuite(name: $0) }?.registration)
    let functions = ExpandLabel(try #require(suite.hash13))
    var secrets = session.expected.updated_secrets.mapValues(\.bytes)
    let labels = [
      "client_early_traffic_secret": "CLIENT_EARLY_TRAFFIC_SECRET",
      "client_handshake_traffic_secret": "CLIENT_HANDSHAKE_TRAFFIC_SECRET",
      "server_handshake_traffic_secret": "SERVER_HANDSHAKE_TRAFFIC_SECRET",
      "client_application_traffic_secret_0": "CLIENT_TRAFFIC_SECRET_0",
      "server_application_traffic_secret_0": "SERVER_TRAFFIC_SECRET_0",
    ]
    for (name, label) in labels { secrets[name] = session.key_log[label]?.first?.bytes }
    #expect(session.records.count == session.expected.plaintext_records.count)
    for (bytes, expected) in zip(session.records, session.expected.plaintext_records) {
      guard let name = expected.key, let number = expected.sequence else { continue }
      var opener = protection(functions.recordKeys(try #require(secrets[name]), suite), at: number)
      let opened = opener.open(try record(bytes.hex.bytes))
      #expect(opened.isAuthentic && opened.plaintext == expected.content.bytes, "\(name) \(number)")
      #expect(opened.type.rawValue == expected.inner_type && opened.paddingLength == expected.padding)
    }
  }

  @Test("content, type and padding come back from each suite", arguments: suites)
  func roundTrip(_ suite: CipherSuite.Registration) throws {
    var (sealer, opener) = (protection(try keys(suite)), protection(try keys(suite)))
    for (content, type, padding) in [
      ([1, 2, 3], ContentType.handshake, 0), ([], .applicationData, 0), ([0, 0], .applicationData, 100),
      ([UInt8](repeating: 9, count: Record.maximumPlaintext), .applicationData, 0),
    ] {
      let record = try sealer.seal(content, type: type, padding: padding)
      #expect(record.type == .applicationData && record.version == .tls12)
      let opened = opener.open(record)
      #expect(opened.isAuthentic && opened.type == type && opened.plaintext == content)
      #expect(opened.paddingLength == padding)
    }
    #expect(throws: CipherError.self) {
      try sealer.seal([UInt8](repeating: 0, count: Record.maximumPlaintext), type: .applicationData, padding: 1)
    }
  }

  @Test("any change of a byte is bad_record_mac, and does not use a sequence number", arguments: suites)
  func changed(_ suite: CipherSuite.Registration) throws {
    var (sealer, opener) = (protection(try keys(suite)), protection(try keys(suite)))
    let record = try sealer.seal([1, 2, 3], type: .applicationData)
    for index in record.bytes.indices where index != 0 {
      var bytes = record.bytes
      bytes[index] ^= 1
      let changed = Record(bytes: bytes, .applicationData, .tls12)
      #expect(opener.open(changed).alert == .badRecordMAC, "byte \(index)")
    }
    #expect(opener.open(record).isAuthentic)
    #expect(opener.open(record).alert == .badRecordMAC)
  }

  @Test("wrong inner types, missing types and records that are too long have their own alerts")
  func alerts() throws {
    let suite = try #require(CipherSuite.aes128GCMSHA256.registration)
    func alert(_ plaintext: [UInt8]) throws -> AlertDescription? {
      let keys = try keys(suite)
      let header = Record.header(.applicationData, .tls12, length: plaintext.count + AESGCM.tagSize)
      let bytes = try AESGCM.seal(plaintext, key: keys.key, nonce: keys.iv, authenticating: header, behind: header)
      var opener = protection(keys)
      return opener.open(Record(bytes: bytes, .applicationData, .tls12)).alert
    }
    #expect(try alert([1, 23]) == nil)
    #expect(try alert([0, 0, 0]) == .unexpectedMessage)
    #expect(try alert([]) == .unexpectedMessage)
    #expect(try alert([1, ContentType.changeCipherSpec.rawValue]) == .unexpectedMessage)
    #expect(try alert([1, 99]) == .unexpectedMessage)
    #expect(try alert([UInt8](repeating: 0, count: Record.maximumPlaintext) + [0, 23]) == .recordOverflow)
    var opener = protection(try keys(suite))
    #expect(opener.open(Record(type: .handshake, version: .tls12, fragment: [1, 2])).alert == .unexpectedMessage)
    let long = Record(
      type: .applicationData, version: .tls12,
      fragment: [UInt8](repeating: 0, count: Record.maximumCiphertext13 + 1))
    #expect(opener.open(long).alert == .recordOverflow)
    let short = Record(type: .applicationData, version: .tls12, fragment: [1, 2, 3])
    #expect(opener.open(short).alert == .badRecordMAC)
  }

  @Test("an AES-GCM key needs a KeyUpdate after 2^24.5 records, a ChaCha20 key does not")
  func limits() throws {
    for suite in Self.suites {
      let protection = protection(try keys(suite), at: 23_726_566)
      #expect(protection.needsKeyUpdate == (suite.cipher != .chacha20Poly1305))
    }
    #expect(Self.suites.count == 3)
  }
}
