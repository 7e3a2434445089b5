import Explanation
import TLS

/// A server whole: its TLS machine, or none for plain HTTP, and its answers. A value without I/O.
public struct ServerEndpoint: Sendable {
  /// What a server is and has.
  public struct Configuration: Sendable {
    /// Its part of TLS.
    public var tls: ServerConfiguration
    /// What travels in its Certificate message, as values that everyone sees.
    public var certificates: [Value]
    /// Its answers by request line: `GET /` → body.
    public var content: [String: String]

    /// A server that shows `certificates` and answers with `content`.
    public init(tls: ServerConfiguration, certificates: [Value], content: [String: String]) {
      self.tls = tls
      self.certificates = certificates
      self.content = content
    }
  }

  /// What the server is and has.
  public let configuration: Configuration
  private var connection: ServerConnection?
  private var received: [UInt8] = []
  private var hasAnswered = false

  /// A server that waits for a client; without `isSecure` it speaks plain HTTP.
  public init(_ configuration: Configuration, isSecure: Bool) {
    self.configuration = configuration
    connection = isSecure ? ServerConnection(configuration.tls) : nil
  }

  /// Whether nothing is read any more.
  public var isOver: Bool { connection?.isOver ?? false }

  /// Bytes have come from the client.
  public mutating func receive(_ bytes: [UInt8]) -> [EndpointEffect] {
    guard connection != nil else { return answer(bytes) }
    return effects(of: connection?.receive(bytes) ?? [])
  }

  private mutating func effects(of tls: [ConnectionEffect]) -> [EndpointEffect] {
    tls.reasonFirst.flatMap { effect -> [EndpointEffect] in
      switch effect {
      case .send(let message):
        let shown = message.name == "Certificate" ? configuration.certificates.map(EndpointEffect.derived) : []
        return shown + [.send(Transmission(message))]
      case .derived(let value): return [.derived(value)]
      case .found(let finding): return [.found([finding])]
      case .applicationData(let bytes): return answer(bytes)
      case .failed(let failure): return failed(failure)
      case .received, .evaluateCertificate, .connected, .closed: return []
      }
    }
  }

  /// A failure of the server's own is a decision worth a step; an alert of the client's was one over there.
  private func failed(_ failure: HandshakeFailure) -> [EndpointEffect] {
    guard failure.isOwn else { return [.found([failure.finding])] }
    return [
      .decided(
        Decision(
          title: "the server gives up: \(failure.alert)", narration: failure.finding.rule.statement,
          findings: [failure.finding]))
    ]
  }

  private mutating func answer(_ bytes: [UInt8]) -> [EndpointEffect] {
    received += bytes
    guard !hasAnswered, let line = HTTP.requestLine(of: received) else { return [] }
    hasAnswered = true
    let response = HTTP.response(body: configuration.content[line])
    guard connection != nil else {
      let value = Value(
        "\(configuration.tls.valuePrefix)application_data.server.1", response, .published,
        .generated(by: configuration.tls.party))
      return [.derived(value), .send(Transmission(http: response, name: "HTTP response"))]
    }
    let sent = connection?.send(response) ?? []
    let closed = connection?.close() ?? []
    return effects(of: sent + closed)
  }
}
