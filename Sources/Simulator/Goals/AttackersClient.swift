import Endpoint
import Explanation
import PKIX
import TLS
import URLLoading

/// An attacker's own client, which accepts any server and has no certificate.
struct AttackersClient {
  /// The client's connection.
  var connection: Connection
  /// The findings of the server.
  private(set) var findings: [Finding] = []
  /// The values that the server has derived.
  private(set) var values: [Value] = []

  /// Creates a client with this configuration, but without its identity and session.
  init(_ configuration: ClientConfiguration) {
    var tls = configuration
    (tls.identity, tls.otherIdentities, tls.choosesIdentity, tls.session) = (nil, [], false, nil)
    tls.party = .interceptor
    connection = Connection(tls)
  }

  /// Begins a handshake with `server`.
  mutating func start(with server: inout ServerEndpoint) { take(connection.start(), from: &server) }

  /// Sends application data to `server` if the handshake is complete.
  mutating func send(_ bytes: [UInt8], to server: inout ServerEndpoint) {
    if connection.handshake.isConnected { take(connection.send(bytes), from: &server) }
  }

  private mutating func take(_ effects: [ConnectionEffect], from server: inout ServerEndpoint) {
    for effect in effects {
      switch effect {
      case .send(let message):
        for answer in server.receive(message.bytes) { take(answer, from: &server) }
      case .evaluateCertificate(let credentials):
        // The attacker accepts every certificate.
        guard let leaf = credentials.certificates.first.flatMap({ try? Certificate(der: $0) }) else { return }
        take(connection.certificateEvaluated(.accepted(leaf.publicKey)), from: &server)
      default: break
      }
    }
  }

  private mutating func take(_ answer: EndpointEffect, from server: inout ServerEndpoint) {
    findings += [answer].findings
    switch answer {
    case .send(let transmission): take(connection.receive(transmission.bytes), from: &server)
    case .derived(let value): values.append(value)
    case .found, .decided, .received, .requested, .fetch: break
    }
  }
}

extension HTTPRequest {
  /// The request line that an attacker uses in place of this request's line: `GET /?said-by=somebody-else`.
  var attackersLine: String { "GET \(path.prefix { $0 != "?" })?said-by=somebody-else" }
}
