import Cryptography
import Explanation
import Oracles
import Testing

@testable import TLS

/// Damages each recorded session in one place, in some 160 ways. Every damage is detected, and nothing traps.
@Suite("Damaged recordings", .needsData(Session.file))
struct DamagedRecordingTests {
  typealias Chunk = (side: Side, bytes: [UInt8])

  private func portions(_ session: Session) -> [Chunk] { session.records.map { ($0.dir, $0.hex.bytes) } }

  private func told(_ portions: [Chunk], _ session: Session) -> Told {
    Told(portions, session, SessionSecrets(masterSecret: session.master_secret.bytes))
  }

  /// The first protected record of each side is the one after its ChangeCipherSpec.
  private func isProtected(_ index: Int, _ portions: [Chunk]) -> Bool {
    portions[..<index].contains { $0.side == portions[index].side && $0.bytes.first == 20 }
  }

  @Test("every flipped bit is detected: in a protected record at once, in others at Finished")
  func flippedBits() {
    for session in Session.all {
      let intact = portions(session)
      var random = DeterministicRandom(seed: .number(7), label: session.id)
      for round in 0..<32 {
        let draw = random.bytes(4).map(Int.init)
        let index = round % intact.count
        let position = (draw[0] << 8 | draw[1]) % intact[index].bytes.count
        var damaged = intact
        damaged[index].bytes[position] ^= 1 << UInt8(draw[2] & 7)
        let told = told(damaged, session)
        let place = "\(session.id) record \(index) byte \(position) bit \(draw[2] & 7)"
        // Nothing protects the version of an unprotected record (RFC 5246 appendix E.1).
        if !isProtected(index, intact), position == 2 {
          #expect(told.isWhole, "\(place)")
          continue
        }
        #expect(!told.isWhole && told.failures.count >= 1, "\(place)")
        if isProtected(index, intact), position >= Record.headerLength {
          #expect(told.failures.map(\.alert) == [.badRecordMAC], "\(place)")
        }
        if isProtected(index, intact), position == 1 || position == 2 {
          #expect(told.failures.map(\.alert) == [.protocolVersion], "\(place)")
        }
        #expect(told.failures.allSatisfy { $0.finding.refuses }, "\(place)")
      }
    }
  }

  @Test("a missing record is detected by the next record, or at the end")
  func droppedRecords() {
    for session in Session.all {
      let intact = portions(session)
      for index in intact.indices {
        var damaged = intact
        damaged.remove(at: index)
        let told = told(damaged, session)
        #expect(!told.isWhole, "\(session.id) record \(index)")
        if !isProtected(index, intact), intact[index].bytes.first == 22 {
          #expect(told.failures.map(\.alert) == [.unexpectedMessage], "\(session.id) record \(index)")
        }
        if intact[index].bytes.first == 23 {
          #expect(told.failures.map(\.alert) == [.badRecordMAC], "\(session.id) record \(index)")
        }
      }
    }
  }

