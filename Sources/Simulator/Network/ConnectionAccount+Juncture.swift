import Endpoint
import Explanation
import TLS

// What else could have reached the client in the place of what did.
extension ConnectionAccount {
  /// A client to which records of application data are on their way: what else could have arrived?
  struct Juncture: Sendable {
    private let boxed: Boxed<ClientEndpoint>
    /// What arrived, a message at a time.
    var arrivals: [[UInt8]] = []

    /// A client to which nothing of it has arrived yet.
    init(client: ClientEndpoint) { boxed = Boxed(client) }

    /// The client as it was before.
    var client: ClientEndpoint { boxed.value }

    /// What arrived first.
    private var bytes: [UInt8] { arrivals.first ?? [] }

    /// The beginnings of what arrived, the shortest first: of so many messages that nobody sends more of a page.
    var beginnings: [[UInt8]] { arrivals.indices.prefix(64).map { arrivals[..<$0].flatMap(\.self) } }

    /// How many bytes the first record has after its header.
    private var length: Int { bytes.count > 4 ? Int(bytes[3]) << 8 | Int(bytes[4]) : 0 }

    /// The number of the first record's last bit, counted from its content.
    var lastBit: Int { max(0, length * 8 - 1) }

    /// The same records, the last bit of the first one changed.
    var altered: [UInt8] {
      var changed = bytes
      let end = Record.headerLength + length
      if bytes.indices.contains(end - 1) { changed[end - 1] ^= 1 }
      return changed
    }

    /// A record that nobody has the keys for, before them.
    var preceded: [UInt8] {
      let version = bytes.count > 2 ? UInt16(bytes[1]) << 8 | UInt16(bytes[2]) : ProtocolVersion.tls12.rawValue
      let made = Record(type: .applicationData, version: ProtocolVersion(rawValue: version), fragment: Array(0..<64))
      return made.bytes + bytes
    }
  }

  /// What the client makes of `bytes` in the place of what was on its way, and of the connection's end where it `ends`
  /// with them.
  func result(of bytes: [UInt8], ends: Bool = false, at juncture: Juncture) -> Attempt.Result {
    var client = juncture.client
    let rules = (client.receive(bytes) + (ends ? client.transportClosed() : [])).findings.deciding
    if !rules.isEmpty { return .stopped(rules) }
    return client.response == nil || ends && client.response == server.response ? .unanswered : .succeeded
  }
}
