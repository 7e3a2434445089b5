import Captures
import Cryptography
import Endpoint
import Explanation
import Laboratory
import Oracles
import Rendering
import Scenarios
import Simulator
import TLS
import Testing

@Suite("Replays of a captured run")
struct ReplayTests {
  /// A complete run of the curriculum, with its capture.
  private func captured(_ id: String) throws -> (run: CaseResult, capture: [UInt8]) {
    let run = try #require(Curriculum.result(id))
    return (run, try PacketCapture(run.simulation).bytes)
  }

  private func replayed(_ capture: [UInt8], keyLog: String) throws -> [ReplayedSession] {
    var file = try RecordingFile(capture, path: "run.pcap")
    file.add(try KeyLog.read(keyLog, path: "run.keys"))
    return file.sessions.map { ReplayedSession($0) }
  }

  /// Title, direction, bytes and content of every message.
  private func messages(_ trace: Trace) -> [[String]] {
    trace.steps.filter { $0.kind == .message }.map {
      [$0.title, $0.from == .client ? "client" : "server", Hex.string($0.bytes), Hex.string($0.plaintext)]
    }
  }

  @Test("a server may close its direction before the client's Finished (RFC 8446 section 6.1)")
  func earlyClose() throws {
    // The response to early data, and close_notify, precede EndOfEarlyData in the second connection.
    let (run, capture) = try captured("L16-05")
    let sessions = try replayed(capture, keyLog: KeyLog(run.simulation).text)
    #expect(sessions.map(\.verdict.word) == [.accepted, .accepted, .refused])
    #expect(sessions.map(\.verdict.word) == run.connections.map(\.verdict.word))
  }

  @Test("a handshake of TLS 1.3 has several lines in a key log, and counts once")
  func handshakeCount() throws {
    let log = KeyLog(try captured("L16-01").run.simulation)
    #expect(log.handshakeCount == 1 && log.lines.count > 1)
    #expect(try KeyLog(captured("L1-01").run.simulation).handshakeCount == 1)
  }

  @Test("the capture and the key log give the messages of the run", arguments: ["L1-01", "L1-14", "L7-01"])
  func roundTrip(_ id: String) throws {
    let (run, capture) = try captured(id)
    let session = try #require(try replayed(capture, keyLog: KeyLog(run.simulation).text).first)
    #expect(messages(session.trace) == messages(run.simulation.trace))
    #expect(session.verdict.word == .accepted, "\(session.findings.filter { $0.outcome != .satisfied })")
    for name in ["client_random", "master_secret", "client_write_key", "application_data.client.1"] as [ValueName] {
      #expect(session.trace.values[name]?.bytes == run.simulation.trace.values[name]?.bytes, "\(name)")
    }
    #expect(session.knowledge(of: .eavesdropper).knows("application_data.server.1"))
  }

  @Test("a renegotiation is followed, and not decrypted without its own secret")
  func renegotiated() throws {
    let (run, capture) = try captured("L1-23")
    let keys = KeyLog(run.simulation)
    let session = try #require(try replayed(capture, keyLog: keys.text).first)
    #expect(messages(session.trace) == messages(run.simulation.trace))
    #expect(session.verdict.word == .accepted, "\(session.findings.filter { $0.outcome != .satisfied })")
    for name in ["client_random", "server_random", "master_secret", "client_write_key", "application_data.server.1"] {
      let name: ValueName = "renegotiated.\(name)"
      #expect(session.trace.values[name]?.bytes == run.simulation.trace.values[name]?.bytes, "\(name)")
    }
    #expect(session.knowledge(of: .eavesdropper).knows("renegotiated.application_data.server.1"))
    let line = try #require(keys.lines.first)
    let first = try #require(try replayed(capture, keyLog: line.text + "\n").first)
    #expect(first.verdict.word == .notApplicable && first.openedCount < first.protectedCount)
    #expect(first.trace.values["renegotiated.client_random"] != nil)
    #expect(first.trace.values["renegotiated.master_secret"] == nil)
  }