  @Test("a repeated record violates the message order or the sequence number")
  func repeatedRecords() {
    for session in Session.all {
      let intact = portions(session)
      for index in intact.indices {
        var damaged = intact
        damaged.insert(intact[index], at: index)
        let told = told(damaged, session)
        let isClear = !isProtected(index, intact) && intact[index].bytes.first == 22
        #expect(
          told.failures.map(\.alert) == [isClear ? .unexpectedMessage : .badRecordMAC], "\(session.id) record \(index)")
      }
    }
  }

  @Test("swapped neighbouring records are detected, unless both ends may send at once")
  func reorderedRecords() {
    for session in Session.all {
      let intact = portions(session)
      let lastFinished = intact.indices.last { intact[$0].bytes.first == 22 } ?? 0
      for index in intact.indices.dropLast() {
        var damaged = intact
        damaged.swapAt(index, index + 1)
        let told = told(damaged, session)
        let isDuplex = index > lastFinished && intact[index].side != intact[index + 1].side
        #expect(told.isWhole == isDuplex, "\(session.id) record \(index): \(told.unsatisfied)")
        if !isProtected(index, intact), !isProtected(index + 1, intact), intact[index].bytes.first == 22 {
          #expect(told.failures.map(\.alert) == [.unexpectedMessage], "\(session.id) record \(index)")
        }
      }
    }
  }

  @Test("a recording that ends at any byte is record.truncated")
  func truncation() {
    for session in Session.all {
      let intact = portions(session)
      for index in intact.indices {
        for part in [0, 3, intact[index].bytes.count / 2, intact[index].bytes.count - 1] {
          let cut = Array(intact[..<index]) + [(intact[index].side, Array(intact[index].bytes.prefix(part)))]
          let told = told(cut, session)
          #expect(!told.isWhole, "\(session.id) record \(index) cut to \(part)")
          #expect(told.findings.contains { $0.rule == .truncatedConnection && $0.outcome == .violated })
        }
      }
    }
  }

  @Test("a length that does not fit its message is decode_error")
  func lengths() {
    for session in Session.all {
      let intact = portions(session)
      for index in intact.indices where !isProtected(index, intact) && intact[index].bytes.first == 22 {
        var damaged = intact
        guard damaged[index].bytes.count > 10 else { continue }
        // The message without its last byte, in its own record.
        let body = Array(damaged[index].bytes[9...].dropLast())
        let message = [damaged[index].bytes[5], 0, UInt8(body.count >> 8), UInt8(body.count & 255)] + body
        damaged[index].bytes = Record(type: .handshake, version: .tls12, fragment: message).bytes
        #expect(told(damaged, session).failures.map(\.alert) == [.decodeError], "\(session.id) record \(index)")
      }
    }
  }

  @Test("a wrong Finished in an authentic record is decrypt_error, and so is a wrong signature")
  func forgeries() throws {
    for session in Session.all {
      let intact = portions(session)
      let whole = told(intact, session)
      let suite = try #require(whole.parameters?.cipherSuite.registration)
      for side in Side.allCases {
        let index = try #require(intact.indices.last { intact[$0].side == side && intact[$0].bytes.first == 22 })
        for isRight in [true, false] {
          var verifyData = try #require(whole.values["\(side)_verify_data"]).bytes
          if !isRight { verifyData[5] ^= 4 }
          var protection = RecordProtection(
            keys: try keys(of: side, whole, suite), random: DeterministicRandom(seed: .number(1), label: "forged"))
          let message = try HandshakeMessage(.finished(Finished(verifyData: verifyData)))
          let record = try protection.seal(message.bytes, type: .handshake)
          var damaged = intact
          damaged[index].bytes = record.bytes
          let told = told(damaged, session)
          #expect(told.isWhole == isRight, "\(session.id) \(side): \(told.unsatisfied)")
          #expect(told.failures.map(\.alert) == (isRight ? [] : [.decryptError]))
          #expect(told.failures.map(\.finding.rule) == (isRight ? [] : [.finishedMismatch]))
        }
      }
      guard let index = intact.firstIndex(where: { $0.bytes.first == 22 && $0.bytes[5] == 12 }) else { continue }
      var damaged = intact
      damaged[index].bytes[damaged[index].bytes.count - 1] ^= 1
      #expect(told(damaged, session).failures.map(\.finding.rule) == [.badSignature])
      #expect(told(damaged, session).failures.map(\.alert) == [.decryptError])
    }
  }

  private func keys(of side: Side, _ told: Told, _ suite: CipherSuite.Registration) throws -> RecordKeys {
    let hello = told.messages.compactMap { message -> ServerHello? in
      if case .handshake(let handshake) = message.content, case .serverHello(let hello) = handshake.body {
        hello
      } else {
        nil
      }
    }.first
    let schedule = KeySchedule12(
      Negotiated(version: .tls12, suite: suite), masterSecret: try #require(told.values["master_secret"]).bytes)
    return schedule.keyBlock(
      clientRandom: try #require(told.values["client_random"]).bytes,
      serverRandom: try #require(told.values["server_random"]).bytes,
      encryptThenMAC: hello?.extensions?.contains { $0.type == .encryptThenMAC } == true
    ).keys(of: side)
  }
}
