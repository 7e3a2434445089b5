import Explanation
import PKIX
import TLS
import Trust
import URLLoading

/// An effect of an endpoint: an action that its caller must perform, or an event to report.
public enum EndpointEffect: Sendable {
  /// The caller sends these bytes.
  case send(Transmission)
  /// A TLS message was received. Further effects describe its consequences.
  case received(ProtocolMessage)
  /// A value was generated or obtained.
  case derived(Value)
  /// Rules were checked.
  case found([Finding])
  /// The endpoint made a decision.
  case decided(Decision)
  /// The caller fetches an issuer's certificate or a revocation status over plain HTTP.
  ///
  /// The caller passes the result to `ClientEndpoint.fetched`.
  case fetch(TrustFetch)
  /// A request was received, and the caller must provide the response.
  case requested(HTTPRequest)
}

/// A message that an endpoint sends.
public struct Transmission: Sendable, Equatable {
  /// The message's name.
  public let name: MessageName
  /// Whether the message is a TLS alert. An alert is delivered even to an endpoint that has stopped reading.
  public var isAlert: Bool { message?.name == .alert }
  /// Whether the message is TLS application data.
  public var isApplicationData: Bool { message?.name == .applicationData }
  /// The bytes on the wire.
  public let bytes: [UInt8]
  /// The plaintext of protected bytes; empty for unprotected bytes.
  public let plaintext: [UInt8]
  /// The fields of `bytes` and of `plaintext`, which are computed on demand.
  public let layout: OnDemand<Layout>
  /// The fields of `bytes`.
  public var fields: [Field] { layout.value.fields }
  /// Whether the message's records are protected.
  public let isProtected: Bool
  /// Whether an eavesdropper sees only ciphertext.
  public let isEncrypted: Bool
  /// The TLS message; nil for plain HTTP.
  public let message: ProtocolMessage?

  /// Creates the transmission of a TLS message.
  public init(_ message: ProtocolMessage) {
    self.message = message
    name = .tls(message.name)
    bytes = message.bytes
    isProtected = message.isProtected
    isEncrypted = message.isEncrypted
    plaintext = Self.place(of: message) == nil ? message.plaintext : []
    layout = OnDemand { Self.layout(of: message) }
  }

  /// The offset of an unprotected message within its record; nil for any other message.
  ///
  /// A record may contain several handshake messages or several alerts (RFC 5246 section 6.2.1).
  private static func place(of message: ProtocolMessage) -> Int? {
    guard !message.isProtected, message.records.count == 1, let record = message.records.first else { return nil }
    let content = record.fragment
    if content.count == message.plaintext.count { return 0 }
    var start = 0
    while start < content.count, !content[start...].starts(with: message.plaintext) {
      let header = content[start...].prefix(4).map(Int.init)
      let isMessage = record.type == .handshake && header.count == 4
      start += isMessage ? 4 + (header[1] << 16 | header[2] << 8 | header[3]) : 1
    }
    return start == 0 || start < content.count ? start : nil
  }

  private static func layout(of message: ProtocolMessage) -> Layout {
    let records = recordFields(of: message.records)
    let field = messageField(of: message)
    guard let place = place(of: message) else { return Layout(fields: records, plaintextFields: [field]) }
    return Layout(fields: records + [field.shifted(by: Record.headerLength + place)])
  }

  /// Creates the transmission of a plain HTTP message.
  init(http bytes: [UInt8], name: MessageName) {
    self.name = name
    self.bytes = bytes
    layout = OnDemand { Layout(fields: HTTP.fields(of: bytes)) }
    plaintext = []
    isProtected = false
    isEncrypted = false
    message = nil
  }

  /// The message's fields. They include those of certificates and OCSP responses, which TLS itself does not parse.
  private static func messageField(of message: ProtocolMessage) -> Field {
    guard case .handshake(let handshake) = message.content else { return message.field }
    func opened(_ name: String, _ field: ([UInt8]) -> Field?) -> Field {
      message.field.opening(name) { content in
        let der = Array(message.plaintext[content.range.clamped(to: message.plaintext.indices)])
        return field(der)?.shifted(by: content.range.lowerBound) ?? content
      }
    }
    switch handshake.body {
    case .certificate(let shown):
      return opened(shown.tls13 == nil ? "ASN.1Cert" : "cert_data") { (try? Certificate(der: $0))?.field }
    case .certificateStatus: return opened("OCSPResponse") { (try? OCSPResponse(der: $0))?.field }
    default: return message.field
    }
  }

  /// Returns the same message with bytes that an attacker has changed.
  public func altered(to bytes: [UInt8], fields: [Field]) -> Transmission {
    Transmission(name: name, bytes: bytes, fields: fields, isProtected: isProtected, isEncrypted: isEncrypted)
  }

  /// Creates the transmission of a message that an attacker forges.
  public init(name: MessageName, bytes: [UInt8], fields: [Field], isProtected: Bool = false, isEncrypted: Bool = false)
  {
    self.name = name
    self.bytes = bytes
    layout = OnDemand(done: Layout(fields: fields))
    self.isProtected = isProtected
    self.isEncrypted = isEncrypted
    plaintext = []
    message = nil
  }

  /// Whether the transmissions send the same bytes as the same message. Their fields are then also equal.
  public static func == (left: Transmission, right: Transmission) -> Bool {
    left.bytes == right.bytes && left.name == right.name && left.isProtected == right.isProtected
      && left.plaintext == right.plaintext && left.message == right.message
  }

  private static func recordFields(of records: [Record]) -> [Field] {
    var offset = 0
    return records.map { record in
      defer { offset += record.bytes.count }
      return record.field.shifted(by: offset)
    }
  }
}
