import Cryptography
import Explanation
import Laboratory
import Oracles
import Testing
import Wire

@testable import TLS

/// The alert and the rule with which the receiver of a fault ends a connection.
struct Verdict13: Sendable, Hashable {
  let alert: AlertDescription
  let rule: String

  init(_ alert: AlertDescription, _ rule: String) { (self.alert, self.rule) = (alert, rule) }

  static let unexpected = Verdict13(.unexpectedMessage, "handshake.unexpected-message")
  static let unexpectedType = Verdict13(.unexpectedMessage, "record.unexpected-type")
  static let empty = Verdict13(.unexpectedMessage, "record.empty")
  static let badMAC = Verdict13(.badRecordMAC, "record.bad-mac")
  static let overflow = Verdict13(.recordOverflow, "record.overflow")
  static let illegal = Verdict13(.illegalParameter, "handshake.illegal-parameter")
  static let badShare = Verdict13(.illegalParameter, "handshake.bad-key-share")
  static let badScheme = Verdict13(.illegalParameter, "handshake.no-common-signature-scheme")
  static let decode = Verdict13(.decodeError, "handshake.decode-error")
  static let mismatch = Verdict13(.decryptError, "handshake.finished-mismatch")
  static let missing = Verdict13(.missingExtension, "handshake.illegal-parameter")
  static let unsupported = Verdict13(.unsupportedExtension, "handshake.unsupported-extension")
}

/// A fault in one message of a side, and the verdict of the other side.
struct Fault13: Sendable, CustomTestStringConvertible {
  typealias Setup = @Sendable (inout ClientConfiguration, inout ServerConfiguration) -> Void

  let name: String
  let verdict: Verdict13
  let setup: Setup
  let sender: Side
  let type: HandshakeType
  let number: Int
  let change: @Sendable (ProtocolMessage) -> [ForgedRecord]

  var testDescription: String { "\(sender): \(name)" }

  /// Replaces a message of `sender` by these records.
  init(
    _ name: String, _ verdict: Verdict13, _ sender: Side, _ type: HandshakeType, number: Int = 1,
    _ setup: @escaping Setup = { _, _ in }, change: @escaping @Sendable (ProtocolMessage) -> [ForgedRecord]
  ) {
    (self.name, self.verdict, self.setup) = (name, verdict, setup)
    (self.sender, self.type, self.number, self.change) = (sender, type, number, change)
  }

  /// Changes the fields of a ClientHello.
  static func clientHello(
    _ name: String, _ verdict: Verdict13, number: Int = 1, _ setup: @escaping Setup = { _, _ in },
    edit: @escaping @Sendable (inout ClientHello) -> Void
  ) -> Fault13 {
    Fault13(name, verdict, .client, .clientHello, number: number, setup) { message in
      guard case .handshake(let whole) = message.content,
        let again = try? HandshakeMessage(decoding: whole.bytes, under: .form13),
        case .clientHello(var hello) = again.body
      else { return [] }
      edit(&hello)
      return [.clearHandshake(encoded(.clientHello) { (writer) throws(WireError) in try hello.write(to: &writer) })]
    }
  }

  /// Changes the fields of a ServerHello or HelloRetryRequest.
  static func serverHello(
    _ name: String, _ verdict: Verdict13, _ type: HandshakeType = .serverHello,
    _ setup: @escaping Setup = { _, _ in }, edit: @escaping @Sendable (inout ServerHello) -> Void
  ) -> Fault13 {
    Fault13(name, verdict, .server, type, setup) { message in
      guard case .handshake(let whole) = message.content, case .serverHello(var hello) = whole.body else { return [] }
      edit(&hello)
      return [.clearHandshake(encoded(.serverHello) { (writer) throws(WireError) in try hello.write(to: &writer) })]
    }
  }

  /// Changes the extensions of EncryptedExtensions.
  static func encryptedExtensions(
    _ name: String, _ verdict: Verdict13, _ setup: @escaping Setup = { _, _ in },
    edit: @escaping @Sendable (inout [Extension]?) -> Void
  ) -> Fault13 {
    Fault13(name, verdict, .server, .encryptedExtensions, setup) { message in
      guard case .handshake(let whole) = message.content, case .encryptedExtensions(let answer) = whole.body
      else { return [] }
      var list: [Extension]? = answer.extensions
      edit(&list)
      let changed = EncryptedExtensions(extensions: list ?? [])
      return [
        .handshake(encoded(.encryptedExtensions) { (writer) throws(WireError) in try changed.write(to: &writer) })
      ]
    }
  }

  /// Changes the bytes of a protected message; the first four are its header.
  static func bytes(
    _ name: String, _ verdict: Verdict13, _ sender: Side, _ type: HandshakeType,
    _ setup: @escaping Setup = { _, _ in }, edit: @escaping @Sendable (inout [UInt8]) -> Void
  ) -> Fault13 {
    Fault13(name, verdict, sender, type, setup) { message in
      var bytes = message.plaintext
      edit(&bytes)
      return [.handshake(bytes)]
    }
  }

