import Explanation
import Wire

/// One handshake message with its bytes on the wire (RFC 5246 section 7.4).
///
/// ```
/// struct { HandshakeType msg_type; uint24 length; select (HandshakeType) { … } body; } Handshake;
/// ```
public struct HandshakeMessage: Sendable, Hashable {
  /// The content of a handshake message.
  public indirect enum Body: Sendable, Hashable {
    case helloRequest
    case clientHello(ClientHello)
    case serverHello(ServerHello)
    case newSessionTicket(NewSessionTicket)
    case certificate(CertificateMessage)
    case certificateStatus(CertificateStatus)
    case serverKeyExchange(ServerKeyExchange)
    case certificateRequest(CertificateRequestMessage)
    case serverHelloDone
    case certificateVerify(CertificateVerify)
    case clientKeyExchange(ClientKeyExchange)
    case finished(Finished)
    case endOfEarlyData
    case encryptedExtensions(EncryptedExtensions)
    case certificateRequest13(CertificateRequest13)
    case compressedCertificate(CompressedCertificate)
    case newSessionTicket13(NewSessionTicket13)
    case keyUpdate(KeyUpdate)
    /// A message of an unknown type.
    case unknown(type: HandshakeType, content: [UInt8])
  }

  /// The type of the message.
  public let type: HandshakeType
  /// The decoded content.
  public let body: Body
  /// All bytes of the message with its header, as added to the transcript.
  public let bytes: [UInt8]
  /// The maximum length of a body. Its length field has three bytes.
  public static let maximumLength = 0xff_ffff

  /// The version and suite that determine the form of the message; nil before they are known.
  public let negotiated: Negotiated?

  /// Decodes a complete message.
  ///
  /// The version and suite determine the form of some messages. Before they are known, key exchange messages remain
  /// opaque bytes.
  public init(decoding bytes: [UInt8], under negotiated: Negotiated?) throws(WireError) {
    var reader = Reader(bytes, isRecording: false)
    body = try Self.body(&reader, negotiated)
    type = body.type
    self.bytes = bytes
    self.negotiated = negotiated
  }

  /// Creates a message with this body. Throws if a peer cannot decode the message, for example because a part is too
  /// long.
  public init(_ body: Body, under negotiated: Negotiated? = nil) throws(WireError) {
    var content = Writer()
    try body.write(to: &content, negotiated)
    var writer = Writer()
    writer.uint8(body.type.onWire.rawValue)
    try writer.opaque(body.type.description, 0...Self.maximumLength, content.bytes)
    if body.mayBeUnreadable {
      var reader = Reader(writer.bytes, isRecording: false)
      _ = try Self.body(&reader, negotiated)
    }
    self.body = body
    type = body.type
    bytes = writer.bytes
    self.negotiated = negotiated
  }

  /// The message as a tree of fields over `bytes`. The tree is computed on each access.
  public var field: Field {
    var reader = Reader(bytes)
    _ = try? Self.body(&reader, negotiated)
    return Field("Handshake", 0..<bytes.count, meaning: type.description, children: reader.fields)
  }

  private static func body(_ reader: inout Reader, _ negotiated: Negotiated?) throws(WireError) -> Body {
    let type = HandshakeType(rawValue: try reader.uint8("msg_type") { HandshakeType(rawValue: $0).named })
    let length = try reader.uint24("length")
    let body = try reader.structure(type.description, count: length) { (reader) throws(WireError) in
      try Body(type, reading: &reader, under: negotiated)
    }
    try reader.finish("Handshake")
    return body
  }
}

extension HandshakeMessage.Body {
  /// The type of the message that has this body.
  public var type: HandshakeType {
    switch self {
    case .helloRequest: .helloRequest
    case .clientHello: .clientHello
    case .serverHello(let message): message.isRetryRequest ? .helloRetryRequest : .serverHello
    case .newSessionTicket, .newSessionTicket13: .newSessionTicket
    case .certificate: .certificate
    case .certificateStatus: .certificateStatus
    case .serverKeyExchange: .serverKeyExchange
    case .certificateRequest, .certificateRequest13: .certificateRequest
    case .serverHelloDone: .serverHelloDone
    case .certificateVerify: .certificateVerify
    case .clientKeyExchange: .clientKeyExchange
    case .finished: .finished
    case .endOfEarlyData: .endOfEarlyData
    case .encryptedExtensions: .encryptedExtensions
    case .compressedCertificate: .compressedCertificate
    case .keyUpdate: .keyUpdate
    case .unknown(let type, _): type
    }
  }

