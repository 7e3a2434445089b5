import Endpoint
import Explanation
import TLS

/// What everyone saw of a handshake: the two hellos.
struct ClearHandshake {
  /// The server's choice.
  let serverHello: ServerHello
  /// The version of the client's offer, which begins an encrypted premaster secret.
  let clientVersion: ProtocolVersion
  /// Version and suite.
  let negotiated: Negotiated
  /// The row of the suite.
  var suite: CipherSuite.Registration { negotiated.suite }

  /// The handshake whose values begin with `prefix`; throws when it was not seen.
  init(_ prefix: String, in trace: Trace) throws(Obstacle) {
    let randoms = ["client_random", "server_random"].map { trace.values[prefix + $0]?.bytes }
    var client: ClientHello?
    var server: ServerHello?
    for step in trace.steps where step.kind == .message && step.title.hasSuffix("Hello") {
      switch try? HandshakeMessage(decoding: Array(step.bytes.dropFirst(Record.headerLength)), under: nil).body {
      case .clientHello(let hello) where hello.random == randoms[0]: client = client ?? hello
      case .serverHello(let hello) where hello.random == randoms[1]: server = server ?? hello
      default: break
      }
    }
    guard let client, let server, let negotiated = Negotiated(server) else {
      throw .missing(prefix + "server_random")
    }
    serverHello = server
    clientVersion = client.clientVersion
    self.negotiated = negotiated
  }

  /// Whether CBC records authenticate the ciphertext: RFC 7366.
  var encryptsThenMACs: Bool { serverHello.extensions?.contains { $0.type == .encryptThenMAC } ?? false }

  /// Whether the master secret is bound to the whole handshake: RFC 7627.
  var hasExtendedMasterSecret: Bool { serverHello.extensions?.contains { $0.type == .extendedMasterSecret } ?? false }
}
