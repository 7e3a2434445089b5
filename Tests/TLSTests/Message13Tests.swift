import Cryptography
import Explanation
import Oracles
import Testing
import Wire

@testable import TLS

private let file = "tls13/tls13_messages.json"

@Suite("The messages of TLS 1.3 as bytes and as fields")
struct Message13Tests {
  struct VectorFile: Decodable {
    let cases: [Case]
  }

  struct Case: Decodable {
    let id, kind: String
    let bytes: HexBytes
    let valid: Bool
  }

  private static let places: [String: (ExtensionType, Extension.Place)] = [
    "key_share_CH": (.keyShare, .clientHello13), "key_share_HRR": (.keyShare, .helloRetryRequest),
    "key_share_SH": (.keyShare, .serverHello), "cookie": (.cookie, .helloRetryRequest),
    "supported_version": (.supportedVersions, .clientHello13),
    "signature_algorithms_cert": (.certificateSignatureAlgorithms, .clientHello13),
    "supported_groups": (.supportedGroups, .encryptedExtensions), "alpn": (.applicationProtocols, .clientHello13),
  ]

  private static var negotiated: Negotiated? {
    CipherSuite.aes128GCMSHA256.registration.map { Negotiated(version: .tls13, suite: $0) }
  }

  /// A handshake message of TLS 1.3 from these bytes of its body.
  private func message(_ type: HandshakeType, _ body: [UInt8]) throws -> HandshakeMessage {
    let header = [type.rawValue, 0, UInt8(truncatingIfNeeded: body.count >> 8), UInt8(truncatingIfNeeded: body.count)]
    return try HandshakeMessage(decoding: header + body, under: Self.negotiated)
  }

  private func isReadable(_ vector: Case) -> Bool {
    switch vector.kind {
    case "client_hello":
      guard case .clientHello(let hello)? = (try? message(.clientHello, vector.bytes.bytes))?.body else { return false }
      // The form permits other compression methods, the handshake does not.
      return !hello.offeredVersions.contains(.tls13) || hello.compressionMethods == [0]
    case "server_hello": return (try? message(.serverHello, vector.bytes.bytes)) != nil
    default:
      guard let (type, place) = Self.places[vector.kind] else { return false }
      var reader = Reader(vector.bytes.bytes)
      return (try? Extension(data: &reader, type, in: place)) != nil && reader.isAtEnd
    }
  }

  @Test("the vectors of extensions and hellos are read if they are valid", .needsData(file))
  func vectors() throws {
    let cases = try Vectors.read(file, as: VectorFile.self).cases
    #expect(cases.count >= 30)
    for vector in cases { #expect(isReadable(vector) == vector.valid, "\(vector.id)") }
  }

  /// Every handshake message of RFC 8448 and of the recorded sessions, with the suite that determines its form.
  private static let recorded: [(bytes: [UInt8], suite: CipherSuite.Registration)] = {
    let traces = Traces13.all.flatMap { trace in
      trace.steps.flatMap { step in (step.messages ?? []).map { ($0.bytes.bytes, trace.suite) } }
    }
    let sessions = Sessions13.all.flatMap { session in
      let suite = session.expected.cipher_suite.flatMap { CipherSuite(name: $0) }?.registration
      return ["client", "server"].flatMap { side -> [([UInt8], CipherSuite.Registration?)] in
        var reassembly = HandshakeReassembly()
        var log = EffectLog(.standard)
        var messages: [[UInt8]] = []
        for record in session.expected.plaintext_records where record.dir == side && record.inner_type == 22 {
          reassembly.append(record.content.bytes)
          while let bytes = try? reassembly.next(&log) { messages.append(bytes) }
        }
        return messages.map { ($0, suite) }
      }
    }
    return (traces + sessions).compactMap { bytes, suite in suite.map { (bytes, $0) } }
  }()

  @Test(
    "every recorded message is decoded, encoded again, and shown in fields", .needsData(Traces13.file),
    .needsData(Sessions13.file))
  func recorded() throws {
    var types: Set<HandshakeType> = []
    for (bytes, suite) in Self.recorded {
      let negotiated = Negotiated(version: .tls13, suite: suite)
      let message = try HandshakeMessage(decoding: bytes, under: negotiated)
      types.insert(message.type)
      if case .unknown(let type, _) = message.body { Issue.record("\(type)") }
      #expect(try HandshakeMessage(message.body, under: negotiated).bytes == bytes, "\(message.type)")
      #expect(message.field.children.last?.range == 4..<bytes.count, "\(message.type)")
    }
    #expect(
      types == [
        .clientHello, .serverHello, .helloRetryRequest, .encryptedExtensions, .certificate, .certificateVerify,
        .finished, .newSessionTicket, .keyUpdate, .endOfEarlyData, .certificateRequest, .compressedCertificate,
      ])
  }

