import TLS

/// What the first bytes of a connection tell before anyone answers them: whether they are TLS, and which host is asked for.
///
/// A server with several hosts has to know the name before it knows which of them it is (RFC 6066 section 3). However
/// many portions the bytes come in, each is looked at once.
struct ClientHelloPeek {
  /// What the bytes have told.
  enum Result: Equatable {
    /// More bytes are needed.
    case unfinished
    /// The bytes are not TLS: HTTP in the clear.
    case plain
    /// A ClientHello for this host; nil where it names none, or cannot be read: then the server itself says what is wrong.
    case hello(serverName: String?)
  }

  /// The most bytes that are looked at before an answer: a hello that is longer is given to the first host.
  static let limit = 1 << 16

  /// All bytes that have come, for whoever answers.
  private(set) var bytes: [UInt8] = []
  /// Where the next record begins, or what is left of the one that has begun.
  private var position = 0
  private var missing = 0
  /// The handshake message that the records begin with, whose first byte tells its type and the next three its length.
  private var message: [UInt8] = []

  /// What all bytes tell that have come so far.
  mutating func append(_ more: [UInt8]) -> Result {
    bytes += more
    guard let first = bytes.first else { return .unfinished }
    guard first == ContentType.handshake.rawValue else {
      // An alert or a record of another type is TLS, though no hello; letters are HTTP.
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

  /// The name that a whole ClientHello asks for, empty where it asks for none; nil while it is not whole.
  private var serverName: String? {
    guard message.count >= 4 else { return nil }
    let length = Int(message[1]) << 16 | Int(message[2]) << 8 | Int(message[3])
    if length > Self.limit { return "" }
    guard message.count >= 4 + length else { return nil }
    guard let hello = try? HandshakeMessage(decoding: Array(message.prefix(4 + length)), under: nil),
      case .clientHello(let hello) = hello.body
    else { return "" }
    return hello.extensions?.serverName ?? ""
  }
}