  /// A message with this body, which need not be valid.
  static func encoded(_ type: HandshakeType, _ write: (inout Writer) throws(WireError) -> Void) -> [UInt8] {
    var content = Writer()
    do throws(WireError) { try write(&content) } catch { Issue.record("\(type): \(error)") }
    let count = content.bytes.count
    return [type.onWire.rawValue, 0, UInt8(count >> 8), UInt8(count & 0xff)] + content.bytes
  }

  /// A Certificate message with one certificate.
  static func certificate(context: [UInt8] = [], _ extensions: [Extension] = []) -> ForgedRecord {
    let parts = CertificateMessage.Parts13(context: context, extensions: [extensions])
    let message = CertificateMessage(certificateList: [[0x30, 0]], tls13: parts)
    return .handshake((try? HandshakeMessage(.certificate(message), under: .form13))?.bytes ?? [])
  }

  /// A CertificateRequest.
  static func request(context: [UInt8] = [], _ extensions: [Extension]) -> ForgedRecord {
    let request = CertificateRequest13(context: context, extensions: extensions)
    return .handshake(
      encoded(.certificateRequest) { (writer) throws(WireError) in try request.write(to: &writer) })
  }

  /// Both sides before the change.
  var conversation: Conversation {
    var conversation = Handshake13Tests.conversation { client, server in setup(&client, &server) }
    conversation.clientAnswer = .accepted(Conversation.ecKey.publicKey)
    return conversation
  }
}

extension [Extension]? {
  fileprivate mutating func drop(_ type: ExtensionType) { self = self?.filter { $0.type != type } }

  /// Replaces the extension of this type, or adds it at the end.
  fileprivate mutating func put(_ item: Extension) {
    guard let place = self?.firstIndex(where: { $0.type == item.type }) else {
      self?.append(item)
      return
    }
    self?[place] = item
  }
}

extension Conversation {
  /// The alert that a side sent last; nil if its last message is another one.
  func lastAlert(of side: Side) -> AlertDescription? {
    guard case .alert(let alert)? = sent(by: side).last?.content else { return nil }
    return alert.description
  }

  /// Checks that `side` ended the connection with this verdict.
  func expect(_ verdict: Verdict13?, of side: Side, _ name: String = "") {
    let found = failure(of: side).map { Verdict13($0.alert, $0.finding.rule.id) }
    #expect(found == verdict, "\(name)")
    #expect(lastAlert(of: side) == verdict?.alert, "\(name)")
  }
}

// MARK: - Hello messages

extension Fault13 {
  private static let retry: Setup = { client, server in
    client.groups = [.x25519, .secp256r1]
    server.groups = [.secp256r1]
    server.sendsCookie = true
  }
  private static let sharedKey: Setup = { client, server in
    let key = ExternalPSK(identity: Array("sensor".utf8), key: [UInt8](repeating: 9, count: 32))
    (client.externalPSK, server.externalPSKs) = (key, [key])
  }
  private static let protocols: Setup = { client, server in
    (client.applicationProtocols, server.applicationProtocols) = ([.http2], [.http2])
  }
  private static let unknown = Extension.other(type: ExtensionType(rawValue: 0x1234), data: [])
  private static let point = [4] + [UInt8](repeating: 1, count: 64)

  private static func share(_ bytes: [UInt8]) -> Extension {
    .tls13(.keyShares([KeyShareEntry(group: .x25519, keyExchange: bytes)]))
  }

