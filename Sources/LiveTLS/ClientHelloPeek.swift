import TLS

/// What the first bytes of a connection tell before anyone answers them: whether they are TLS, and which host is asked for.
///
/// A server with several hosts has to know the name before it knows which of them it is (RFC 6066 section 3).
enum ClientHelloPeek: Equatable {
  /// More bytes are needed.
  case unfinished
  /// The bytes are not TLS: HTTP in the clear.
  case plain
  /// A ClientHello for this host; nil where it names none, or cannot be read: then the server itself says what is wrong.
  case hello(serverName: String?)

  /// The most bytes that are looked at before an answer: a hello that is longer is given to the first host.
  static let limit = 1 << 16

  /// What `bytes`, all that have come so far, tell.
  init(_ bytes: [UInt8]) {
    guard let first = bytes.first else {
      self = .unfinished
      return
    }
    guard first == ContentType.handshake.rawValue else {
      // An alert or a record of another type is TLS, though no hello; letters are HTTP.
      self = (20...24).contains(first) || first >= 0x80 ? .hello(serverName: nil) : .plain
      return
    }
    self = Self.hello(in: bytes)
  }

  /// The handshake message that the records begin with, whose first byte tells its type and the next three its length.
  private static func hello(in bytes: [UInt8]) -> ClientHelloPeek {
    var message: [UInt8] = []
    var rest = bytes[...]
    while rest.count >= Record.headerLength {
      let start = rest.startIndex
      guard rest[start] == ContentType.handshake.rawValue else { return .hello(serverName: nil) }
      let length = Int(rest[start + 3]) << 8 | Int(rest[start + 4])
      guard length <= Record.maximumPlaintext else { return .hello(serverName: nil) }
      let content = rest.dropFirst(Record.headerLength).prefix(length)
      message += content
      if let name = serverName(of: message) { return .hello(serverName: name.isEmpty ? nil : name) }
      if content.count < length { break }
      rest = rest.dropFirst(Record.headerLength + length)
    }
    return bytes.count < limit ? .unfinished : .hello(serverName: nil)
  }

  /// The name that a whole ClientHello asks for, empty where it asks for none; nil while it is not whole.
  private static func serverName(of message: [UInt8]) -> String? {
    guard message.count >= 4 else { return nil }
    let length = Int(message[1]) << 16 | Int(message[2]) << 8 | Int(message[3])
    if length > limit { return "" }
    guard message.count >= 4 + length else { return nil }
    guard let hello = try? HandshakeMessage(decoding: Array(message.prefix(4 + length)), under: nil),
      case .clientHello(let hello) = hello.body
    else { return "" }
    return hello.extensions?.serverName ?? ""
  }
}