  @Test("decrypted content is shown as sent, and a wrong key is not reported as used")
  func stream() throws {
    let (run, capture) = try captured("L1-14")
    let session = try #require(try replayed(capture, keyLog: KeyLog(run.simulation).text).first)
    let text = ReplayView(path: "run.pcap", sessions: [session]).document(.story).text()
    #expect(text.contains("GET / HTTP/1.1") && text.contains("    hello\n"))
    var file = try RecordingFile(capture, path: "run.pcap")
    file.use(.rsa(try KeyStore.tests.rsaKey(owner: "api", bits: 2048)))
    let closed = try #require(file.sessions.map { ReplayedSession($0) }.first)
    let words = ReplayView(path: "run.pcap", sessions: [closed]).document(.story).text()
    #expect(closed.openedCount == 0 && closed.protectedCount > 0)
    #expect(!words.contains("GET / HTTP/1.1"))
  }

  @Test("without the key log, only unencrypted messages are shown, without a verdict")
  func withoutKeys() throws {
    let (_, capture) = try captured("L1-01")
    let session = try #require(try replayed(capture, keyLog: "").first)
    #expect(session.verdict.word == .notApplicable)
    #expect(session.openedCount == 0 && session.protectedCount > 0)
    #expect(!session.knowledge(of: .eavesdropper).knows("application_data.server.1"))
    let text = ReplayView(path: "run.pcap", sessions: [session]).document(.story).text()
    #expect(!text.contains("GET / HTTP/1.1"))
  }

  /// The header and the packets of a classic big-endian capture.
  private func packets(_ capture: [UInt8]) -> (header: [UInt8], packets: [[UInt8]]) {
    var packets: [[UInt8]] = []
    var start = 24
    while start + 16 <= capture.count {
      let length = capture[(start + 8)..<(start + 12)].reduce(0) { $0 << 8 | Int($1) }
      packets.append(Array(capture[start..<(start + 16 + length)]))
      start += 16 + length
    }
    return (Array(capture.prefix(24)), packets)
  }

  @Test("duplicate and swapped segments are put in order; a lost one is reported")
  func reassembly() throws {
    let (run, capture) = try captured("L1-01")
    let log = KeyLog(run.simulation).text
    let (header, all) = packets(capture)
    let data = all.indices.filter { all[$0].count > 16 + 54 + 12 }
    let twice = header + all.flatMap { $0 + $0 }
    #expect(try replayed(twice, keyLog: log).first?.verdict.word == .accepted)
    for index in data {
      var lost = all
      lost.remove(at: index)
      // Without its ClientHello there is no session at all.
      let session = try? replayed(header + lost.flatMap(\.self), keyLog: log).first
      #expect(session?.verdict.word != .accepted)
      // A packet missing from the capture is no violation by a party.
      #expect(session?.findings.deciding.isEmpty != false, "\(index): \(session?.findings.deciding ?? [])")
    }
    // Two segments of one side, the second before the first: the handshake does not change.
    for index in data.dropLast() where data.contains(index + 1) {
      guard all[index][42..<50] == all[index + 1][42..<50] else { continue }
      var swapped = all
      swapped.swapAt(index, index + 1)
      #expect(try replayed(header + swapped.flatMap(\.self), keyLog: log).first?.verdict.word == .accepted)
    }
  }

  @Test("a capture that stopped while the connection was open reports no violation")
  func stopped() throws {
    let (run, capture) = try captured("L1-01")
    let log = KeyLog(run.simulation).text
    let (header, all) = packets(capture)
    func isData(_ packet: [UInt8]) -> Bool { packet.count > 16 + 54 + 12 }
    // Cuts off everything after the next-to-last data packet, including the packets that close the connection.
    let last = try #require(all.indices.filter { isData(all[$0]) }.dropLast().last)
    let stopped = try #require(try replayed(header + all[..<last].flatMap(\.self), keyLog: log).first)
    #expect(stopped.verdict.word == .notApplicable && stopped.findings.deciding.isEmpty)
    let doubts = stopped.findings.filter { $0.rule.id == "record.truncated" && $0.outcome == .unknown }
    #expect(!doubts.isEmpty)
    let whole = try #require(try replayed(capture, keyLog: log).first)
    #expect(whole.verdict.word == .accepted)
  }