  /// Faults in the first ClientHello.
  static let firstHellos: [Fault13] = [
    .clientHello("legacy_version of SSL 3.0", Verdict13(.protocolVersion, "handshake.illegal-parameter")) {
      $0.clientVersion = .sslv3
    },
    .clientHello("legacy_version of TLS 1.1", .illegal) { $0.clientVersion = .tls11 },
    .clientHello("no version in common", Verdict13(.protocolVersion, "handshake.no-common-version")) {
      $0.extensions.put(.supportedVersions([ProtocolVersion(rawValue: 0x0305)]))
    },
    .clientHello("a fallback", Verdict13(.inappropriateFallback, "handshake.inappropriate-fallback")) {
      $0.cipherSuites.append(.fallback)
      $0.extensions.put(.supportedVersions([.tls12]))
    },
    .clientHello("another compression", .illegal) { $0.compressionMethods = [1, 0] },
    .clientHello("no null compression", .illegal) { $0.compressionMethods = [1] },
    .clientHello("no supported_groups", .missing) { $0.extensions.drop(.supportedGroups) },
    .clientHello("no key_share", .missing) { $0.extensions.drop(.keyShare) },
    .clientHello("no signature_algorithms", .missing) { $0.extensions.drop(.signatureAlgorithms) },
    .clientHello("a share in a group that is not listed", .illegal) {
      $0.extensions.put(.tls13(.keyShares([KeyShareEntry(group: .secp256r1, keyExchange: point)])))
    },
    .clientHello("two shares in one group", .illegal) {
      let entry = KeyShareEntry(group: .x25519, keyExchange: [UInt8](repeating: 1, count: 32))
      $0.extensions.put(.tls13(.keyShares([entry, entry])))
    },
    .clientHello("an empty share", .decode) {
      $0.extensions.put(.other(type: .keyShare, data: [0, 4, 0, 29, 0, 0]))
    },
    .clientHello("a share that is too short", .badShare) {
      $0.extensions.put(share([UInt8](repeating: 1, count: 31)))
    },
    .clientHello("a share of small order", .badShare) { $0.extensions.put(share([UInt8](repeating: 0, count: 32))) },
    .clientHello("no suite in common", Verdict13(.handshakeFailure, "handshake.no-common-suite")) {
      $0.cipherSuites = [.chacha20Poly1305SHA256]
    },
    .clientHello("no group in common", Verdict13(.handshakeFailure, "handshake.no-common-group")) {
      $0.extensions.put(.supportedGroups([.secp384r1]))
      $0.extensions.put(.tls13(.keyShares([])))
    },
    .clientHello("no scheme in common", Verdict13(.handshakeFailure, "handshake.no-common-signature-scheme")) {
      $0.extensions.put(.other(type: .signatureAlgorithms, data: [0, 2, 8, 7]))
    },
    .clientHello(
      "no protocol in common", Verdict13(.noApplicationProtocol, "handshake.no-application-protocol"), protocols
    ) {
      $0.extensions.put(.applicationProtocols([.http11]))
    },
    .clientHello("an extension twice", .decode) {
      $0.extensions?.append(unknown); $0.extensions?.append(unknown)
    },
    .clientHello("a record size limit of 63", .illegal) { $0.extensions.put(.tls13(.recordSizeLimit(63))) },
    .clientHello("pre_shared_key before another extension", .illegal, sharedKey) { $0.extensions?.append(unknown) },
    .clientHello("a binder without an identity", .illegal, sharedKey) { hello in
      guard var offer = hello.extensions?.preSharedKeys else { return }
      offer.binders.append([UInt8](repeating: 0, count: 32))
      hello.extensions.put(.tls13(.preSharedKeys(offer)))
    },
    .clientHello("no psk_key_exchange_modes", .missing, sharedKey) { $0.extensions.drop(.pskKeyExchangeModes) },
    .clientHello("a wrong binder", .mismatch, sharedKey) { hello in
      guard var offer = hello.extensions?.preSharedKeys else { return }
      offer.binders[0][0] ^= 1
      hello.extensions.put(.tls13(.preSharedKeys(offer)))
    },
    Fault13("a byte after the extensions", .decode, .client, .clientHello) { message in
      var bytes = message.plaintext + [0]
      bytes[3] += 1
      return [.clearHandshake(bytes)]
    },
    Fault13("another message in the record of the hello", .unexpected, .client, .clientHello) { message in
      [.clearHandshake(message.plaintext + [11, 0, 0, 0])]
    },
    Fault13("ChangeCipherSpec before the hello", .unexpected, .client, .clientHello) { message in
      [.clear([20, 3, 3, 0, 1, 1]), .clear(message.bytes)]
    },
    Fault13("an empty record before the hello", .empty, .client, .clientHello) { message in
      [.clearHandshake([]), .clear(message.bytes)]
    },
    Fault13("a record that is too long", .overflow, .client, .clientHello) { _ in [.clear([22, 3, 1, 0x40, 1])] },
  ]

