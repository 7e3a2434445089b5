import Cryptography
import Explanation
import Testing
import Wire

@testable import TLS

@Suite("Messages as bytes and as fields")
struct MessageTests {
  private let hello = ClientHello(
    clientVersion: .tls12, random: Array(0..<32),
    cipherSuites: [CipherSuite(rawValue: 0x009c), .emptyRenegotiationInfo],
    extensions: [
      .serverName("api.example"), .supportedGroups([.x25519, .secp256r1]), .ecPointFormats([0]),
      .applicationProtocols([.http2, ApplicationProtocol(bytes: [0xda, 0xda])]),
      .signatureAlgorithms([SignatureAndHashAlgorithm(rawValue: 0x0401)]), .renegotiationInfo([]),
      .supportedVersions([.tls13, .tls12]), .other(type: ExtensionType(rawValue: 0x1234), data: [1, 2, 3]),
    ])

  @Test("a ClientHello is encoded and decoded without loss, unknown extensions included")
  func roundTrip() throws {
    let message = try HandshakeMessage(.clientHello(hello))
    #expect(message.body == .clientHello(hello))
    #expect(try HandshakeMessage(decoding: message.bytes, under: nil) == message)
    #expect(hello.extensions?.serverName == "api.example")
  }

  @Test("every known extension is encoded and decoded without loss, by its type and content")
  func typedExtensions() throws {
    let typed: [(Extension, [UInt8])] = [
      (.maxFragmentLength(2), [2]), (.statusRequest([1, 0, 0, 0, 0]), [1, 0, 0, 0, 0]),
      (.signedCertificateTimestamps([]), []), (.padding([0, 0]), [0, 0]), (.encryptThenMAC, []),
      (.extendedMasterSecret, []), (.sessionTicket([7]), [7]), (.renegotiationInfo([]), [0]),
      (.ecPointFormats([0]), [1, 0]),
      (.tls13(.keyShares([])), [0, 0]),
    ]
    var offer = hello
    offer.extensions = typed.map(\.0)
    let message = try HandshakeMessage(.clientHello(offer))
    #expect(try HandshakeMessage(decoding: message.bytes, under: nil).body == .clientHello(offer))
    for (item, content) in typed { #expect(Extension(item.type, content: content) == item) }
    // Content that is invalid for the type is kept unchanged.
    #expect(Extension(.encryptThenMAC, content: [1]) == .other(type: .encryptThenMAC, data: [1]))
  }

  @Test("the fields have the RFC's names and cover every byte")
  func fields() throws {
    let message = try HandshakeMessage(.clientHello(hello))
    let body = try #require(message.field.children.last)
    #expect(message.field.children.map(\.name) == ["msg_type", "length", "ClientHello"])
    #expect(
      body.children.map(\.name)
        == ["client_version", "random", "session_id", "cipher_suites", "compression_methods", "extensions"])
    // RFC 8446 section 4.1.2 names the field legacy_version. This hello offers TLS 1.3 too.
    #expect(body.children.first?.meaning == "TLSv1.2 (0x0303), legacy_version in TLS 1.3")
    #expect(message.field.first("cipher_suite")?.meaning == "TLS_RSA_WITH_AES_128_GCM_SHA256 (0x009c)")
    #expect(message.field.first("HostName")?.meaning == "api.example")
    for (left, right) in zip(body.children, body.children.dropFirst()) {
      #expect(left.range.upperBound == right.range.lowerBound)
    }
    #expect(body.range == 4..<message.bytes.count && body.children.last?.range.upperBound == message.bytes.count)
  }

  // RFC 8446 section 4.1.2: the random value of TLS 1.3 is 32 random bytes.
  @Test("a random value has a time only if TLS 1.3 is neither offered nor selected", arguments: [true, false])
  func randomParts(isNew: Bool) throws {
    let versions: [ProtocolVersion] = isNew ? [.tls13, .tls12] : [.tls12]
    var offer = hello
    offer.extensions = [.supportedVersions(versions)]
    let answer = ServerHello(
      serverVersion: .tls12, random: Array(32..<64), cipherSuite: isNew ? .aes128GCMSHA256 : hello.cipherSuites[0],
      extensions: isNew ? [.supportedVersions([.tls13])] : [])
    for body in [HandshakeMessage.Body.clientHello(offer), .serverHello(answer)] {
      let field = try HandshakeMessage(body).field
      #expect(field.first("random")?.range == 6..<38)
      #expect((field.first("gmt_unix_time") == nil) == isNew)
      #expect((field.first("random_bytes") == nil) == isNew)
    }
  }

