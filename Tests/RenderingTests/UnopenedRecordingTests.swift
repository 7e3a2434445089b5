import Captures
import Cryptography
import Explanation
import Laboratory
import Oracles
import PKIX
import Rendering
import Scenarios
import TLS
import Testing

@testable import Simulator

/// Recordings without encryption, and recordings that were not or only partly decrypted.
@Suite("Recordings without the right key")
struct UnopenedRecordingTests {
  /// The messages of client and server of `L1-01` under this suite of TLS 1.2.
  private func flow(_ suite: String) throws -> Flow {
    let plan = try #require(Curriculum.result("L1-01")?.simulation.plans.first)
    let suite = try #require(CipherSuite(name: suite))
    var (offer, choice) = (plan.client.tls, plan.server.tls)
    let versions = ProtocolVersion.tls12...ProtocolVersion.tls12
    (offer.versions, offer.cipherSuites, offer.layout) = (versions, [suite], .standard)
    (choice.versions, choice.cipherSuites) = (versions, [suite])
    let leaf = try Certificate(der: try #require(plan.server.certificates.first).bytes)
    var talk = Talk(client: Connection(offer), server: Connection(choice), key: leaf.publicKey)
    talk.deliver(talk.client.start(), from: .client)
    talk.deliver(talk.client.send(Array("GET / HTTP/1.1\r\nHost: api.example\r\n\r\n".utf8)), from: .client)
    talk.deliver(talk.server.send(Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi".utf8)), from: .server)
    talk.deliver(talk.server.close(), from: .server)
    return Flow(id: "\(suite)", portions: talk.portions)
  }

  private struct Talk {
    var client: Connection
    var server: Connection
    let key: PublicKey
    var portions: [Flow.Chunk] = []

    mutating func deliver(_ effects: [ConnectionEffect], from side: Side) {
      for effect in effects {
        switch effect {
        case .send(let message):
          portions.append(Flow.Chunk(side, message.bytes))
          deliver(side == .client ? server.receive(message.bytes) : client.receive(message.bytes), from: side.peer)
        case .evaluateCertificate: deliver(client.certificateEvaluated(.accepted(key)), from: side)
        default: break
        }
      }
    }
  }

  private func text(_ session: ReplayedSession) -> String {
    ReplayView(path: "run.pcap", sessions: [session]).document(.story).text()
  }

  /// RFC 5246 section 6.2.3.1: NULL is the identity, so content travels unencrypted, followed by a MAC.
  @Test(
    "content under a NULL suite can be read without a key: eavesdropping is possible",
    arguments: [
      "TLS_RSA_WITH_NULL_SHA256", "TLS_RSA_WITH_NULL_SHA", "TLS_RSA_WITH_NULL_MD5", "TLS_ECDHE_RSA_WITH_NULL_SHA",
    ])
  func null(_ suite: String) throws {
    let session = ReplayedSession(try flow(suite))
    let data: [ValueName] = ["application_data.client.1", "application_data.server.1"]
    for party in [Party.client, .server, .eavesdropper] {
      for name in data { #expect(session.knowledge(of: party).knows(name), "\(party) \(name)") }
    }
    let outcome = Outcome(session)
    #expect(outcome.goals[.eavesdropping] == .possible && outcome.evidence[.eavesdropping]?.party == .eavesdropper)
    // Nothing was verified, so tampering remains unknown.
    #expect(session.verdict.word == .notApplicable && session.findings.deciding.isEmpty)
    let text = text(session)
    #expect(text.contains("GET / HTTP/1.1"))
    for word in ["encrypted\n", "═ Appl"] {
      #expect(!text.contains(word), "\(word): \(text)")
    }
  }

  @Test("content under a cipher stays unread without a key, and the server's verdict is unknown")
  func unopened() throws {
    let session = ReplayedSession(try flow("TLS_RSA_WITH_AES_128_CBC_SHA256"))
    #expect(session.trace.values["application_data.client.1"] == nil)
    #expect(Outcome(session).goals[.eavesdropping] == .notApplicable)
    let text = text(session)
    #expect(text.contains("encrypted application_data") && text.contains("– unknown"), "\(text)")
  }

  @Test("another certificate's key opens nothing and is no violation; the right key opens all")
  func foreignKey() throws {
    var recording = try flow("TLS_RSA_WITH_AES_128_CBC_SHA256")
    recording.secrets.serverKey = .rsa(try KeyStore.tests.rsaKey(owner: "somebody else", bits: 2048))
    let foreign = ReplayedSession(recording)
    #expect(foreign.verdict.word == .notApplicable && foreign.findings.deciding.isEmpty)
    #expect(foreign.findings.filter { $0.outcome == .violated }.map(\.rule) == [.foreignKey])
    #expect(foreign.parameters != nil && foreign.openedCount == 0 && foreign.protectedCount > 4)
    // That key reveals nothing of this connection, and the server's own did not leak.
    #expect(foreign.trace.leaks.isEmpty)
    #expect(!foreign.knowledge(of: .eavesdropper).knows("server.key"))
    #expect(!text(foreign).contains("GET / HTTP/1.1"))
    let plan = try #require(Curriculum.result("L1-01")?.simulation.plans.first)
    recording.secrets.serverKey = plan.server.tls.credentials.privateKey
    let own = ReplayedSession(recording)
    #expect(own.verdict.word == .accepted, "\(own.findings.deciding)")
    #expect(own.trace.leaks.map(\.secret) == ["server.key"])
    #expect(own.findings.contains { $0.rule == .foreignKey && $0.outcome == .satisfied })
  }

  @Test("another session's secret opens nothing and is no violation; the right secret opens all")
  func otherSecret() throws {
    let run = try #require(Curriculum.result("L1-01"))
    let capture = try PacketCapture(run.simulation).bytes
    let log = KeyLog(run.simulation)
    let line = try #require(log.lines.first)
    func replayed(_ text: String) throws -> ReplayedSession {
      var file = try RecordingFile(capture, path: "run.pcap")
      file.add(try KeyLog.read(text, path: "run.keys"))
      return ReplayedSession(try #require(file.sessions.first))
    }
    let wrong = "CLIENT_RANDOM \(Hex.string(line.key)) \(String(repeating: "5a", count: 48))\n"
    let other = try replayed(wrong)
    #expect(other.verdict.word == .notApplicable && other.findings.deciding.isEmpty && other.misfit == line.key)
    #expect(other.parameters != nil && other.openedCount == 0 && other.protectedCount > 4)
    let finding = try #require(other.findings.first { $0.rule == .recordedSecret })
    #expect(finding.outcome == .unknown && finding.subject == .connection && finding.rule.fix.contains("client_random"))
    #expect(!other.findings.contains { [.badMAC, .finishedMismatch].contains($0.rule) && $0.outcome == .violated })
    #expect(other.trace.steps.contains { $0.findings.contains { $0.rule == .recordedSecret } })
    // Nothing follows from a secret that is not the session's.
    #expect(other.trace.values["master_secret"] == nil && other.trace.leaks.isEmpty)
    let own = try replayed(log.text)
    #expect(own.verdict.word == .accepted && own.misfit == nil)
    // Of several lines for one session, any matching one counts.
    #expect(try replayed(log.text + wrong).verdict.word == .accepted)
  }

  @Test("a key log without a line for the session names the missing client_random")
  func otherLine() throws {
    let run = try #require(Curriculum.result("L1-01"))
    let capture = try PacketCapture(run.simulation).bytes
    let line = try #require(KeyLog(run.simulation).lines.first)
    func words(_ log: String) throws -> String {
      var file = try RecordingFile(capture, path: "run.pcap")
      file.add(try KeyLog.read(log, path: "run.keys"))
      return text(ReplayedSession(try #require(file.sessions.first)))
    }
    let random = Hex.string(line.key.prefix(8))
    let zeros = "CLIENT_RANDOM \(String(repeating: "00", count: 32)) \(String(repeating: "5a", count: 48))\n"
    #expect(try words(zeros).contains(random))
    #expect(try !words("# empty\n").contains("GET / HTTP/1.1"))
    let label = "CLIENT_HANDSHAKE_TRAFFIC_SECRET"
    let newer = try words("\(label) \(Hex.string(line.key)) \(String(repeating: "5a", count: 32))\n")
    #expect(newer.contains(label) && newer.contains("TLS 1.3"))
    #expect(try !words(line.text + "\n").contains(random))
  }

  @Test("if the secret opens other records, an altered record is a violation")
  func altered() throws {
    var recording = try flow("TLS_RSA_WITH_AES_128_CBC_SHA256")
    let plan = try #require(Curriculum.result("L1-01")?.simulation.plans.first)
    recording.secrets.serverKey = plan.server.tls.credentials.privateKey
    let whole = ReplayedSession(recording)
    let master = try #require(whole.trace.values["master_secret"]?.bytes)
    let place = try #require(recording.portions.lastIndex { $0.side == .client && $0.bytes.first == 23 })
    var portions = recording.portions
    var bytes = portions[place].bytes
    bytes[bytes.count - 1] ^= 1
    portions[place] = Flow.Chunk(.client, bytes)
    let altered = Flow(
      id: "altered", portions: portions, secrets: SessionSecrets(masterSecret: master))
    #expect(ReplayedSession(altered).findings.deciding == [.badMAC])
    let own = Flow(id: "own", portions: recording.portions, secrets: SessionSecrets(masterSecret: master))
    #expect(ReplayedSession(own).verdict.word == .accepted)
  }

  @Test("a plain-text reply to a ClientHello is identified by its content")
  func plainText() throws {
    let hello = try flow("TLS_RSA_WITH_AES_128_CBC_SHA256").portions[0]
    func found(_ answer: [UInt8]) -> Finding? {
      ReplayedSession(Flow(id: "plain", portions: [hello, Flow.Chunk(.server, answer)])).failure?.finding
    }
    let http = try #require(found(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)))
    #expect(http.rule == .unexpectedRecordType && http.found.description.contains("HTTP/1.1 400 Bad Request"))
    let spoken: [(String, [UInt8])] = [
      ("MySQL", [74, 0, 0, 0, 10, 56, 46, 48]), ("HTTP/2", [0, 0, 18, 4, 0, 0, 0, 0, 0, 0, 3]),
      ("AMQP", Array("AMQP\0".utf8)),
      ("HTTP/1.1 400", Array("\r\nHTTP/1.1 400 a\r\n".utf8)),
      ("ung\u{fc}ltig", Array("Fehler: ung\u{fc}ltig\r\n".utf8)),
    ]
    for (word, bytes) in spoken {
      let finding = try #require(found(bytes))
      #expect(finding.found.description.contains(word), "\(finding.found)")
    }
    let other = try #require(found([0x48, 1, 2, 3, 4, 5]))
    #expect(other.rule == .unexpectedRecordType && !other.found.description.contains("HTTP"))
  }

  @Test("for an unsupported suite, neither the agreement nor a count is shown")
  func notModelled() throws {
    // The first flights of TLS_RSA_PSK_WITH_AES_128_CBC_SHA256, 0x00ae, as OpenSSL wrote them.
    let client =
      "160301006b0100006703032171d1fb3af06e222b0274d2164c7d74cf543116ffeb314adfb285a1f1b21f3c00000400ae00ff0100"
      + "003a002300000016000000170000000d002a0028040305030603080708080809080a080b080408050806040105010601030303010302"
      + "040205020602"
    let server =
      "160303003d020000390303c00fcaadb500520e25b09d2661f29c97bdd42882c99499bb7ed8c2d16a7a5c120000ae000011ff0100"
      + "010000230000001600000017000016030300040e000000"
    let portions = [
      Flow.Chunk(.client, try #require(Hex.bytes(client))), Flow.Chunk(.server, try #require(Hex.bytes(server))),
    ]
    let text = text(ReplayedSession(Flow(id: "psk", portions: portions)))
    #expect(text.contains(/agreed .*0x00ae/), "\(text)")
    #expect(text.contains(/protected +unknown/))
    #expect(text.contains("? "))
    // If the recording simply ends, the text says so.
    let begun = self.text(ReplayedSession(Flow(id: "begun", portions: [portions[0]])))
    #expect(begun.contains("agreed ") && !begun.contains("0x00ae"), "\(begun)")
  }

  @Test("a capture that is cut within its last packet is read up to that packet")
  func cut() throws {
    let run = try #require(Curriculum.result("L1-01"))
    let capture = try PacketCapture(run.simulation)
    // The last packet acknowledges the end of the connection: 16 bytes, and 54 of Ethernet, IPv4 and TCP.
    let file = try RecordingFile(Array(capture.bytes.dropLast(3)), path: "run.pcap")
    let place = "packet \(capture.packetCount) … byte \(capture.bytes.count - 70 + 16)"
    #expect(file.warnings.map(\.message).show([place]))
    #expect(file.warnings.allSatisfy { $0.severity == .warning })
    let session = try #require(file.sessions.first.map { ReplayedSession($0) })
    #expect(session.parameters != nil && session.protectedCount > 0)
    #expect(try RecordingFile(capture.bytes, path: "run.pcap").warnings.isEmpty)
    #expect(throws: Diagnostics.self) { try RecordingFile(Array(capture.bytes.prefix(24 + 40)), path: "run.pcap") }
  }

  @Test("a pcapng file is read up to its cut block")
  func cutBlocks() throws {
    let packet: [UInt8] = Array(repeating: 0, count: 60)
    let section: [UInt8] =
      [0x0a, 0x0d, 0x0d, 0x0a, 0, 0, 0, 28, 0x1a, 0x2b, 0x3c, 0x4d, 0, 1, 0, 0]
      + Array(repeating: 0xff, count: 8) + [0, 0, 0, 28]
    let interface: [UInt8] = [0, 0, 0, 1, 0, 0, 0, 20, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 20]
    let block: [UInt8] =
      [0, 0, 0, 6, 0, 0, 0, 92] + Array(repeating: 0, count: 12) + [0, 0, 0, 60, 0, 0, 0, 60] + packet + [0, 0, 0, 92]
    let whole = try CaptureReader(section + interface + block + block)
    #expect(whole.packetCount == 2 && whole.cut == nil)
    let cut = try CaptureReader(Array((section + interface + block + block).dropLast(9)))
    #expect(cut.packetCount == 1 && cut.cut == .cut(within: "a block", at: 28 + 20 + 92 + 8))
    #expect(throws: CaptureError.self) { try CaptureReader(Array((section + interface + block).dropLast(9))) }
  }
}