  /// Faults in the ClientHello after a HelloRetryRequest.
  static let secondHellos: [Fault13] = [
    .clientHello("another random value", .illegal, number: 2, retry) { $0.random[0] ^= 1 },
    .clientHello("another session ID", .illegal, number: 2, retry) { $0.sessionID[0] ^= 1 },
    .clientHello("other suites", .illegal, number: 2, retry) { $0.cipherSuites.append(.chacha20Poly1305SHA256) },
    .clientHello("another extension", .illegal, number: 2, retry) { $0.extensions?.insert(.statusRequest([1]), at: 0) },
    .clientHello("other groups", .illegal, number: 2, retry) {
      $0.extensions.put(.supportedGroups([.secp256r1, .secp384r1]))
    },
    .clientHello("another legacy_version", .illegal, number: 2, retry) { $0.clientVersion = .tls11 },
    .clientHello("a share in another group", .illegal, number: 2, retry) {
      $0.extensions.put(share([UInt8](repeating: 1, count: 32)))
    },
    .clientHello("no share", .illegal, number: 2, retry) { $0.extensions.put(.tls13(.keyShares([]))) },
    .clientHello("a point that is not on the curve", .badShare, number: 2, retry) {
      $0.extensions.put(.tls13(.keyShares([KeyShareEntry(group: .secp256r1, keyExchange: point)])))
    },
    .clientHello("no cookie", .illegal, number: 2, retry) { $0.extensions.drop(.cookie) },
    .clientHello("another cookie", .illegal, number: 2, retry) { $0.extensions.put(.tls13(.cookie([1]))) },
    .clientHello("early_data", .illegal, number: 2, retry) {
      $0.extensions?.insert(.tls13(.earlyData(maximum: nil)), at: 0)
    },
    Fault13("an empty record before it", .empty, .client, .clientHello, number: 2, retry) { message in
      [.clearHandshake([]), .clear(message.bytes)]
    },
    Fault13("an empty alert before it", .empty, .client, .clientHello, number: 2, retry) { message in
      [.clear([21, 3, 3, 0, 0]), .clear(message.bytes)]
    },
    Fault13("another message in its place", .unexpected, .client, .clientHello, number: 2, retry) { _ in
      [.clearHandshake([11, 0, 0, 0])]
    },
  ]

  /// Faults in ServerHello and HelloRetryRequest.
  static let serverHellos: [Fault13] = [
    .serverHello("another session ID", .illegal) { $0.sessionID[0] ^= 1 },
    .serverHello("no session ID", .illegal) { $0.sessionID = [] },
    .serverHello("a suite that was not offered", Verdict13(.illegalParameter, "handshake.suite-not-offered")) {
      $0.cipherSuite = .chacha20Poly1305SHA256
    },
    .serverHello(
      "a suite of TLS 1.2", Verdict13(.illegalParameter, "handshake.suite-of-other-version"),
      .serverHello, { client, _ in client.cipherSuites += CipherSuite.defaults }
    ) {
      $0.cipherSuite = CipherSuite.defaults[0]
    },
    .serverHello("compression", .illegal) { $0.compressionMethod = 1 },
    .serverHello("legacy_version of TLS 1.1", .illegal) { $0.serverVersion = .tls11 },
    .serverHello("TLS 1.2 in supported_versions", .illegal) { $0.extensions.put(.supportedVersions([.tls12])) },
    .serverHello("an unknown version in supported_versions", .illegal) {
      $0.extensions.put(.supportedVersions([ProtocolVersion(rawValue: 0x0305)]))
    },
    .serverHello("a share in a group that was not offered", .illegal) {
      $0.extensions.put(.tls13(.keyShare(KeyShareEntry(group: .secp256r1, keyExchange: point))))
    },
    .serverHello("a share of small order", .badShare) {
      $0.extensions.put(.tls13(.keyShare(KeyShareEntry(group: .x25519, keyExchange: [UInt8](repeating: 0, count: 32)))))
    },
    .serverHello("no share", .missing) { $0.extensions.drop(.keyShare) },
    .serverHello("no share in psk_dhe_ke", .illegal, .serverHello, sharedKey) { $0.extensions.drop(.keyShare) },
    .serverHello("a key that was not offered", .unsupported) { $0.extensions.put(.tls13(.selectedIdentity(0))) },
    .serverHello("an index after the last key", .illegal, .serverHello, sharedKey) {
      $0.extensions.put(.tls13(.selectedIdentity(1)))
    },
    .serverHello("an extension of EncryptedExtensions", .illegal, .serverHello, protocols) {
      $0.extensions.put(.applicationProtocols([.http2]))
    },
    .serverHello("an extension that was not offered", .unsupported) { $0.extensions.put(unknown) },
    .serverHello("an extension twice", .decode) { $0.extensions?.append(.supportedVersions([.tls13])) },
    Fault13("another message in the record of ServerHello", .unexpected, .server, .serverHello) { message in
      [.clearHandshake(message.plaintext + [8, 0, 0, 2, 0, 0])]
    },
    Fault13("an empty record before ServerHello", .empty, .server, .serverHello) { message in
      [.clearHandshake([]), .clear(message.bytes)]
    },
    Fault13("another message in place of ServerHello", .unexpected, .server, .serverHello) { _ in
      [.clearHandshake([8, 0, 0, 2, 0, 0])]
    },
    .serverHello("a retry in a group that was not offered", .illegal, .helloRetryRequest, retry) {
      $0.extensions.put(.tls13(.selectedGroup(.secp384r1)))
    },
    .serverHello("a retry in a group that has a share", .illegal, .helloRetryRequest, retry) {
      $0.extensions.put(.tls13(.selectedGroup(.x25519)))
    },
    .serverHello("a retry that changes nothing", .illegal, .helloRetryRequest, retry) {
      $0.extensions = [.supportedVersions([.tls13])]
    },
    .serverHello("a retry with an extension that was not offered", .unsupported, .helloRetryRequest, retry) {
      $0.extensions.put(unknown)
    },
    .serverHello("a retry with another session ID", .illegal, .helloRetryRequest, retry) { $0.sessionID = [] },
    .serverHello(
      "a retry with a suite that was not offered", Verdict13(.illegalParameter, "handshake.suite-not-offered"),
      .helloRetryRequest, retry
    ) {
      $0.cipherSuite = .chacha20Poly1305SHA256
    },
    .serverHello("a second retry", .unexpected, .serverHello, retry) {
      $0.random = ServerHello.retryRandom
      $0.extensions = [.supportedVersions([.tls13]), .tls13(.selectedGroup(.secp256r1))]
    },
    .serverHello(
      "another suite after a retry", .illegal, .serverHello,
      { client, server in
        retry(&client, &server)
        client.cipherSuites.append(.chacha20Poly1305SHA256)
      }
    ) {
      $0.cipherSuite = .chacha20Poly1305SHA256
    },
    .serverHello("an older version after a retry", .illegal, .serverHello, retry) {
      $0.extensions.drop(.supportedVersions)
    },
  ]

