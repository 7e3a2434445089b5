import Cryptography
import Explanation
import Oracles
import Testing

@testable import TLS

private let acvp = "tls13/tls13_kdf_acvp.json"

@Suite("The key schedule of TLS 1.3, with RFC 8448 and vectors of NIST")
struct KeySchedule13Tests {
  struct VectorFile: Decodable {
    let cases: [Case]
  }

  struct Case: Decodable {
    let id, hash: String
    let psk, dhe: HexBytes?
    let transcript: Messages
    let expected: [String: HexBytes]
  }

  struct Messages: Decodable {
    let client_hello, server_hello, to_server_finished, to_client_finished: HexBytes

    func upTo(_ coverage: ScheduledSecret.Coverage) -> [UInt8] {
      let parts = [client_hello, server_hello, to_server_finished, to_client_finished].map(\.bytes)
      let count: [ScheduledSecret.Coverage: Int] = [
        .clientHello: 1, .serverHello: 2, .serverFinished: 3, .clientFinished: 4,
      ]
      return parts.prefix(count[coverage] ?? 0).flatMap(\.self)
    }
  }

  private static let names: [ScheduledSecret: String] = [
    .clientEarlyTraffic: "clientEarlyTrafficSecret", .earlyExporter: "earlyExporterMasterSecret",
    .clientHandshakeTraffic: "clientHandshakeTrafficSecret", .serverHandshakeTraffic: "serverHandshakeTrafficSecret",
    .clientApplicationTraffic: "clientApplicationTrafficSecret",
    .serverApplicationTraffic: "serverApplicationTrafficSecret", .exporter: "exporterMasterSecret",
    .resumption: "resumptionMasterSecret",
  ]

  @Test("every secret of every vector of NIST", .needsData(acvp))
  func vectors() throws {
    let cases = try Vectors.read(acvp, as: VectorFile.self).cases
    #expect(cases.count >= 5)
    for vector in cases {
      let hash: Hash = vector.hash == "SHA-384" ? .sha384 : .sha256
      var schedule = KeySchedule13(hash, psk: vector.psk?.bytes)
      #expect(schedule.secret(.clientHandshakeTraffic, transcriptHash: []) == nil)
      schedule.addSharedSecret(vector.dhe?.bytes)
      for (secret, name) in Self.names {
        let messages = vector.transcript.upTo(secret.coverage)
        #expect(
          schedule.secret(secret, transcriptHash: hash.digest(messages)) == vector.expected[name]?.bytes,
          "\(vector.id) \(secret)")
      }
    }
  }

  @Test("every secret of RFC 8448, from the shared secret", .needsData(Traces13.file), arguments: Traces13.all)
  func traces(_ trace: Traces13.Trace) throws {
    var schedule = KeySchedule13(.sha256)
    #expect(trace.secret("early_secret")?.value.bytes == schedule.earlySecret)
    schedule.addSharedSecret(trace.shared_secret.bytes)
    #expect(trace.secret("handshake_secret")?.value.bytes == schedule.handshakeSecret)
    #expect(trace.secret("master_secret")?.value.bytes == schedule.masterSecret)
    for secret in ScheduledSecret.allCases {
      let row = trace.secrets.first { $0.label == secret.label.rawValue && secret.coverage != .nothing }
      guard let row, let context = row.context else { continue }
      #expect(schedule.secret(secret, transcriptHash: context.bytes) == row.value.bytes, "\(secret)")
      #expect(ExpandLabel.info(secret.label.rawValue, context: context.bytes, count: 32) == row.info?.bytes)
    }
  }

  @Test("every key, IV and finished key of RFC 8448", .needsData(Traces13.file), arguments: Traces13.all)
  func trafficKeys(_ trace: Traces13.Trace) throws {
    let (functions, suite) = (ExpandLabel(.sha256), try #require(trace.suite))
    #expect(suite.hash13 == .sha256)
    for row in trace.traffic_keys {
      let secret = try #require(trace.secret(row.secret)).value.bytes
      let keys = functions.recordKeys(secret, suite)
      #expect(keys.key == row.key.bytes && keys.iv == row.iv.bytes, "\(row.secret)")
      if let finished = row.finished_key { #expect(functions.finishedKey(secret) == finished.bytes) }
    }
    for ticket in trace.tickets ?? [] {
      let secret = try #require(trace.secret("resumption_master_secret")).value.bytes
      #expect(functions.ticketPSK(secret, nonce: ticket.nonce.bytes) == ticket.psk.bytes)
    }
  }

  @Test("the verify_data of both sides in RFC 8448", .needsData(Traces13.file), arguments: Traces13.all)
  func finished(_ trace: Traces13.Trace) throws {
    var count = 0
    for step in trace.steps {
      for message in step.messages ?? [] where message.type == "finished" {
        let secret = try #require(trace.secret(step.secret ?? "")).value.bytes
        let verify = try #require(message.verify)
        #expect(
          ExpandLabel(.sha256).verifyData(secret, transcriptHash: verify.transcript_hash.bytes)
            == verify.verify_data?.bytes)
        count += 1
      }
    }
    #expect(count == 2)
  }

  @Test("KeyUpdate, tickets and exporters of recorded sessions", .needsData(Sessions13.file), arguments: Sessions13.all)
  func sessions(_ session: Sessions13.Session) throws {
    let suite = try #require(session.expected.cipher_suite.flatMap { CipherSuite(name: $0) }?.registration)
    let functions = ExpandLabel(try #require(suite.hash13))
    for (side, label) in [("client", "CLIENT_TRAFFIC_SECRET_0"), ("server", "SERVER_TRAFFIC_SECRET_0")] {
      var secret = session.key_log[label]?.first?.bytes ?? []
      for generation in 1...4 {
        secret = functions.nextTrafficSecret(secret)
        guard let expected = session.expected.updated_secrets["\(side)_application_traffic_secret_\(generation)"]
        else { break }
        #expect(secret == expected.bytes, "\(side) \(generation)")
      }
    }
    guard let exporter = session.expected.exporter, let secret = session.key_log["EXPORTER_SECRET"]?.first else {
      return
    }
    #expect(
      functions.exported(
        secret.bytes, label: exporter.label, context: exporter.context.bytes, count: exporter.length)
        == exporter.value.bytes)
  }

  @Test("a label, context or length that is too long has no output")
  func limits() {
    let functions = ExpandLabel(.sha256)
    let (secret, long) = ([UInt8](repeating: 1, count: 32), String(repeating: "a", count: 250))
    #expect(functions.output(secret, long, count: 32) == nil)
    #expect(functions.output(secret, "a", context: [UInt8](repeating: 0, count: 256), count: 32) == nil)
    #expect(functions.output(secret, "a", count: 255 * 32 + 1) == nil)
    #expect(functions.exported(secret, label: long, count: 32) == nil)
    #expect(functions.exported(secret, label: "a", count: 64)?.count == 64)
  }
}
