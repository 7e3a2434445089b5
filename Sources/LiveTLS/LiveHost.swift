import Endpoint
import Explanation
import NIOConcurrencyHelpers
import TLS
import URLLoading

/// A server of one name on real sockets, and what its connections share: sessions, and whom it has let in.
public final class LiveHost: Sendable {
  /// The name that clients ask for.
  public let name: String
  /// Where it comes from, for whoever reads the log: a scenario and its case.
  public let origin: String
  private let configuration: ServerEndpoint.Configuration
  private let shared: NIOLockedValueBox<Shared>

  private struct Shared {
    var sessions: SessionCache?
    var authenticator: HTTPAuthenticator?
  }

  /// The server called `name`, which is and has what `configuration` says.
  public init(name: String, origin: String, _ configuration: ServerEndpoint.Configuration) {
    self.name = name
    self.origin = origin
    self.configuration = configuration
    shared = NIOLockedValueBox(
      Shared(sessions: configuration.tls.sessions, authenticator: configuration.authenticator))
  }

  /// The server for one more connection, which begins at `now` and has come to `address`; its secrets are told only where
  /// somebody keeps them.
  func endpoint(isSecure: Bool, at address: String?, now: Instant, tellsSecrets: Bool) -> ServerEndpoint {
    var configuration = configuration
    // In a scenario a certificate may be for another name on purpose: the server has its own all the same.
    configuration.names = [name] + [address].compactMap(\.self)
    configuration.tls.random = configuration.tls.random.fresh()
    configuration.tls.now = now
    configuration.tls.narrates = tellsSecrets
    configuration.keepsAlive = true
    let kept = shared.withLockedValue(\.self)
    configuration.tls.sessions = kept.sessions
    configuration.authenticator = kept.authenticator
    return ServerEndpoint(configuration, isSecure: isSecure)
  }

  /// Keeps a session for other connections, from when it is agreed on: a client begins several at once.
  func keep(_ session: Session) {
    shared.withLockedValue { $0.sessions?.store(session) }
  }

  /// Keeps what a connection has come to for the next ones, and nothing that it has forgotten.
  func keep(_ endpoint: ServerEndpoint) {
    shared.withLockedValue { shared in
      if let session = endpoint.established, let sessions = endpoint.sessions, sessions[session.id] == nil {
        shared.sessions?.remove(session)
      }
      if endpoint.authenticator != nil { shared.authenticator = endpoint.authenticator }
    }
  }
}

/// The hosts behind one port.
struct LiveHosts: Sendable {
  private let first: LiveHost?
  private let named: [String: LiveHost]

  /// These hosts, of which the first answers who asks for none of them.
  init(_ hosts: [LiveHost]) {
    first = hosts.first
    named = Dictionary(hosts.map { ($0.name.lowercased(), $0) }) { first, _ in first }
  }

  /// The host that a client asked for; a name that nobody has is answered for by the first, as its certificate will tell.
  subscript(name: String?) -> LiveHost? { name.flatMap { named[$0.lowercased()] } ?? first }
}
