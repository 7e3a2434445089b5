import Cryptography
import Explanation
import Testing

@testable import TLS

/// Damages one message of every handshake between this client and this server.
///
/// No key exchange and no cipher may then deliver application data.
@Suite("One damaged message in a live handshake")
struct MutationTests {
  enum Mutation: String, CaseIterable {
    case drop, repeated, late, cutRecord, cutMessage, flippedRecord, flippedMessage
  }

  /// Plays the handshake with the message called `name` changed once, then sends data from both sides.
  private func play(
    _ run: Conversation.Run, _ isExtended: Bool, _ name: ProtocolMessage.Name?, of side: Side,
    _ change: @escaping ([UInt8]) -> [UInt8],
    isLate: Bool = false
  ) -> Conversation {
    let plain = Conversation(run)
    var client = plain.clientSettings
    var server = plain.serverSettings
    (client.extendedMasterSecret, server.extendedMasterSecret) = (isExtended, isExtended)
    (client.encryptThenMAC, server.encryptThenMAC) = (isExtended, isExtended)
    var conversation = Conversation(client, server)
    var isDone = false
    var held: [UInt8] = []
    conversation.alter = { message, sender in
      guard sender == side else { return message.bytes }
      if !isDone, message.name == name {
        isDone = true
        if isLate { held = message.bytes }
        return isLate ? [] : change(message.bytes)
      }
      defer { held = [] }
      return message.bytes + held
    }
    conversation.run()
    for side in Side.allCases { conversation.send([1, 2, 3], from: side) }
    return conversation
  }

  private func changed(
    _ bytes: [UInt8], _ mutation: Mutation, _ version: ProtocolVersion, _ random: inout DeterministicRandom
  ) -> [UInt8] {
    var bytes = bytes
    let draw = random.bytes(3).map(Int.init)
    let number = draw[0] << 8 | draw[1]
    switch mutation {
    case .drop, .late: return []
    case .repeated: return bytes + bytes
    case .cutRecord: return Array(bytes.prefix(number % bytes.count))
    case .cutMessage:
      let count = number % max(1, bytes.count - Record.headerLength)
      let type = ContentType(rawValue: bytes[0])
      return Record(type: type, version: version, fragment: Array(bytes[5...].prefix(count))).bytes
    case .flippedRecord:
      // Not the version of an unprotected record, because nothing protects it.
      bytes[[0, 1, 3, 4][draw[0] & 3]] ^= 1 << UInt8(draw[2] & 7)
    case .flippedMessage: bytes[Record.headerLength + number % (bytes.count - 5)] ^= 1 << UInt8(draw[2] & 7)
    }
    return bytes
  }

  @Test("the receiver sends an alert, or waits; nothing is accepted", arguments: Conversation.Run.few)
  func mutations(_ run: Conversation.Run) { check(run, isExtended: [run.version < .tls12]) }

  /// Applies one of every kind of damage to each message of these handshakes.
  func check(_ run: Conversation.Run, isExtended: [Bool]) {
    var random = DeterministicRandom(seed: .number(11), label: run.suite)
    for isExtended in isExtended {
      let whole = play(run, isExtended, nil, of: .client, { $0 })
      #expect(whole.data(at: .client) == [1, 2, 3] && whole.data(at: .server) == [1, 2, 3])
      for side in Side.allCases {
        let messages = whole.sent(by: side).filter { $0.name != .applicationData }
        for message in messages {
          for mutation in Mutation.allCases {
            let bytes = changed(message.bytes, mutation, run.version, &random)
            let damaged = play(run, isExtended, message.name, of: side, { _ in bytes }, isLate: mutation == .late)
            check(damaged, message, side, mutation, run)
          }
        }
      }
    }
  }

  private func check(
    _ damaged: Conversation, _ message: ProtocolMessage, _ side: Side, _ mutation: Mutation, _ run: Conversation.Run
  ) {
    let place = "\(run): \(mutation) \(message.name) of \(side)"
    #expect(damaged.data(at: .client).isEmpty && damaged.data(at: .server).isEmpty, "\(place)")
    #expect(!damaged.isConnected || damaged.failure(of: side.peer) != nil, "\(place)")
    let failure = damaged.failure(of: side.peer)
    if let failure { #expect(failure.finding.refuses && failure.alert != .internalError, "\(place)") }
    let isClear = !message.isProtected && message.name != .changeCipherSpec
    switch mutation {
    case .repeated where isClear: #expect(failure?.alert == .unexpectedMessage, "\(place)")
    case .repeated: #expect(failure?.alert == .badRecordMAC, "\(place)")
    case .flippedMessage where message.isProtected: #expect(failure?.alert == .badRecordMAC, "\(place)")
    case .cutMessage where message.isProtected: #expect(failure?.alert == .badRecordMAC, "\(place)")
    default: break
    }
  }
}

/// The checks of `MutationTests`, for every suite of TLS 1.2 with and without extensions.
@Suite("One damaged message in every suite")
struct MutationSweep {
  @Test(
    "the receiver sends an alert, or waits; nothing is accepted",
    arguments: Conversation.Run.all.filter { $0.version == .tls12 }
      + Conversation.Run.few.filter { $0.version != .tls12 })
  func mutations(_ run: Conversation.Run) { MutationTests().check(run, isExtended: [false, true]) }
}