  /// Faults in the rest of the server's flight.
  static let serverFlights: [Fault13] = [
    .encryptedExtensions("an extension of ServerHello", .illegal) { $0.put(.other(type: .keyShare, data: [])) },
    .encryptedExtensions("an extension that was not offered", .unsupported) { $0.put(unknown) },
    .encryptedExtensions("early_data that was not offered", .unsupported) {
      $0.put(.tls13(.earlyData(maximum: nil)))
    },
    .encryptedExtensions("a protocol that was not offered", .illegal, protocols) {
      $0.put(.applicationProtocols([.http11]))
    },
    .encryptedExtensions("an extension twice", .decode) { $0?.append(.serverName(nil)) },
    Fault13("no EncryptedExtensions", .unexpected, .server, .encryptedExtensions) { _ in [] },
    Fault13("a request with a context", .illegal, .server, .certificate) { _ in
      [request(context: [1], [.other(type: .signatureAlgorithms, data: [0, 2, 4, 3])])]
    },
    Fault13("a request without signature_algorithms", .missing, .server, .certificate) { _ in [request([])] },
    Fault13("a request with a pre-shared key", .unexpected, .server, .finished, sharedKey) { _ in
      [request([])]
    },
    Fault13("no Certificate", .unexpected, .server, .certificate) { _ in [] },
    .bytes("an empty list", .decode, .server, .certificate) { $0 = [11, 0, 0, 4, 0, 0, 0, 0] },
    Fault13("a Certificate with a context", .illegal, .server, .certificate) { _ in [certificate(context: [1])] },
    Fault13("an extension of a certificate that was not requested", .unsupported, .server, .certificate) { _ in
      [certificate([.other(type: .padding, data: [])])]
    },
    Fault13(
      "a compressed certificate that cannot be decompressed", Verdict13(.badCertificate, "handshake.decode-error"),
      .server, .certificate, { client, _ in client.certificateCompression = [.zlib] }
    ) { _ in
      [.handshake([25, 0, 0, 9, 0, 1, 0, 0, 9, 0, 0, 1, 7])]
    },
    Fault13("no CertificateVerify", .unexpected, .server, .certificateVerify) { _ in [] },
    .bytes("PKCS #1 v1.5", .badScheme, .server, .certificateVerify) { ($0[4], $0[5]) = (4, 1) },
    .bytes("SHA-1", .badScheme, .server, .certificateVerify) { ($0[4], $0[5]) = (2, 3) },
    .bytes("the hash of another curve", .badScheme, .server, .certificateVerify) { ($0[4], $0[5]) = (5, 3) },
    .bytes(
      "a wrong signature", Verdict13(.decryptError, "handshake.bad-signature"), .server, .certificateVerify
    ) {
      $0[$0.count - 1] ^= 1
    },
    Fault13("a ticket before Finished", .unexpected, .server, .finished) { _ in
      [.handshake([4, 0, 0, 14, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 7, 0, 0])]
    },
  ]

  private static let asksClient: Setup = { client, server in
    client.identity = ClientIdentity(
      certificates: [[0x30, 0]], privateKey: Conversation.ecKey, privateKeyName: "alice.key")
    server.clientAuthentication = .required
  }

