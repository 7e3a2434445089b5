import Cryptography
import Endpoint
import Explanation
import Simulator
import TLS
import Trust
import URLLoading

/// Casts whoever stands between the client and the server.
extension PlanCasting {
  /// The interceptor of a connection; nil where nobody breaks its TLS.
  func interceptor(
    _ url: LoadURL, _ server: ServerDescription, _ connection: ConnectionDescription
  ) throws(Diagnostics) -> Interceptor? {
    let descriptions = scenario.network.compactMap { verb -> InterceptorDescription? in
      if case .intercept(let description) = verb { description } else { nil }
    }
    guard let description = descriptions.last(where: { connection.isPart(of: $0.connection) }) else {
      return nil
    }
    let scope = connection.scope
    // Whoever strips TLS finds none to strip where the client begins with it: the bytes pass as they are.
    if url.isSecure, description.isStrip { return nil }
    if url.isSecure, description.presents.isEmpty {
      throw Diagnostics(
        "the interceptor presents no certificate", hint: "write presents: [evil], with a certificate of its own",
        at: description.mark)
    }
    // Without TLS nothing is presented; what the server has stands there unused.
    let presents = description.presents.isEmpty ? server.chains : [description.presents]
    var front = try endpoint(
      server, presenting: presents, .interceptor, random: random("interceptor", scope, [:]), scope,
      answers: description.content.map(ServerEndpoint.Answers.own) ?? .elsewhere, mark: description.mark)
    if let staple = description.staple { stapling(staple, presents, to: &front.tls) }
    if description.isWithoutKey { front.tls.privateKey = try anotherKey(like: front.tls.privateKey, description.mark) }
    return Interceptor(
      front: front, back: description.content == nil ? back(url, description, scope) : nil,
      replacements: description.replacements, holds: Set(description.holds))
  }

  /// A key of the attackers' own, of the kind of `key`.
  private func anotherKey(like key: PrivateKey, _ mark: SourceMark) throws(Diagnostics) -> PrivateKey {
    let keys = KeyStore()
    do throws(RSAError) {
      if case .ed25519 = key { return .ed25519(keys.ed25519Key(owner: "interceptor")) }
      if case .ec(let own) = key { return .ec(keys.ecKey(owner: "interceptor", curve: own.publicKey.curve)) }
      return .rsa(try keys.rsaKey(owner: "interceptor", bits: 2048))
    } catch {
      throw Diagnostics("no key can be made for the impostor: \(error)", at: mark)
    }
  }

  /// The interceptor's own client: a program that takes whatever the real server speaks, or offers what a system does, and
  /// follows no system's rules.
  private func back(_ url: LoadURL, _ description: InterceptorDescription, _ scope: ValueScope) -> ClientEndpoint
    .Configuration?
  {
    let os = OSVersion(.iOS, 8)
    let scheme = url.isWebSocket ? description.webSocketScheme ?? url.scheme : description.asks ?? url.scheme
    guard let asked = try? LoadURL("\(scheme)://\(url.host)\(url.path)") else { return nil }
    let decision = AppTransportSecurity.decide(
      .init(asked, os: os, loader: .urlSession), by: .init(dictionary: .init()))
    let upstream = scope.upstream
    var client = ClientEndpoint.Configuration(
      decision: decision,
      tls: ClientConfiguration(
        host: url.host, versions: .tls10 ... .tls12, cipherSuites: CipherSuite.implemented.filter(\.protects),
        random: random("interceptor", upstream, [:]), party: .interceptor, valueScope: upstream),
      trust: TrustCasting.evaluator(os: os, scenario, hierarchy))
    if let system = description.os { client.tls.offer(ClientOffer.systemDefault(os: system)) }
    client.followsRedirects = false
    client.keepsAlive = scenario.servers.contains { $0.authentication != nil }
    return client
  }
}

extension CipherSuite {
  /// Whether the suite encrypts, for a server that proves who it is.
  fileprivate var protects: Bool { registration?.cipher != .null && keyExchange != .dhAnonymous }
}