  @Test(
    "a recorded message without its last byte, or with another one behind it, is refused", .needsData(Traces13.file),
    .needsData(Sessions13.file))
  func cut() throws {
    for (bytes, suite) in Self.recorded {
      let negotiated = Negotiated(version: .tls13, suite: suite)
      let type = bytes[0]
      for body in [Array(bytes.dropFirst(4).dropLast()), bytes.dropFirst(4) + [0]] {
        guard bytes.count > 4 || !body.isEmpty else { continue }
        let header = [type] + [body.count >> 16, body.count >> 8, body.count].map { UInt8(truncatingIfNeeded: $0) }
        #expect(throws: WireError.self) { try HandshakeMessage(decoding: header + body, under: negotiated) }
      }
    }
  }

  @Test("no changed byte of a recorded message stops the program", .needsData(Traces13.file))
  func changed() throws {
    for (bytes, suite) in Self.recorded.prefix(30) {
      for index in bytes.indices {
        var changed = bytes
        changed[index] ^= 0xff
        let message = try? HandshakeMessage(
          decoding: changed, under: Negotiated(version: .tls13, suite: suite))
        _ = message?.field
      }
    }
  }

  @Test("the signed content of CertificateVerify is that of RFC 8448", .needsData(Traces13.file))
  func signedContent() {
    let verified = Traces13.all.flatMap(\.steps).flatMap { $0.messages ?? [] }.compactMap(\.verify)
      .filter { $0.signed_content != nil }
    #expect(verified.count >= 3)
    for verify in verified {
      #expect(
        CertificateVerify.signedContent13(by: .server, transcriptHash: verify.transcript_hash.bytes)
          == verify.signed_content?.bytes)
    }
  }

  @Test(
    "a compressed certificate has the original content, at every length of a match and distance",
    arguments: [[258], [3, 10, 11, 257, 259, 600], [1, 2, 40_000, 3], [0, 5, 8193]])
  func deflate(_ repeats: [Int]) throws {
    // Each run of equal bytes is a match at distance 1; the repetition of the whole is one at a long distance.
    let runs = repeats.enumerated().flatMap { [UInt8](repeating: UInt8($0.offset), count: $0.element) }
    let content = runs + (0...255).map { UInt8($0) } + runs.prefix(100) + (0...255).map { UInt8(255 - $0) }
    let message = CertificateMessage(certificateList: [content], tls13: .init(extensions: [[]]))
    let compressed = try CompressedCertificate(message)
    #expect(compressed.certificate == message)
    #expect(compressed.content.count < content.count)
  }

  @Test(
    "a compressed certificate of another algorithm, length or content is not a certificate",
    .needsData(Sessions13.file))
  func compressed() throws {
    let messages = Self.recorded.compactMap { bytes, suite in
      try? HandshakeMessage(decoding: bytes, under: Negotiated(version: .tls13, suite: suite))
    }
    var count = 0
    for case .compressedCertificate(let message) in messages.map(\.body) {
      count += 1
      #expect(message.certificate?.certificateList.isEmpty == false)
      var others = [message, message, message, message, message]
      others[0].algorithm = CertificateCompression(rawValue: 2)
      others[1].uncompressedLength += 1
      others[2].uncompressedLength -= 1
      others[3].content += [0]
      others[4].uncompressedLength = 0xff_ffff
      for other in others { #expect(other.certificate == nil) }
      for index in message.content.indices {
        var changed = message
        changed.content[index] ^= 1
        #expect(changed.certificate != message.certificate)
      }
    }
    #expect(count >= 1)
  }

  @Test("until the version is known, an extension of TLS 1.3 with another content keeps its bytes")
  func untyped() throws {
    let share = KeyShareEntry(group: .x25519, keyExchange: [UInt8](repeating: 1, count: 32))
    let hello = ClientHello(
      clientVersion: .tls12, random: Array(0..<32), cipherSuites: [.aes128GCMSHA256],
      extensions: [.supportedVersions([.tls13]), .tls13(.keyShares([share]))])
    let bytes = try HandshakeMessage(.clientHello(hello)).bytes
    let typed = try HandshakeMessage(decoding: bytes, under: Self.negotiated)
    #expect(typed.body == .clientHello(hello))
    #expect(try HandshakeMessage(decoding: bytes, under: nil).body == .clientHello(hello))
    var odd = hello
    odd.extensions = [.other(type: .keyShare, data: [0, 9])]
    let message = try HandshakeMessage(.clientHello(odd))
    #expect(try HandshakeMessage(decoding: message.bytes, under: nil).body == .clientHello(odd))
    #expect(throws: WireError.self) { try HandshakeMessage(decoding: message.bytes, under: Self.negotiated) }
  }
}