  /// Faults in the rest of the client's flight.
  static let clientFlights: [Fault13] = [
    .bytes(
      "an empty list", Verdict13(.certificateRequired, "client-auth.certificate-required"), .client, .certificate,
      asksClient
    ) {
      $0 = [11, 0, 0, 4, 0, 0, 0, 0]
    },
    Fault13("a Certificate with a context", .illegal, .client, .certificate, asksClient) { _ in
      [certificate(context: [1])]
    },
    Fault13("an extension that was not requested", .unsupported, .client, .certificate, asksClient) { _ in
      [certificate([.other(type: .padding, data: [])])]
    },
    Fault13("no Certificate", .unexpected, .client, .certificate, asksClient) { _ in [] },
    .bytes("PKCS #1 v1.5", .badScheme, .client, .certificateVerify, asksClient) { ($0[4], $0[5]) = (4, 1) },
    .bytes(
      "a wrong signature", Verdict13(.decryptError, "client-auth.bad-certificate-verify"), .client,
      .certificateVerify, asksClient
    ) {
      $0[$0.count - 1] ^= 1
    },
    Fault13("no CertificateVerify", .unexpected, .client, .certificateVerify, asksClient) { _ in [] },
    Fault13("a Certificate that was not requested", .unexpected, .client, .finished) { _ in [certificate()] },
    Fault13("EndOfEarlyData without early data", .unexpected, .client, .finished) { _ in [.handshake([5, 0, 0, 0])] },
  ]
}

// MARK: - Records

extension Fault13 {
  /// Faults in place of a side's Finished, or before it.
  static func records(_ sender: Side) -> [Fault13] {
    func fault(
      _ name: String, _ verdict: Verdict13, _ change: @escaping @Sendable (ProtocolMessage) -> [ForgedRecord]
    ) -> Fault13 {
      Fault13(name, verdict, sender, .finished, change: change)
    }
    return [
      .bytes("a wrong Finished", .mismatch, sender, .finished) { $0[$0.count - 1] ^= 1 },
      .bytes("a Finished that is too short", .decode, sender, .finished) {
        $0.removeLast()
        $0[3] -= 1
      },
      fault("ChangeCipherSpec with another value", .unexpected) { _ in [.clear([20, 3, 3, 0, 1, 2])] },
      fault("ChangeCipherSpec of two bytes", .unexpected) { _ in [.clear([20, 3, 3, 0, 2, 1, 1])] },
      fault("ChangeCipherSpec without content", .unexpected) { _ in [.clear([20, 3, 3, 0, 0])] },
      fault("a protected ChangeCipherSpec", .unexpectedType) { _ in [.sealed(.changeCipherSpec, [1])] },
      fault("ChangeCipherSpec within a message", .unexpected) { message in
        [.handshake(Array(message.plaintext.prefix(9))), .clear([20, 3, 3, 0, 1, 1])]
      },
      fault("an unknown inner type", .unexpectedType) { _ in [.inner([1, 99])] },
      fault("no inner type", .unexpectedType) { _ in [.inner([UInt8](repeating: 0, count: 20))] },
      fault("no inner plaintext", .unexpectedType) { _ in [.inner([])] },
      fault("an empty handshake record", .empty) { _ in [.sealed(.handshake, [])] },
      fault("an empty handshake record with padding", .empty) { _ in [.inner([22, 0, 0, 0])] },
      fault("an empty alert", .empty) { _ in [.sealed(.alert, [])] },
      fault("half an alert", .decode) { _ in [.sealed(.alert, [2])] },
      fault("two alerts in a record", .decode) { _ in [.sealed(.alert, [1, 90, 1, 90])] },
      fault("a record that is too long", .overflow) { _ in [.clear([23, 3, 3, 0x41, 1])] },
      fault("an inner plaintext that is too long", .overflow) { _ in
        [.inner([UInt8](repeating: 1, count: 16_385) + [22])]
      },
      fault("padding that makes the inner plaintext too long", .overflow) { _ in
        [.inner([1, 23] + [UInt8](repeating: 0, count: 16_384))]
      },
      fault("a message in the clear", .unexpectedType) { [.clearHandshake($0.plaintext)] },
      fault("application data in the clear", .badMAC) { _ in
        [.clear([23, 3, 3, 0, 20] + [UInt8](repeating: 1, count: 20))]
      },
      fault("a record without a tag", .badMAC) { _ in [.clear([23, 3, 3, 0, 1, 1])] },
      fault("an empty record", .badMAC) { _ in [.clear([23, 3, 3, 0, 0])] },
      fault("an unknown record type", .unexpectedType) { _ in [.clear([99, 3, 3, 0, 1, 1])] },
      fault("another message in the record of Finished", .unexpected) {
        [.handshake($0.plaintext + [24, 0, 0, 1, 0])]
      },
      fault("application data before Finished", .unexpectedType) { _ in [.sealed(.applicationData, [1])] },
      fault("application data within a message", .unexpectedType) { message in
        [.handshake(Array(message.plaintext.prefix(9))), .sealed(.applicationData, [1])]
      },
      fault("KeyUpdate before Finished", .unexpected) { _ in [.handshake([24, 0, 0, 1, 0])] },
      fault("an unknown message", .unexpected) { _ in [.handshake([99, 0, 0, 0])] },
      fault("HelloRequest", .unexpected) { _ in [.handshake([0, 0, 0, 0])] },
      fault("a message that is too long", .decode) { _ in [.handshake([20, 255, 255, 255])] },
    ]
  }
}

