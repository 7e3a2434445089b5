import Endpoint
import Explanation
import NIOConcurrencyHelpers
import TLS
import URLLoading

/// A server for one host name on real sockets, with the state that its connections share: sessions and authentication.
public final class LiveHost: Sendable {
  /// The name that clients request.
  public let name: String
  /// The origin of the host as printed in the log: a scenario and its case.
  public let origin: String
  private let configuration: ServerEndpoint.Configuration
  private let shared: NIOLockedValueBox<Shared>

  private struct Shared {
    var sessions: SessionCache?
    var authenticator: HTTPAuthenticator?
  }

  /// Creates the server for the host `name` with this configuration.
  public init(name: String, origin: String, _ configuration: ServerEndpoint.Configuration) {
    self.name = name
    self.origin = origin
    self.configuration = configuration
    shared = NIOLockedValueBox(
      Shared(sessions: configuration.tls.sessions, authenticator: configuration.authenticator))
  }

  /// Creates the endpoint of a connection to `address` that starts at `now`. The endpoint reports secrets only if
  /// `tellsSecrets` is true.
  func endpoint(isSecure: Bool, at address: String?, now: Instant, tellsSecrets: Bool) -> ServerEndpoint {
    var configuration = configuration
    // A scenario can present a certificate for another name on purpose, so the server keeps its own name.
    configuration.names = [name] + [address].compactMap(\.self)
    configuration.tls.random = configuration.tls.random.fresh()
    configuration.tls.now = now
    configuration.tls.recordsTrace = tellsSecrets
    configuration.tls.derivesRejectedSecrets = tellsSecrets
    configuration.keepsAlive = true
    let kept = shared.withLockedValue(\.self)
    configuration.tls.sessions = kept.sessions
    configuration.authenticator = kept.authenticator
    return ServerEndpoint(configuration, isSecure: isSecure)
  }

  /// Applies changes to the sessions at once, because a client may open several connections at the same time.
  func apply(_ changes: [SessionCache.Change]) {
    if changes.isEmpty { return }
    shared.withLockedValue { shared in for change in changes { shared.sessions?.apply(change) } }
  }

  /// Stores the authentication of a connection for later connections.
  func keep(_ authenticator: HTTPAuthenticator?) {
    if let authenticator { shared.withLockedValue { $0.authenticator = authenticator } }
  }
}

/// The hosts that share one port.
struct LiveHosts: Sendable {
  private let first: LiveHost?
  private let named: [String: LiveHost]

  /// Creates a set of hosts. The first host serves clients that request none of them.
  init(_ hosts: [LiveHost]) {
    first = hosts.first
    named = Dictionary(hosts.map { ($0.name.lowercased(), $0) }) { first, _ in first }
  }

  /// The host that a client requested. An unknown name selects the first host, whose certificate then shows the
  /// mismatch.
  subscript(name: String?) -> LiveHost? { name.flatMap { named[$0.lowercased()] } ?? first }
}
