import TLS

/// Determines whether the first bytes of a connection are TLS, and which host the client requests.
///
/// A server with several hosts needs the name before it can select the host (RFC 6066 section 3). Bytes may arrive in
/// chunks of any size, and each is examined once.
struct ClientHelloPeek {
  /// The result for the bytes received.
  enum Result: Equatable {
    /// More bytes are needed for a result.
    case unfinished
    /// The bytes are not TLS; the client uses HTTP without encryption.
    case plain
    /// The bytes contain a ClientHello for this host.
    ///
    /// The name is nil if the ClientHello has none or is malformed. The server then reports the error.
    case hello(serverName: String?)
  }

  /// The maximum number of bytes that are examined. A longer ClientHello is passed to the first host.
  static let limit = 1 << 16

  /// All received bytes, which are passed to the selected host.
  private(set) var bytes: [UInt8] = []
  /// The offset of the next record, or the offset and length of the rest of the current record.
  private var position = 0
  private var missing = 0
  /// The first handshake message. Its first byte is the type, and the next three bytes are the length.
  private var message: [UInt8] = []

  /// Appends received bytes, and returns the result for all bytes received.
  mutating func append(_ more: [UInt8]) -> Result {
    bytes += more
    guard let first = bytes.first else { return .unfinished }
    guard first == ContentType.handshake.rawValue else {
      // An alert or another record type is TLS, but not a ClientHello. Letters indicate HTTP.
      return (20...24).contains(first) || first >= 0x80 ? .hello(serverName: nil) : .plain
    }
    while position < bytes.count {
      if missing == 0 {
        guard bytes.count - position >= Record.headerLength else { break }
        let length = Int(bytes[position + 3]) << 8 | Int(bytes[position + 4])
        guard bytes[position] == ContentType.handshake.rawValue, (1...Record.maximumPlaintext).contains(length) else {
          return .hello(serverName: nil)
        }
        position += Record.headerLength
        missing = length
      }
      let end = min(position + missing, bytes.count)
      message += bytes[position..<end]
      missing -= end - position
      position = end
      if let name = serverName { return .hello(serverName: name.isEmpty ? nil : name) }
    }
    return bytes.count < Self.limit ? .unfinished : .hello(serverName: nil)
  }

  /// The host name in a complete ClientHello; empty if it has none, and nil while it is incomplete.
  private var serverName: String? {
    guard message.count >= 4 else { return nil }
    let length = Int(message[1]) << 16 | Int(message[2]) << 8 | Int(message[3])
    if length > Self.limit { return "" }
    guard message.count >= 4 + length else { return nil }
    guard message[0] == HandshakeType.clientHello.rawValue else { return "" }
    return Self.hostName(in: message[4..<4 + length]) ?? ""
  }

  /// The host_name in a ClientHello (RFC 5246 section 7.4.1.2, RFC 6066 section 3); nil if there is none.
  ///
  /// The rest of the ClientHello is not parsed. The selected server parses it.
  private static func hostName(in hello: ArraySlice<UInt8>) -> String? {
    // client_version and random, session_id, cipher_suites, compression_methods.
    var rest = hello.dropFirst(2 + 32)
    for width in [1, 2, 1] where vector(width, &rest) == nil { return nil }
    guard var extensions = vector(2, &rest) else { return nil }
    while extensions.count >= 4 {
      let isServerName = extensions.prefix(2).elementsEqual([0, 0])
      extensions = extensions.dropFirst(2)
      guard let data = vector(2, &extensions) else { return nil }
      guard isServerName else { continue }
      var body = data
      guard var names = vector(2, &body), names.popFirst() == 0, let name = vector(2, &names) else { return nil }
      return String(validating: name, as: UTF8.self)
    }
    return nil
  }

  /// Removes a vector from `bytes` and returns its content; nil if it is truncated. Its length field has `width` bytes.
  private static func vector(_ width: Int, _ bytes: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard bytes.count >= width else { return nil }
    let length = bytes.prefix(width).reduce(0) { $0 << 8 | Int($1) }
    let content = bytes.dropFirst(width)
    guard content.count >= length else { return nil }
    bytes = content.dropFirst(length)
    return content.prefix(length)
  }
}