@Suite("A misbehaving peer in TLS 1.3")
struct Faults13Tests {
  @Test(
    "each fault has its alert and its rule, and without it, the sides connect",
    arguments: [
      Fault13.firstHellos, Fault13.secondHellos, Fault13.serverHellos, Fault13.serverFlights, Fault13.clientFlights,
      Fault13.records(.client), Fault13.records(.server),
    ].flatMap(\.self))
  func faults(_ fault: Fault13) {
    #expect(fault.conversation.ran().isConnected)
    var conversation = fault.conversation
    conversation.forge(fault.sender, fault.type, number: fault.number, fault.change)
    conversation.run()
    conversation.expect(fault.verdict, of: fault.sender.peer)
  }

  @Test("records with the sender's keys, made by hand, are those of the sender")
  func forger() {
    var conversation = Handshake13Tests.conversation()
    for side in Side.allCases {
      conversation.forge(side, .keyUpdate) { _ in [] }
      #expect(conversation.ran().isConnected)
    }
  }

  /// Messages after the handshake, and the verdicts on them. A nil sender means both.
  private static let later: [(String, Verdict13, Side?, ContentType, [UInt8])] = [
    ("KeyUpdate with the value 2", .illegal, nil, .handshake, [24, 0, 0, 1, 2]),
    ("KeyUpdate without content", .decode, nil, .handshake, [24, 0, 0, 0]),
    ("KeyUpdate of two bytes", .decode, nil, .handshake, [24, 0, 0, 2, 0, 0]),
    ("two KeyUpdates in a record", .unexpected, nil, .handshake, [24, 0, 0, 1, 0, 24, 0, 0, 1, 0]),
    ("a message that continues under other keys", .unexpected, nil, .handshake, [24, 0, 0, 1, 0, 24]),
    ("a second Finished", .unexpected, nil, .handshake, [20, 0, 0, 32] + [UInt8](repeating: 0, count: 32)),
    ("a protected ChangeCipherSpec", .unexpectedType, nil, .changeCipherSpec, [1]),
    ("no inner type", .unexpectedType, nil, ContentType(rawValue: 0), []),
    ("an empty handshake record", .empty, nil, .handshake, []),
    ("an empty alert", .empty, nil, .alert, []),
    ("a ticket from the client", .unexpected, .client, .handshake, [4, 0, 0, 0]),
    ("a request that the client did not offer to answer", .unexpected, .server, .handshake, [13, 0, 0, 3, 0, 0, 0]),
    ("a ticket for more than a week", .illegal, .server, .handshake, ticket([0, 9, 0x3a, 0x81])),
    ("a ticket without content", .decode, .server, .handshake, [4, 0, 0, 0]),
    ("HelloRequest", .unexpected, .server, .handshake, [0, 0, 0, 0]),
  ]

  /// A NewSessionTicket with this lifetime.
  private static func ticket(_ lifetime: [UInt8]) -> [UInt8] {
    [4, 0, 0, 14] + lifetime + [0, 0, 0, 0, 0, 0, 1, 7, 0, 0]
  }

  /// A connection in which `side` sends one more record.
  private func connection(_ side: Side, _ type: ContentType, _ content: [UInt8]) -> Conversation {
    var conversation = Handshake13Tests.conversation().ran()
    let record = Record(type: type, version: .tls12, fragment: content)
    let bytes = side == .client ? conversation.client.wrap(record).bytes : conversation.server.wrap(record).bytes
    conversation.receive(bytes, at: side.peer)
    return conversation
  }

  @Test("messages that must not follow the handshake have their alert and their rule")
  func afterHandshake() {
    for (name, verdict, sender, type, content) in Self.later {
      for side in Side.allCases where sender == nil || sender == side {
        connection(side, type, content).expect(verdict, of: side.peer, "\(side): \(name)")
      }
    }
    for side in Side.allCases {
      connection(side, .handshake, [24, 0, 0, 1, 0]).expect(nil, of: side.peer)
      connection(side, .applicationData, []).expect(nil, of: side.peer)
    }
    connection(.server, .handshake, Self.ticket([0, 9, 0x3a, 0x80])).expect(nil, of: .client)
  }

  @Test("a second ClientHello is no renegotiation, and ChangeCipherSpec ends with the handshake")
  func strayRecords() {
    let hello = Handshake13Tests.conversation().ran().sent(by: .client).first?.plaintext ?? []
    connection(.client, .handshake, hello).expect(.unexpected, of: .server)
    for side in Side.allCases {
      var conversation = Handshake13Tests.conversation().ran()
      conversation.receive([20, 3, 3, 0, 1, 1], at: side)
      conversation.expect(.unexpected, of: side)
      conversation = Handshake13Tests.conversation().ran()
      conversation.receive([22, 3, 3, 0, 4, 0, 0, 0, 0], at: side)
      conversation.expect(.unexpectedType, of: side)
    }
  }

