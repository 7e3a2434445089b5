import Cryptography
import Explanation
import Testing
import Wire

@testable import TLS

@Suite("Extensions of RFC 6066")
struct FragmentLengthTests {
  private static let suite = "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"

  private func conversation(
    _ change: (inout ClientConfiguration, inout ServerConfiguration) -> Void
  ) -> Conversation {
    let plain = Conversation(Self.suite)
    var (client, server) = (plain.clientSettings, plain.serverSettings)
    change(&client, &server)
    return Conversation(client, server).ran()
  }

  @Test(
    "both sides respect the client's max_fragment_length, for handshake and data",
    arguments: MaximumFragmentLength.allCases)
  func kept(_ length: MaximumFragmentLength) {
    var conversation = conversation { client, server in
      client.maximumFragmentLength = length
      server.certificates = [[UInt8](repeating: 0x30, count: 6000)]
    }
    #expect(conversation.isConnected)
    let content = [UInt8](repeating: 7, count: 10_000)
    for side in Side.allCases { conversation.send(content, from: side) }
    #expect(conversation.data(at: .client) == content && conversation.data(at: .server) == content)
    for side in Side.allCases {
      let sizes = conversation.sent(by: side).flatMap(\.records).map(\.fragment.count)
      // An AEAD adds at most 24 bytes.
      #expect(sizes.allSatisfy { $0 <= length.count + 24 })
    }
    #expect(conversation.sent(by: .server).contains { $0.name == .handshake(.certificate) && $0.records.count > 1 })
  }

  @Test("a peer that exceeds the negotiated length gets record_overflow", arguments: Side.allCases)
  func overflow(_ side: Side) {
    var conversation = conversation { client, _ in client.maximumFragmentLength = .bytes512 }
    for count in [512, 513] {
      let content = [UInt8](repeating: 7, count: count)
      let sent: [ConnectionEffect]
      if side == .client {
        conversation.client.outgoing.fragmentLimit = 1 << 14
        sent = conversation.client.send(content)
      } else {
        conversation.server.outgoing.fragmentLimit = 1 << 14
        sent = conversation.server.send(content)
      }
      conversation.receive(sent.sentBytes, at: side.peer)
      #expect(conversation.failure(of: side.peer)?.alert == (count == 512 ? nil : .recordOverflow))
    }
  }

  @Test("an undefined length, or one that was not offered, is illegal_parameter", arguments: [0, 1, 4, 5, 255])
  func codes(_ code: UInt8) throws {
    let isGood = MaximumFragmentLength(rawValue: code) != nil
    let hello = ClientHello(
      clientVersion: .tls12, random: [UInt8](repeating: 7, count: 32), cipherSuites: CipherSuite.defaults,
      extensions: [.maxFragmentLength(code), .renegotiationInfo([])])
    var server = Handshake(Conversation.serverConfiguration())
    let failure = server.handle(.received(try HandshakeMessage(.clientHello(hello)))).failure
    #expect(failure?.alert == (isGood ? nil : .illegalParameter))
    var log = EffectLog(.standard)
    var answer: HandshakeFailure?
    do throws(HandshakeFailure) {
      try log.checkFragmentLength(code, required: 4, on: .serverHello)
    } catch { answer = error }
    #expect(answer?.alert == (code == 4 ? nil : .illegalParameter))
  }

  @Test(
    "a requested OCSP response is received before the certificate is evaluated", arguments: [true, false],
    [true, false])
  func status(_ isAsked: Bool, _ isThere: Bool) {
    let response: [UInt8] = [0x30, 3, 0x0a, 1, 6]
    let conversation = conversation { client, server in
      client.asksForStatus = isAsked
      server.credentials.ocspResponse = isThere ? response : nil
    }
    #expect(conversation.isConnected)
    let names = conversation.sent(by: .server).map(\.name.description)
    #expect(names.contains("CertificateStatus") == (isAsked && isThere))
    let credentials = conversation.log.compactMap { entry -> PeerCredentials? in
      if case .evaluateCertificate(let credentials) = entry.effect { credentials } else { nil }
    }
    #expect(credentials.map(\.ocspResponse) == [isAsked && isThere ? response : nil])
  }

  @Test("an announced CertificateStatus may be missing; one that was not announced is refused")
  func announced() throws {
    let response = try HandshakeMessage(.certificateStatus(CertificateStatus(ocspResponse: [0x30, 0])))
    let record = Record(type: .handshake, version: .tls12, fragment: response.bytes).bytes
    let plain = Conversation(Self.suite)
    var unannounced = Conversation(plain.clientSettings, plain.serverSettings)
    unannounced.alter = { message, _ in message.bytes + (message.name == .handshake(.certificate) ? record : []) }
    #expect(unannounced.ran().failure(of: .client)?.finding.rule == .unexpectedMessage)
    var (client, server) = (plain.clientSettings, plain.serverSettings)
    client.asksForStatus = true
    server.credentials.ocspResponse = [0x30, 0]
    var twice = Conversation(client, server)
    twice.alter = { message, _ in message.bytes + (message.name == .handshake(.certificateStatus) ? record : []) }
    #expect(twice.ran().failure(of: .client)?.finding.rule == .unexpectedMessage)
    var missing = Conversation(client, server)
    missing.alter = { message, _ in message.name == .handshake(.certificateStatus) ? [] : message.bytes }
    missing.run()
    // The certificate was evaluated anyway; then the transcripts of the two sides differ.
    #expect(missing.failure(of: .server)?.finding.rule == .finishedMismatch)
    #expect(throws: WireError.self) { try HandshakeMessage(decoding: [22, 0, 0, 5, 2, 0, 0, 1, 0], under: nil) }
  }
}
