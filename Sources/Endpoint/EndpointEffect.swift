import Explanation
import PKIX
import TLS
import Trust
import URLLoading

/// What an endpoint wants done, or has to tell.
public enum EndpointEffect: Sendable {
  /// Put these bytes on the network.
  case send(Transmission)
  /// This message of TLS has come; what follows from it follows.
  case received(ProtocolMessage)
  /// A value came to be, or to be known here.
  case derived(Value)
  /// A rule was held against something.
  case found([Finding])
  /// The endpoint came to a decision.
  case decided(Decision)
  /// The certificate of an issuer, or what is known of revocation, is to be fetched over plain HTTP: `ClientEndpoint.fetched` goes on with it.
  case fetch(TrustFetch)
  /// A request has come whose answer is elsewhere.
  case requested(HTTPRequest)
}

/// Something an endpoint puts on the network.
public struct Transmission: Sendable, Equatable {
  /// The message's name.
  public let name: MessageName
  /// Whether it is an alert of TLS, which is delivered to one who reads no more.
  public var isAlert: Bool { message?.name == .alert }
  /// Whether it is application data of TLS.
  public var isApplicationData: Bool { message?.name == .applicationData }
  /// The bytes on the wire.
  public let bytes: [UInt8]
  /// What protected bytes say; empty when `bytes` say it themselves.
  public let plaintext: [UInt8]
  /// The fields of `bytes` and of `plaintext`, laid out when somebody looks at them.
  public let layout: OnDemand<Layout>
  /// The fields of `bytes`.
  public var fields: [Field] { layout.value.fields }
  /// Whether its records are protected.
  public let isProtected: Bool
  /// Whether an eavesdropper sees only ciphertext.
  public let isEncrypted: Bool
  /// The message of TLS, nil for plain HTTP.
  public let message: ProtocolMessage?

  /// A message of TLS.
  public init(_ message: ProtocolMessage) {
    self.message = message
    name = .tls(message.name)
    bytes = message.bytes
    isProtected = message.isProtected
    isEncrypted = message.isEncrypted
    plaintext = Self.place(of: message) == nil ? message.plaintext : []
    layout = OnDemand { Self.layout(of: message) }
  }

  /// Where the message begins in the one record that says everything itself; nil where there is none. A record may hold
  /// several handshake messages, or several alerts: RFC 5246 section 6.2.1.
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

  /// Bytes of HTTP as they are.
  init(http bytes: [UInt8], name: MessageName) {
    self.name = name
    self.bytes = bytes
    layout = OnDemand { Layout(fields: HTTP.fields(of: bytes)) }
    plaintext = []
    isProtected = false
    isEncrypted = false
    message = nil
  }

  /// The message's fields, and the parts of every certificate and of every answer within: TLS itself does not look into
  /// them.
  private static func messageField(of message: ProtocolMessage) -> Field {
    guard case .handshake(let handshake) = message.content else { return message.field }
    func opened(_ name: String, _ field: ([UInt8]) -> Field?) -> Field {
      message.field.opening(name) { content in
        let der = Array(message.plaintext[content.range.clamped(to: message.plaintext.indices)])
        return field(der)?.shifted(by: content.range.lowerBound) ?? content
      }
    }
    switch handshake.body {
    case .certificate: return opened("ASN.1Cert") { (try? Certificate(der: $0))?.field }
    case .certificateStatus: return opened("OCSPResponse") { (try? OCSPResponse(der: $0))?.field }
    default: return message.field
    }
  }

  /// The same message with other bytes, as they arrive after someone on the network has changed them.
  public func altered(to bytes: [UInt8], fields: [Field]) -> Transmission {
    Transmission(name: name, bytes: bytes, fields: fields, isProtected: isProtected, isEncrypted: isEncrypted)
  }

  /// Bytes that someone on the network makes up.
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

  /// Transmissions are equal when the same bytes travel as the same message: fields follow from both.
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
