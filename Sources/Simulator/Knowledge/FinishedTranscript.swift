import Endpoint
import Explanation
import TLS

/// The handshake messages that a verify_data covers (RFC 5246 section 7.4.9).
public struct FinishedTranscript: Sendable {
  let prf: CipherSuite.PRF
  /// The value Hash(handshake_messages). Before TLS 1.2, it is the MD5 hash followed by the SHA-1 hash.
  public let hash: [UInt8]
  /// The total size of the messages in bytes.
  let count: Int

  /// Collects the messages before the Finished with this value.
  ///
  /// The result is nil if a message is missing, and for SSL 3.0, which uses another hash.
  public init?(_ value: Value.ID, in run: any TracedRun) {
    guard value.kind == .verifyData, let side = value.side,
      let handshake = try? ClearHandshake(value.scope, in: run.trace), handshake.negotiated.version != .sslv3,
      let random = run.trace.values[value.sibling(.random, of: .client)]?.bytes,
      let messages = HandshakeMessages(from: random, in: run.trace).before(.finished, of: side)
    else { return nil }
    prf = handshake.negotiated.prf
    hash = prf.hashes.flatMap { $0.digest(messages) }
    count = messages.count
  }
}

/// The messages of one handshake, as its two endpoints sent them.
struct HandshakeMessages {
  /// The messages of the handshake, each with its sender.
  private let all: [(from: Party, bytes: [UInt8])]
  private let client: Party?

  /// Collects the messages of the handshake whose ClientHello has this random number.
  init(from random: [UInt8], in trace: Trace) {
    // Type, length and client_version precede the random number: RFC 5246 section 7.4.1.2.
    let first = trace.steps.firstIndex { step in
      guard let message = Self.message(in: step) else { return false }
      return message.first == HandshakeType.clientHello.rawValue && message.dropFirst(6).starts(with: random)
    }
    guard let first else {
      (all, client) = ([], nil)
      return
    }
    let hello = trace.steps[first]
    let ends = [hello.from, hello.to]
    client = hello.from
    all = trace.steps[first...].compactMap { step -> (from: Party, bytes: [UInt8])? in
      guard step.connection == hello.connection, ends.contains(step.from), ends.contains(step.to) else { return nil }
      return Self.message(in: step).map { (step.from, $0) }
    }
  }

  /// Returns the messages that `side` sent and received before its message of this type; nil if there is none.
  func before(_ type: HandshakeType, of side: Side) -> [UInt8]? {
    let index = all.firstIndex { message in
      message.bytes.first == type.rawValue && (message.from == client) == (side == .client)
    }
    return index.map { all[..<$0].flatMap(\.bytes) }
  }

  /// Returns the handshake message in a step; nil for other messages. A HelloRequest is not part of the transcript.
  private static func message(in step: Step) -> [UInt8]? {
    guard step.kind == .message else { return nil }
    let bytes = step.isProtected ? step.plaintext : content(of: step.bytes)
    guard let type = bytes.first.map({ HandshakeType(rawValue: $0) }), type != .helloRequest,
      step.message == .handshake(type)
    else {
      return nil
    }
    return bytes
  }

  /// Returns the content of the records in `bytes`.
  private static func content(of bytes: [UInt8]) -> [UInt8] {
    var (content, rest): ([UInt8], ArraySlice<UInt8>) = ([], bytes[...])
    while rest.count > Record.headerLength {
      let header = rest.prefix(Record.headerLength).suffix(2)
      let length = header.reduce(0) { $0 << 8 | Int($1) }
      rest = rest.dropFirst(Record.headerLength)
      content += rest.prefix(length)
      rest = rest.dropFirst(length)
    }
    return content
  }
}
