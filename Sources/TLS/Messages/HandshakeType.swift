/// The kind of a handshake message: RFC 5246 section 7.4.
public struct HandshakeType: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
  /// The byte on the wire.
  public let rawValue: UInt8

  /// The kind that travels as `rawValue`, known or not.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// `hello_request(0)`
  public static let helloRequest = HandshakeType(rawValue: 0)
  /// `client_hello(1)`
  public static let clientHello = HandshakeType(rawValue: 1)
  /// `server_hello(2)`
  public static let serverHello = HandshakeType(rawValue: 2)
  /// `certificate(11)`
  public static let certificate = HandshakeType(rawValue: 11)
  /// `server_key_exchange(12)`
  public static let serverKeyExchange = HandshakeType(rawValue: 12)
  /// `certificate_request(13)`
  public static let certificateRequest = HandshakeType(rawValue: 13)
  /// `server_hello_done(14)`
  public static let serverHelloDone = HandshakeType(rawValue: 14)
  /// `certificate_verify(15)`
  public static let certificateVerify = HandshakeType(rawValue: 15)
  /// `client_key_exchange(16)`
  public static let clientKeyExchange = HandshakeType(rawValue: 16)
  /// `finished(20)`
  public static let finished = HandshakeType(rawValue: 20)

  /// The code point with its name in the RFC: `client_hello (1)`; the number where there is none.
  public var named: String {
    let words = description.reduce(into: "") { words, letter in
      words += (letter.isUppercase && !words.isEmpty ? "_" : "") + letter.lowercased()
    }
    return description.contains(" ") ? rawValue.codePoint : "\(words) (\(rawValue))"
  }

  /// The message's name in the RFC: `ClientHello`; the number where there is none.
  public var description: String {
    switch self {
    case .helloRequest: "HelloRequest"
    case .clientHello: "ClientHello"
    case .serverHello: "ServerHello"
    case .certificate: "Certificate"
    case .serverKeyExchange: "ServerKeyExchange"
    case .certificateRequest: "CertificateRequest"
    case .serverHelloDone: "ServerHelloDone"
    case .certificateVerify: "CertificateVerify"
    case .clientKeyExchange: "ClientKeyExchange"
    case .finished: "Finished"
    default: "Handshake \(rawValue.codePoint)"
    }
  }
}