  @Test("a nonce serves one ticket")
  func repeatedNonce() {
    var conversation = connection(.server, .handshake, Self.ticket([0, 0, 0, 9]))
    conversation.expect(nil, of: .client)
    let record = Record(type: .handshake, version: .tls12, fragment: Self.ticket([0, 0, 0, 9]))
    let bytes = conversation.server.wrap(record).bytes
    conversation.receive(bytes, at: .client)
    conversation.expect(.illegal, of: .client)
  }

  @Test("a client that can do more than TLS 1.2 may send TLS_FALLBACK_SCSV")
  func noFallback() {
    let conversation = Handshake13Tests.conversation { client, _ in client.cipherSuites.append(.fallback) }
    #expect(conversation.ran().isConnected)
  }

  /// A resumption with early data of this length, before it is played.
  private func early(_ count: Int, isAccepted: Bool) throws -> Conversation {
    try Resumption13Tests.connections(
      .cache, { _, server in server.earlyData = EarlyDataPolicy(maximum: 40_000) },
      next: { client, server in
        client.earlyData = [UInt8](repeating: 1, count: count)
        server.earlyData = isAccepted ? EarlyDataPolicy(maximum: 40_000) : nil
      }
    ).second
  }

  @Test("a record that does not open ends accepted early data; too many end rejected early data")
  func earlyData() throws {
    var conversation = try early(10, isAccepted: true)
    #expect(conversation.ran().isConnected)
    conversation.alter = { message, _ in
      guard message.name == .applicationData, let last = message.bytes.last else { return message.bytes }
      return message.bytes.dropLast() + [last ^ 1]
    }
    conversation.run().expect(.badMAC, of: .server)
    conversation = try early(10, isAccepted: true)
    conversation.alter = { message, _ in message.name == .handshake(.endOfEarlyData) ? [] : message.bytes }
    conversation.run().expect(.badMAC, of: .server)
    #expect(try early(10_000, isAccepted: false).ran().isConnected)
    try early(40_000, isAccepted: false).ran()
      .expect(Verdict13(.unexpectedMessage, "record.stalling"), of: .server)
  }

  @Test("the verdict on a certificate becomes its alert")
  func certificates() {
    let alerts: [AlertDescription] = [
      .badCertificate, .unsupportedCertificate, .certificateRevoked, .certificateExpired, .certificateUnknown,
      .unknownCA,
    ]
    for alert in alerts {
      var conversation = Handshake13Tests.conversation()
      conversation.answer = .refused(alert)
      conversation.run().expect(Verdict13(alert, "handshake.certificate-refused"), of: .client)
    }
  }

  @Test("an alert of a peer ends the connection, whatever its level; user_canceled alone does not")
  func alerts() {
    for side in Side.allCases {
      for level: UInt8 in [1, 2] {
        let played = connection(side, .alert, [level, 40])
        let failure = played.failure(of: side.peer)
        #expect(failure?.isOwn == false && failure?.alert == .handshakeFailure)
        #expect(failure?.finding.rule.id == Rule.fatalAlert.id)
      }
      #expect(connection(side, .alert, [1, 90]).failure(of: side.peer) == nil)
    }
    // A client without keys sends its alert in the clear.
    var conversation = Handshake13Tests.conversation()
    conversation.forge(.client, .finished) { _ in [.clear([21, 3, 3, 0, 2, 2, 80])] }
    #expect(conversation.run().failure(of: .server)?.alert == .internalError)
    #expect(conversation.failure(of: .server)?.isOwn == false)
  }

  @Test("close_notify ends a connection, and a handshake without success")
  func closing() {
    for side in Side.allCases {
      let played = connection(side, .alert, [1, 0])
      #expect(played.failure(of: side.peer) == nil)
      #expect(side == .client ? played.server.isOver : played.client.isOver)
      var conversation = Handshake13Tests.conversation()
      conversation.forge(side, .finished) { _ in [.sealed(.alert, [1, 90]), .sealed(.alert, [1, 0])] }
      let failure = conversation.run().failure(of: side.peer)
      #expect(failure?.finding.rule.id == Rule.closedEarly.id && failure?.isOwn == false)
      var cut = Handshake13Tests.conversation().ran()
      let effects = side == .client ? cut.client.transportClosed() : cut.server.transportClosed()
      let rules = effects.compactMap { effect -> String? in
        switch effect {
        case .failed(let failure): failure.finding.rule.id
        case .found(let finding): finding.rule.id
        default: nil
        }
      }
      #expect(rules == [Rule.truncatedConnection.id])
    }
  }
}