  init(
    _ type: HandshakeType, reading reader: inout Reader, under negotiated: Negotiated?
  ) throws(WireError) {
    if negotiated?.version == .tls13, let body = try Self(tls13: type, reading: &reader) {
      self = body
      return
    }
    switch type {
    case .helloRequest: self = .helloRequest
    case .clientHello: self = .clientHello(try ClientHello(&reader, negotiated))
    case .serverHello: self = .serverHello(try ServerHello(&reader))
    case .newSessionTicket: self = .newSessionTicket(try NewSessionTicket(&reader))
    case .certificate: self = .certificate(try CertificateMessage(&reader))
    case .certificateStatus: self = .certificateStatus(try CertificateStatus(&reader))
    case .serverKeyExchange: self = .serverKeyExchange(try ServerKeyExchange(&reader, negotiated))
    case .certificateRequest: self = .certificateRequest(try CertificateRequestMessage(&reader, negotiated))
    case .serverHelloDone: self = .serverHelloDone
    case .certificateVerify: self = .certificateVerify(try CertificateVerify(&reader, negotiated))
    case .clientKeyExchange: self = .clientKeyExchange(try ClientKeyExchange(&reader, negotiated))
    case .finished: self = .finished(try Finished(&reader, negotiated))
    default:
      self = .unknown(type: type, content: try reader.rest("body"))
    }
  }

  /// Decodes a message that exists only in TLS 1.3, or has another form there; nil for any other message.
  private init?(tls13 type: HandshakeType, reading reader: inout Reader) throws(WireError) {
    switch type {
    case .endOfEarlyData: self = .endOfEarlyData
    case .encryptedExtensions: self = .encryptedExtensions(try EncryptedExtensions(&reader))
    case .certificate: self = .certificate(try CertificateMessage(tls13: &reader))
    case .certificateRequest: self = .certificateRequest13(try CertificateRequest13(&reader))
    case .compressedCertificate: self = .compressedCertificate(try CompressedCertificate(&reader))
    case .newSessionTicket: self = .newSessionTicket13(try NewSessionTicket13(&reader))
    case .keyUpdate: self = .keyUpdate(try KeyUpdate(&reader))
    default: return nil
    }
  }

  /// Whether a peer may be unable to decode the message.
  ///
  /// This applies to parts of fixed length, extensions that must not repeat, and unknown content.
  fileprivate var mayBeUnreadable: Bool {
    switch self {
    case .clientHello, .serverHello, .finished, .unknown, .encryptedExtensions, .certificateRequest13,
      .newSessionTicket13:
      true
    case .helloRequest, .serverHelloDone, .newSessionTicket, .certificate, .certificateStatus, .serverKeyExchange,
      .certificateRequest,
      .certificateVerify,
      .clientKeyExchange, .endOfEarlyData, .compressedCertificate, .keyUpdate:
      false
    }
  }

  func write(to writer: inout Writer, _ negotiated: Negotiated?) throws(WireError) {
    switch self {
    case .helloRequest, .serverHelloDone, .endOfEarlyData: break
    case .encryptedExtensions(let message): try message.write(to: &writer)
    case .certificateRequest13(let message): try message.write(to: &writer)
    case .compressedCertificate(let message): try message.write(to: &writer)
    case .newSessionTicket13(let message): try message.write(to: &writer)
    case .keyUpdate(let message): message.write(to: &writer)
    case .unknown(_, let content): writer.raw(content)
    case .clientHello(let message): try message.write(to: &writer)
    case .serverHello(let message): try message.write(to: &writer)
    case .newSessionTicket(let message): try message.write(to: &writer)
    case .certificate(let message): try message.write(to: &writer)
    case .certificateStatus(let message): try message.write(to: &writer)
    case .serverKeyExchange(let message): try message.write(to: &writer)
    case .certificateRequest(let message): try message.write(to: &writer)
    case .certificateVerify(let message): try message.write(to: &writer)
    case .clientKeyExchange(let message): try message.write(to: &writer, negotiated)
    case .finished(let message): message.write(to: &writer)
    }
  }
}

