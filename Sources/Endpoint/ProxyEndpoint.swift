import Explanation
import URLLoading

/// An HTTP proxy.
///
/// The proxy opens tunnels, whose data it does not read (RFC 9110 section 9.3.6). It forwards requests for http URLs,
/// which it reads (section 7.6). It performs no I/O.
public struct ProxyEndpoint: Sendable {
  /// The settings of a proxy.
  public struct Configuration: Sendable {
    /// The party that the proxy represents.
    public var party: Party
    /// The host name of the proxy, such as `proxy.example`.
    public var host: String
    /// The proxy's port.
    public var port: UInt16
    /// The authenticator of clients; nil if the proxy requires no authentication.
    public var authenticator: HTTPAuthenticator?
    /// The scope of the values that the proxy creates.
    public var valueScope: ValueScope
    /// The rules that the proxy enforces.
    public var enforcement: Enforcement

    /// Creates the configuration of a proxy at this address.
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

  /// The proxy's configuration.
  public let configuration: Configuration
  /// The authenticator and its state, which later connections continue.
  public private(set) var authenticator: HTTPAuthenticator?
  /// Whether a tunnel is open. All further bytes pass through it.
  public private(set) var isTunnel = false
  private var reader = HTTPReader(.request)
  private var waiting: [UInt8]?
  private var answered: [UInt8] = []
  private var messages = 0

  /// Creates a proxy that waits for a client.
  public init(_ configuration: Configuration) {
    self.configuration = configuration
    authenticator = configuration.authenticator
    authenticator?.beginConnection()
  }

  /// Processes bytes from the client.
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

  /// The request that the proxy forwards; nil if there is none.
  public mutating func forward() -> [EndpointEffect]? {
    guard let bytes = waiting else { return nil }
    waiting = nil
    return send(bytes, .httpRequest)
  }

  /// Buffers bytes from the server.
  public mutating func receive(fromServer bytes: [UInt8]) { answered += bytes }

  /// The response that the proxy returns to the client; nil if there is none.
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
  /// A party that forwards the client's requests, because the client's settings specify it.
  public static let proxy = Party("proxy")
}
