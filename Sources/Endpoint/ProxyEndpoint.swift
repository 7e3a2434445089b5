import Explanation
import URLLoading

/// A proxy for HTTP, as one party: it opens tunnels in which it reads nothing (RFC 9110 section 9.3.6), and passes on requests
/// for http URLs, which it reads (section 7.6). A value without I/O.
public struct ProxyEndpoint: Sendable {
  /// Where a proxy is, and whom it lets through.
  public struct Configuration: Sendable {
    /// Who it is.
    public var party: Party
    /// Its address: `proxy.example`.
    public var host: String
    /// Its port.
    public var port: UInt16
    /// Who may pass; nil for everyone.
    public var authenticator: HTTPAuthenticator?
    /// The connection that its values belong to.
    public var valueScope: ValueScope
    /// The rules in force.
    public var enforcement: Enforcement

    /// A proxy at this address.
    public init(
      host: String, port: UInt16, authenticator: HTTPAuthenticator? = nil, valueScope: ValueScope = ValueScope(),
      enforcement: Enforcement = .standard
    ) {
      party = .proxy
      self.host = host
      self.port = port
      self.authenticator = authenticator
      self.valueScope = valueScope
      self.enforcement = enforcement
    }
  }

  /// Where it is, and whom it lets through.
  public let configuration: Configuration
  /// Whom it has let through, and what it has counted: a later connection goes on with it.
  public private(set) var authenticator: HTTPAuthenticator?
  /// Whether there is a tunnel: whatever comes now is the other end's.
  public private(set) var isTunnel = false
  private var reader = HTTPReader(.request)
  private var waiting: [UInt8]?
  private var answered: [UInt8] = []
  private var messages = 0

  /// A proxy that waits for a client.
  public init(_ configuration: Configuration) {
    self.configuration = configuration
    authenticator = configuration.authenticator
    authenticator?.beginConnection()
  }

  /// Bytes have come from the client.
  public mutating func receive(_ bytes: [UInt8]) -> [EndpointEffect] {
    let message: HTTPMessage
    do throws(HTTPFault) {
      guard let whole = try reader.append(bytes) else { return [] }
      message = whole
    } catch {
      return send(HTTP.response(to: error), .httpResponse)
    }
    let received = reader.bytes
    reader = HTTPReader(.request)
    guard let request = message.request else { return [] }
    let name = request.method == "CONNECT" ? MessageName.connectResponse : .httpResponse
    guard var authenticator else { return passOn(received, request) }
    let judgement = authenticator.judge(
      method: request.method, uri: request.path, authorization: message.credentials(in: "proxy-authorization"),
      configuration.enforcement)
    self.authenticator = authenticator
    let decision = EndpointEffect.decided(
      Decision(.server(.admission(judgement, request, by: .proxy)), judgement.findings))
    switch judgement.answer {
    case .allowed: return [decision] + passOn(received, request)
    case .forbidden: return [decision] + send(HTTP.forbidden, name)
    case .unauthorized(let challenges):
      return [decision]
        + send(HTTP.unauthorized(challenges, authenticator.policy.body, closes: false, by: .proxy), name)
    }
  }

  private mutating func passOn(_ bytes: [UInt8], _ request: HTTPRequest) -> [EndpointEffect] {
    guard request.method == "CONNECT" else {
      waiting = HTTP.passedOn(bytes)
      return waiting == nil ? send(HTTP.response(to: HTTPFault(.malformedMessage, "no http URL")), .httpResponse) : []
    }
    isTunnel = true
    return send(HTTP.tunnel, .connectResponse)
  }

  /// The request that it passes on; nil where none waits for that.
  public mutating func forward() -> [EndpointEffect]? {
    guard let bytes = waiting else { return nil }
    waiting = nil
    return send(bytes, .httpRequest)
  }

  /// Bytes have come from the server.
  public mutating func receive(fromServer bytes: [UInt8]) { answered += bytes }

  /// What it hands back to the client; nil where nothing has come.
  public mutating func handBack() -> [EndpointEffect]? {
    guard !answered.isEmpty else { return nil }
    defer { answered = [] }
    return send(answered, .httpResponse)
  }

  private mutating func send(_ bytes: [UInt8], _ message: MessageName) -> [EndpointEffect] {
    messages += 1
    let name = configuration.valueScope.part(configuration.party.name).name(.message, number: messages)
    let value = Value(name, bytes, .published, .generated(by: configuration.party))
    return [.derived(value), .send(Transmission(http: bytes, name: message))]
  }
}

extension Party {
  /// What passes on what a client asks, because the client's settings say so.
  public static let proxy = Party("proxy")
}
