import Cryptography
import Endpoint
import Explanation
import TLS

extension Method {
  /// A record of application data, opened with the write key of its sender: RFC 5246 section 6.2.3.
  ///
  /// The sequence number never travels; whoever has the recording counts, or tries.
  static let recordOpening = Method(isCalled: { $0.hasSuffix(" decryption") }) { (application) throws(Obstacle) in
    let prefix = application.prefix(before: "application_data.")
    let handshake = try ClearHandshake(prefix, in: application.run.trace)
    let isClients = application.value.hasPrefix(prefix + "application_data.client.")
    let keys = try keys(application, prefix, handshake, side: isClients ? .client : .server)
    guard let bytes = application.inputs.last?.bytes, let record = Record(bytes) else {
      throw .failed("the record cannot be read")
    }
    for number in 0..<UInt64(application.run.trace.steps.count) {
      guard let content = keys.opening(record, number: number) else { continue }
      return Computation(content, remark: "the record is authentic as number \(number)")
    }
    throw .failed("the record does not open with this key")
  }

  /// Key and IV are inputs; the key of the authentication code comes from the same block.
  private static func keys(
    _ application: Application, _ prefix: String, _ handshake: ClearHandshake, side: Side
  ) throws(Obstacle) -> RecordKeys {
    let suite = handshake.suite
    let macKey: [UInt8]
    if suite.mac.keyLength == 0 {
      macKey = []
    } else if let block = application.known[prefix + "key_block"] {
      macKey = KeyBlock(handshake.negotiated, bytes: block).keys(of: side).macKey
    } else {
      throw .missing("\(prefix)\(side)_write_MAC_key")
    }
    return RecordKeys(
      version: handshake.negotiated.version, cipher: suite.cipher, mac: suite.mac, macKey: macKey,
      key: try application.input(0),
      iv: suite.cipher.fixedIVLength > 0 ? try application.input(1) : [],
      encryptThenMAC: handshake.encryptsThenMACs)
  }
}

extension RecordKeys {
  /// The content of `record` if it is authentic as the `number`th under these keys; nil otherwise.
  func opening(_ record: Record, number: UInt64) -> [UInt8]? {
    let random = DeterministicRandom(seed: .number(0), label: "not drawn from")
    var protection = RecordProtection(keys: self, random: random, sequenceNumber: number)
    let opened = protection.open(record)
    return opened.isAuthentic ? opened.plaintext : nil
  }
}

extension Record {
  /// One whole record as it travels; nil for anything else.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= Self.headerLength, Int(bytes[3]) << 8 | Int(bytes[4]) == bytes.count - Self.headerLength else {
      return nil
    }
    self.init(
      type: ContentType(rawValue: bytes[0]),
      version: ProtocolVersion(rawValue: UInt16(bytes[1]) << 8 | UInt16(bytes[2])),
      fragment: Array(bytes.dropFirst(Self.headerLength)))
  }
}