/// The type of a handshake message (RFC 5246 section 7.4, RFC 8446 section 4).
public struct HandshakeType: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
  /// The byte that encodes the type.
  public let rawValue: UInt8

  /// Creates the type with this code point, which may be unregistered.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// `hello_request(0)`
  public static let helloRequest = HandshakeType(rawValue: 0)
  /// `client_hello(1)`
  public static let clientHello = HandshakeType(rawValue: 1)
  /// `server_hello(2)`
  public static let serverHello = HandshakeType(rawValue: 2)
  /// `new_session_ticket(4)`: RFC 5077 section 3.3.
  public static let newSessionTicket = HandshakeType(rawValue: 4)
  /// `certificate(11)`
  public static let certificate = HandshakeType(rawValue: 11)
  /// `certificate_status(22)`: RFC 6066 section 8.
  public static let certificateStatus = HandshakeType(rawValue: 22)
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

  /// `end_of_early_data(5)`
  public static let endOfEarlyData = HandshakeType(rawValue: 5)
  /// `hello_retry_request_RESERVED(6)`, the name of a ServerHello that requests another ClientHello.
  public static let helloRetryRequest = HandshakeType(rawValue: 6)
  /// `encrypted_extensions(8)`
  public static let encryptedExtensions = HandshakeType(rawValue: 8)
  /// `key_update(24)`
  public static let keyUpdate = HandshakeType(rawValue: 24)
  /// `compressed_certificate(25)`: RFC 8879 section 4.
  public static let compressedCertificate = HandshakeType(rawValue: 25)

  /// The type that encodes the message: a HelloRetryRequest is encoded as ServerHello (RFC 8446 section 4.1.4).
  public var onWire: HandshakeType { self == .helloRetryRequest ? .serverHello : self }

  /// All messages that TrustLab can decode.
  public static let known: [HandshakeType] = [
    .helloRequest, .clientHello, .serverHello, .newSessionTicket, .certificate, .serverKeyExchange, .certificateRequest,
    .serverHelloDone, .certificateVerify, .clientKeyExchange, .finished, .certificateStatus, .helloRetryRequest,
    .encryptedExtensions, .compressedCertificate, .endOfEarlyData, .keyUpdate,
  ]

  /// The RFC's name with the code point, such as `client_hello (1)`; only the code point if there is no name.
  public var named: String {
    let words = description.reduce(into: "") { words, letter in
      words += (letter.isUppercase && !words.isEmpty ? "_" : "") + letter.lowercased()
    }
    return description.contains(" ") ? rawValue.codePoint : "\(words) (\(rawValue))"
  }

  /// The message's name in the RFC, such as `ClientHello`; the code point if there is no name.
  public var description: String {
    switch self {
    case .helloRequest: "HelloRequest"
    case .clientHello: "ClientHello"
    case .serverHello: "ServerHello"
    case .newSessionTicket: "NewSessionTicket"
    case .certificate: "Certificate"
    case .certificateStatus: "CertificateStatus"
    case .serverKeyExchange: "ServerKeyExchange"
    case .certificateRequest: "CertificateRequest"
    case .serverHelloDone: "ServerHelloDone"
    case .certificateVerify: "CertificateVerify"
    case .clientKeyExchange: "ClientKeyExchange"
    case .finished: "Finished"
    case .endOfEarlyData: "EndOfEarlyData"
    case .helloRetryRequest: "HelloRetryRequest"
    case .encryptedExtensions: "EncryptedExtensions"
    case .keyUpdate: "KeyUpdate"
    case .compressedCertificate: "CompressedCertificate"
    default: "Handshake \(rawValue.codePoint)"
    }
  }
}
