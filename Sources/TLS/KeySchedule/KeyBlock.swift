/// `key_block`, cut in the order of RFC 5246 section 6.3.
public struct KeyBlock: Sendable, Hashable {
  /// All of it.
  public let bytes: [UInt8]
  /// What the client protects with.
  public let client: RecordKeys
  /// What the server protects with.
  public let server: RecordKeys
  /// The parts, in order.
  public let parts: [Part]

  /// One key of the block.
  public struct Part: Sendable, Hashable {
    /// Its name in the RFC: `client_write_key`.
    public let name: String
    /// Where in the block it stands.
    public let range: Range<Int>
    /// The key itself.
    public let bytes: [UInt8]
  }

  /// The block of a suite; too short a block gives short keys, which no cipher takes.
  public init(suite: CipherSuite.Registration, bytes: [UInt8], encryptThenMAC: Bool = false) {
    self.bytes = bytes
    let sizes = [
      ("write_MAC_key", suite.mac.keyLength), ("write_key", suite.cipher.keyLength),
      ("write_IV", suite.cipher.fixedIVLength),
    ]
    var parts: [String: Part] = [:]
    var order: [Part] = []
    var start = 0
    for (name, size) in sizes {
      for side in Side.allCases {
        let part = Part(
          name: "\(side)_\(name)", range: start..<(start + size), bytes: Array(bytes.dropFirst(start).prefix(size)))
        parts[part.name] = part
        if size > 0 { order.append(part) }
        start += size
      }
    }
    func keys(_ side: Side) -> RecordKeys {
      RecordKeys(
        cipher: suite.cipher, mac: suite.mac, macKey: parts["\(side)_write_MAC_key"]?.bytes ?? [],
        key: parts["\(side)_write_key"]?.bytes ?? [], iv: parts["\(side)_write_IV"]?.bytes ?? [],
        encryptThenMAC: encryptThenMAC)
    }
    client = keys(.client)
    server = keys(.server)
    self.parts = order
  }

  /// What `side` protects with.
  public func keys(of side: Side) -> RecordKeys { side == .client ? client : server }
}
