import Endpoint
import Explanation
import TLS

// The data that could have reached the client instead of the real data.
extension ConnectionRecord {
  /// A client with application data in transit to it, and the data that could arrive instead.
  struct Checkpoint: Sendable {
    private let boxed: Boxed<ClientEndpoint>
    /// The messages that arrived after the checkpoint.
    var arrivals: [[UInt8]] = []

    /// Creates the checkpoint of a client that has received none of the data.
    init(client: ClientEndpoint) { boxed = Boxed(client) }

    /// The state of the client before the data arrived.
    var client: ClientEndpoint { boxed.value }

    /// The message that arrived first.
    private var bytes: [UInt8] { arrivals.first ?? [] }

    /// The prefixes of the received messages, shortest first. Each has at most 64 messages, which suffices for every
    /// response.
    var beginnings: [[UInt8]] { arrivals.indices.prefix(64).map { arrivals[..<$0].flatMap(\.self) } }

    /// The length of the first record without its header.
    private var length: Int { bytes.count > 4 ? Int(bytes[3]) << 8 | Int(bytes[4]) : 0 }

    /// The index of the last bit in the first record's content.
    var lastBit: Int { max(0, length * 8 - 1) }

    /// The same records as those that arrived, with the last bit of the first record flipped.
    var altered: [UInt8] {
      var changed = bytes
      let end = Record.headerLength + length
      if bytes.indices.contains(end - 1) { changed[end - 1] ^= 1 }
      return changed
    }

    /// The received records after a forged record, which is not encrypted because the attacker has no keys.
    var preceded: [UInt8] {
      let version = bytes.count > 2 ? UInt16(bytes[1]) << 8 | UInt16(bytes[2]) : ProtocolVersion.tls12.rawValue
      let made = Record(type: .applicationData, version: ProtocolVersion(rawValue: version), fragment: Array(0..<64))
      return made.bytes + bytes
    }
  }

  /// Returns the client's result if it receives `bytes` in place of the real data. If `ends` is true, the connection is
  /// then closed.
  func result(of bytes: [UInt8], ends: Bool = false, at juncture: Checkpoint) -> Attempt.Result {
    var client = juncture.client
    let rules = (client.receive(bytes) + (ends ? client.transportClosed() : [])).findings.deciding
    if !rules.isEmpty { return .stopped(rules) }
    return client.response == nil || ends && client.response == server.response ? .unanswered : .succeeded
  }
}