  @Test("a suite that is not implemented is no party's fault, and has no fix")
  func otherSuite() throws {
    // The first flights of a session that OpenSSL 3.0 had with itself: TLS_PSK_WITH_AES_128_CBC_SHA256 (RFC 5487).
    let client =
      "160301006b0100006703032171d1fb3af06e222b0274d2164c7d74cf543116ffeb314adfb285a1f1b21f3c00000400ae00ff0100003a0023"
      + "00000016000000170000000d002a0028040305030603080708080809080a080b08040805080604010501060103030301030204020502"
      + "0602"
    let server =
      "160303003d020000390303c00fcaadb500520e25b09d2661f29c97bdd42882c99499bb7ed8c2d16a7a5c120000ae0000"
      + "11ff0100010000230000001600000017000016030300040e000000"
    let text = "records: [{ dir: client, hex: \"\(client)\" }, { dir: server, hex: \"\(server)\" }]"
    let file = try RecordingFile(Array(text.utf8), path: "r.yaml")
    let session = try #require(file.sessions.first.map { ReplayedSession($0) })
    let finding = try #require(session.findings.first { $0.rule == .suiteNotImplemented })
    #expect(finding.outcome == .unknown && session.verdict.word == .notApplicable)
    // In a scenario the author chose the server's suites, and can choose others.
    #expect(finding.rule.fix != Rule.suiteNotImplemented.fix)
  }

  @Test("no capture traps, even if it is cut or damaged")
  func damagedCaptures() throws {
    let (run, capture) = try captured("L1-01")
    let log = KeyLog(run.simulation).text
    var random = DeterministicRandom(seed: .number(5), label: "captures")
    for round in 0..<120 {
      let draw = random.bytes(4).map(Int.init)
      let place = (draw[0] << 16 | draw[1] << 8 | draw[2]) % capture.count
      var damaged = capture
      if round.isMultiple(of: 3) {
        damaged = Array(capture.prefix(place))
      } else {
        damaged[place % (round.isMultiple(of: 2) ? 120 : capture.count)] ^= 1 << UInt8(draw[3] & 7)
      }
      do {
        for session in try replayed(damaged, keyLog: log) { _ = session.verdict }
      } catch {
        #expect(error is Diagnostics)
      }
    }
  }

  @Test(
    "an error in a recording has its place",
    arguments: [
      ("Dear reader,\nthis is a letter.\n", "pcap … pcapng … JSON"),
      ("{\"transcripts\": []}", "transcript"),
      ("{\"id\": 1}", "'transcripts' … 'records'"),
      ("{\"records\": [{\"dir\": \"client\"}]}", "'dir' … 'hex'"),
      ("{\"records\": [{\"dir\": \"middle\", \"hex\": \"00\"}]}", "'middle'"),
      ("{\"records\": [{\"dir\": \"client\", \"hex\": \"0\"}]}", "hexadecimal"),
      ("{\"records\": [], \"master_secret\": \"00\"}", "48 … 1"),
      ("{\"records\": [], \"key\": \"rsa\"}", "'rsa' … 'keys'"),
    ])
  func badRecordings(_ text: String, _ message: String) throws {
    let error = #expect(throws: Diagnostics.self) { try RecordingFile(Array(text.utf8), path: "r.json") }
    #expect(error?.all.filter { $0.severity == .error }.map(\.message).show([message]) == true)
    #expect(error?.all.first?.mark?.file == "r.json")
  }

  @Test("a recording's certificate needs no key, and an invalid key is reported")
  func certificatesAlone() throws {
    func recording(_ word: String) -> [UInt8] {
      Array("{\"keys\": {\"ca\": {\"\(word)\": \"x\"}}, \"transcripts\": [{\"records\": []}]}".utf8)
    }
    #expect(try RecordingFile(recording("cert_pem"), path: "r.json").sessions.count == 1)
    let error = #expect(throws: Diagnostics.self) { try RecordingFile(recording("key_pem"), path: "r.json") }
    #expect(error?.all.map(\.message.isEmpty) == [false])
    #expect(error?.all.first?.mark?.file == "r.json")
  }

  @Test(
    "an error in a key log has its place",
    arguments: [
      ("# fine\nCLIENT_RANDOM 00", 2), ("CLIENT_RANDOM zz 00", 1), ("CLIENT_RANDOM 00 00", 1), ("RSA 0011 22", 1),
    ])
  func badKeyLogs(_ text: String, _ line: Int) throws {
    let error = #expect(throws: Diagnostics.self) { try KeyLog.read(text, path: "keys") }
    #expect(error?.all.first?.mark?.line == line)
  }
}
