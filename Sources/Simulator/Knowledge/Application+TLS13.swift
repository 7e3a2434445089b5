import Cryptography
import Endpoint
import Explanation
import TLS

// The functions of TLS 1.3, computed only from their inputs and the recorded records.
extension Application {
  /// Computes HKDF-Extract with the hash of the suite (RFC 8446 section 7.1).
  func extract() throws(Obstacle) -> Computation {
    let hash = try hash13()
    let zeros = [UInt8](repeating: 0, count: hash.digestSize)
    // The bytes of secrets that no key log contains are unknown.
    guard inputs.allSatisfy({ !$0.bytes.isEmpty }) else { throw .notPlayed(method) }
    if value.kind == .earlySecret { return Computation(HKDF.extract(hash, salt: zeros, inputs.first?.bytes ?? zeros)) }
    return Computation(HKDF.extract(hash, salt: try input(0), inputs.count > 1 ? try input(1) : zeros))
  }

  /// Computes HKDF-Expand-Label with the hash of the suite (RFC 8446 section 7.1).
  func expandLabel(_ label: Method.ExpandLabel) throws(Obstacle) -> Computation {
    let suite = try ClearHandshake(value.scope, in: run.trace).suite
    guard let hash = suite.hash13 else { throw .notPlayed(method) }
    let (functions, secret) = (ExpandLabel(hash), try input(0))
    switch label {
    case .key: return Computation(functions.recordKeys(secret, suite).key)
    case .iv: return Computation(functions.recordKeys(secret, suite).iv)
    default:
      let context = inputs.count > 1 ? try input(1) : label == .derived ? hash.digest([]) : []
      guard let output = functions.output(secret, label.rawValue, context: context, count: hash.digestSize) else {
        throw .notPlayed(method)
      }
      return Computation(output)
    }
  }

  /// Decrypts the handshake messages with the traffic secrets or their keys, and hashes them (RFC 8446 section 4.4.1).
  func transcriptHash() throws(Obstacle) -> Computation {
    let suite = try ClearHandshake(value.scope, in: run.trace).suite
    guard let hash = suite.hash13, let random = run.trace.values[value.sibling(.random, of: .client)]?.bytes else {
      throw .notPlayed(method)
    }
    var protections: [Side: RecordProtection] = [:]
    for side in Set(inputs.compactMap(\.name.side)) {
      guard let keys = handshakeKeys(of: side, suite, hash) else { throw .notPlayed(method) }
      protections[side] = RecordProtection(
        keys: keys, random: DeterministicRandom(seed: .number(0), label: "not drawn from"))
    }
    let last: Side = value.kind == .transcriptHash(.clientFinished) ? .client : .server
    var messages: [UInt8] = []
    for message in HandshakeMessages13(from: random, in: run.trace).all {
      guard let bytes = message.content(&protections) else { throw .failed("a record cannot be decrypted") }
      if message.isRetryRequest { messages = [0xfe, 0, 0, UInt8(hash.digestSize)] + hash.digest(messages) }
      messages += bytes
      if message.isFinished, message.side == last {
        return Computation(hash.digest(messages), remark: "over \(messages.count) bytes of handshake messages")
      }
    }
    throw .missing(value.sibling(.verifyData, of: last))
  }

  /// The keys of one side's handshake messages, from its traffic secret or as they are.
  private func handshakeKeys(of side: Side, _ suite: CipherSuite.Registration, _ hash: Hash) -> RecordKeys? {
    func bytes(_ kind: ValueKind) -> [UInt8]? { inputs.first { $0.name.side == side && $0.name.kind == kind }?.bytes }
    if let secret = bytes(.handshakeTrafficSecret) { return ExpandLabel(hash).recordKeys(secret, suite) }
    let epoch = TrafficEpoch(side, .handshake)
    guard let key = bytes(epoch.keyKind), let iv = bytes(epoch.ivKind) else { return nil }
    return RecordKeys(version: .tls13, cipher: suite.cipher, mac: .aead, macKey: [], key: key, iv: iv)
  }

  private func hash13() throws(Obstacle) -> Hash {
    guard let hash = try ClearHandshake(value.scope, in: run.trace).suite.hash13 else { throw .notPlayed(method) }
    return hash
  }
}

/// The handshake messages of one connection of TLS 1.3, as recorded.
private struct HandshakeMessages13 {
  struct Message {
    let side: Side
    let isRetryRequest: Bool
    let isFinished: Bool
    private let step: Step

    init(_ step: Step, _ side: Side) {
      (self.step, self.side) = (step, side)
      isRetryRequest = step.handshakeType == .helloRetryRequest
      isFinished = step.handshakeType == .finished
    }

    /// The content of the records, decrypted with the keys of the side; nil if the keys do not open them.
    func content(_ protections: inout [Side: RecordProtection]) -> [UInt8]? {
      var (content, rest): ([UInt8], ArraySlice<UInt8>) = ([], step.bytes[...])
      while rest.count > Record.headerLength {
        let length = Int(rest[rest.startIndex + 3]) << 8 | Int(rest[rest.startIndex + 4])
        let bytes = Array(rest.prefix(Record.headerLength + length))
        rest = rest.dropFirst(bytes.count)
        guard step.isProtected else {
          content += bytes.dropFirst(Record.headerLength)
          continue
        }
        guard let record = Record(bytes), let opened = protections[side]?.open(record), opened.isAuthentic else {
          return nil
        }
        content += opened.plaintext
      }
      return content
    }
  }

  let all: [Message]

  /// Collects the messages of the handshake whose ClientHello has this random number.
  init(from random: [UInt8], in trace: Trace) {
    let first = trace.steps.firstIndex { step in
      step.handshakeType == .clientHello && step.bytes.dropFirst(Record.headerLength + 6).starts(with: random)
    }
    guard let first else {
      all = []
      return
    }
    let hello = trace.steps[first]
    let ends = [hello.from, hello.to]
    all = trace.steps[first...].compactMap { step in
      guard step.kind == .message, step.connection == hello.connection, ends.contains(step.from),
        ends.contains(step.to), let type = step.handshakeType,
        ![.newSessionTicket, .keyUpdate, .endOfEarlyData].contains(type)
      else { return nil }
      return Message(step, step.from == hello.from ? .client : .server)
    }
  }
}