  // RFC 8446 section 4.2.3: a SignatureScheme is one code point. The older ones are pairs of RFC 5246.
  @Test(
    "a signature scheme has the parts of RFC 5246 only if they have a meaning",
    arguments: [(0x0401, 2), (0x0203, 2), (0x0804, 0), (0x0807, 0), (0x1a1a, 0)])
  func schemeParts(codePoint: UInt16, parts: Int) throws {
    var offer = hello
    offer.extensions = [.signatureAlgorithms([SignatureAndHashAlgorithm(rawValue: codePoint)])]
    let field = try #require(try HandshakeMessage(.clientHello(offer)).field.first("algorithm"))
    #expect(field.children.count == parts)
    #expect(field.meaning.hasPrefix(SignatureAndHashAlgorithm(rawValue: codePoint).description))
  }

  @Test("a message without an extensions block differs from one with an empty block")
  func noExtensions() throws {
    var bare = hello
    bare.extensions = nil
    var empty = hello
    empty.extensions = []
    let without = try HandshakeMessage(.clientHello(bare))
    let with = try HandshakeMessage(.clientHello(empty))
    #expect(with.bytes.count == without.bytes.count + 2)
    #expect(with.body == .clientHello(empty) && without.body == .clientHello(bare))
  }

  @Test("a repeated extension is an error with its position")
  func repeated() throws {
    var twice = hello
    twice.extensions = [.serverName(nil), .serverName(nil)]
    #expect(throws: WireError.self) { try HandshakeMessage(.clientHello(twice)) }
  }

  @Test("every other message is encoded and decoded without loss")
  func others() throws {
    let parameters = ServerECDHParameters(group: .x25519, publicKey: [UInt8](repeating: 9, count: 32))
    let algorithm = SignatureAndHashAlgorithm(rawValue: 0x0401)
    let bodies: [HandshakeMessage.Body] = [
      .helloRequest, .serverHelloDone, .certificate(CertificateMessage(certificateList: [[1, 2], [3]])),
      .serverHello(
        ServerHello(
          serverVersion: .tls12, random: Array(32..<64), cipherSuite: CipherSuite(rawValue: 0xc02f),
          extensions: [.serverName(nil), .supportedVersions([.tls12])])),
      .serverKeyExchange(
        .ephemeral(
          ServerKeyExchange.SignedParameters(
            .ecdh(parameters), DigitallySigned(algorithm: algorithm, signature: [7, 8])))),
      .certificateRequest(
        CertificateRequestMessage(
          certificateTypes: [1, 64], supportedSignatureAlgorithms: [algorithm], certificateAuthorities: [[0x30, 0]])),
      .certificateVerify(CertificateVerify(DigitallySigned(algorithm: algorithm, signature: [5]))),
      .clientKeyExchange(.rsa(encryptedPremasterSecret: [1, 2, 3])), .clientKeyExchange(.ecdhe(publicKey: [4, 5])),
      .clientKeyExchange(.opaque([6])), .finished(Finished(verifyData: Array(0..<12))),
      .unknown(type: HandshakeType(rawValue: 99), content: [1]),
    ]
    for body in bodies {
      let message = try HandshakeMessage(body)
      #expect(message.body == body)
      #expect(message.field.meaning == message.type.description)
    }
  }

  @Test("values longer than the protocol allows cannot be encoded")
  func tooLong() {
    var long = hello
    long.extensions = [.serverName(String(repeating: "a", count: 70_000))]
    #expect(throws: WireError.self) { try HandshakeMessage(.clientHello(long)) }
    var conversation = Conversation()
    var configuration = conversation.clientSettings
    configuration.host = String(repeating: "a", count: 70_000)
    conversation = Conversation(configuration, conversation.serverSettings).ran()
    #expect(conversation.failure(of: .client)?.finding.rule == .internalError)
  }

  @Test("an alert with another level, or with more bytes, is an error")
  func alerts() throws {
    #expect(try Alert(decoding: [2, 40]) == Alert(.fatal, .handshakeFailure))
    #expect(throws: WireError.self) { try Alert(decoding: [3, 40]) }
    #expect(throws: WireError.self) { try Alert(decoding: [2, 40, 0]) }
    #expect(throws: WireError.self) { try Alert(decoding: [2]) }
  }
}

@Suite("Names of messages")
struct MessageNameTests {
  @Test("every name is written and read without loss", arguments: ProtocolMessage.Name.known + [.encrypted(.handshake)])
  func roundTrip(_ name: ProtocolMessage.Name) {
    #expect(ProtocolMessage.Name(name.description) == name)
  }

  @Test("an unregistered name is refused", arguments: ["", "client_hello", "Handshake", "encrypted", "HTTP request"])
  func unknown(_ text: String) {
    #expect(ProtocolMessage.Name(text) == nil)
  }
}
