import Endpoint
import Explanation
import TLS
import URLLoading

/// A message that an attacker forges and sends in the name of an endpoint. It is not protected, because the attacker has
/// no keys.
public enum Injection: Sendable, Hashable {
  /// A plain HTTP response with this body.
  case response(String)
  /// A record of application data with this content.
  case applicationData(String)
  /// An alert. If the level is nil, the alert has the level that the standard defines.
  case alert(AlertDescription, level: Alert.Level?)
  /// A ChangeCipherSpec message.
  case changeCipherSpec
  /// A handshake message with this body. If the body is nil, the message is as short as possible. Finished then contains
  /// the verify_data of an empty master secret.
  case handshake(HandshakeType, body: [UInt8]?)

  /// The name of the forged message.
  public var name: MessageName {
    switch self {
    case .response: .httpResponse
    case .applicationData: .tls(.applicationData)
    case .alert: .tls(.alert)
    case .changeCipherSpec: .tls(.changeCipherSpec)
    case .handshake(let type, _): .handshake(type)
    }
  }

  /// The forged message in the name of `side`, which is next to `original` and follows the messages `seen`.
  func transmission(with original: Transmission, from side: Side, _ seen: ClearMessages) -> Transmission {
    let header = original.name.isTLS ? original.bytes.prefix(3).suffix(2) : [3, 3]
    let version = ProtocolVersion(rawValue: header.reduce(0) { $0 << 8 | UInt16($1) })
    switch self {
    case .response(let body):
      let bytes = HTTP.response(body: body)
      return Transmission(name: name, bytes: bytes, fields: HTTP.fields(of: bytes))
    case .applicationData(let text): return record(.applicationData, version, Array(text.utf8))
    case .alert(let description, let ordered):
      // RFC 5246 section 7.2: these three are warnings.
      let isWarning = [.closeNotify, .userCanceled, .noRenegotiation].contains(description)
      let level = ordered ?? (isWarning ? Alert.Level.warning : .fatal)
      return record(.alert, version, [level.rawValue, description.rawValue])
    case .changeCipherSpec: return record(.changeCipherSpec, version, [1])
    case .handshake(let type, let body):
      let content = body ?? (type == .finished ? seen.emptyVerifyData(of: side) : Self.shortest(type))
      let length = content.count
      let header = [type.onWire.rawValue, UInt8(length >> 16 & 0xff), UInt8(length >> 8 & 0xff), UInt8(length & 0xff)]
      return record(.handshake, version, header + content)
    }
  }

  private func record(_ type: ContentType, _ version: ProtocolVersion, _ content: [UInt8]) -> Transmission {
    let record = Record(type: type, version: version, fragment: content)
    let message = type == .handshake ? try? HandshakeMessage(decoding: content, under: nil) : nil
    return Transmission(
      name: name, bytes: record.bytes,
      fields: [record.field] + (message.map { [$0.field.shifted(by: Record.headerLength)] } ?? []))
  }

  /// Returns the shortest body of a message that a peer can decode.
  static func shortest(_ type: HandshakeType) -> [UInt8] {
    switch type {
    case .clientHello: hello + [0, 0, 2, 0xc0, 0x2f, 1, 0]
    case .serverHello: hello + [0, 0xc0, 0x2f, 0]
    case .helloRetryRequest: [3, 3] + ServerHello.retryRandom + [0, 0x13, 1, 0, 0, 6, 0, 0x2b, 0, 2, 3, 4]
    case .newSessionTicket: [0, 0, 0, 0, 0, 1, 0]
    case .certificate: [0, 0, 0]
    case .certificateStatus: [1, 0, 0, 1, 0]
    case .serverKeyExchange: [3, 0, 0x17, 1, 0, 4, 1, 0, 1, 0]
    case .certificateRequest: [1, 1, 0, 2, 4, 1, 0, 0]
    case .certificateVerify: [4, 1, 0, 1, 0]
    case .clientKeyExchange: [1, 0]
    case .encryptedExtensions: [0, 0]
    case .compressedCertificate: [0, 1, 0, 0, 1, 0, 0, 1, 0]
    case .keyUpdate: [0]
    default: []
    }
  }

  /// The version TLS 1.2 and a random value of zeros.
  private static let hello = [3, 3] + [UInt8](repeating: 0, count: 32)
}

/// The unprotected handshake messages of a connection.
struct ClearMessages: Sendable {
  private var transcript = Transcript()
  private var negotiated: Negotiated?

  /// Adds a message that an endpoint sends.
  mutating func record(_ transmission: Transmission) {
    guard !transmission.isProtected, case .handshake(let message)? = transmission.message?.content,
      message.type != .helloRequest
    else { return }
    if message.type == .clientHello { self = ClearMessages() }
    transcript.append(message)
    if case .serverHello(let hello) = message.body, let suite = hello.cipherSuite.registration {
      negotiated = Negotiated(version: hello.selectedVersion, suite: suite)
    }
  }

  /// Returns the verify_data of a Finished by `side` whose master secret is empty (CVE-2014-6593); zeros in TLS 1.3.
  func emptyVerifyData(of side: Side) -> [UInt8] {
    guard let negotiated else { return [UInt8](repeating: 0, count: Finished.verifyDataLength) }
    if let hash = negotiated.suite.hash13 { return [UInt8](repeating: 0, count: hash.digestSize) }
    return KeySchedule12(negotiated, masterSecret: []).verifyData(of: side, transcript)
  }
}
