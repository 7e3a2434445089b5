import Cryptography
import Endpoint
import Explanation
import PKIX
import TLS
import Trust
import URLLoading

/// Makes what a client goes by when it is asked whether to trust a server.
struct TrustCasting {
  let scenario: Scenario
  let hierarchy: Hierarchy
  let client: ClientDescription
  /// The historical bug of the client, or of its app's delegate; nil for none.
  var mutant: Mutant?

  /// The system's evaluation of a server for `host`, where the app's property list pins what it does.
  func policy(for host: String, pinned configuration: AppTransportSecurity.Configuration) -> TrustPolicy {
    var policy = Self.policy(os: client.os, scenario, hierarchy).having(mutant)
    policy.revocation = RevocationPolicy(
      client.revocation, revoked: hierarchy.revoked(in: scenario),
      isReachable: !scenario.network.contains(.blockRevocation))
    policy.issuers = client.fetchesIssuers ? IssuerFetching() : nil
    policy.timestamps = hierarchy.timestamps(in: scenario)
    if let identities = configuration.pinnedIdentities(for: host, os: client.os) {
      policy.pins += [
        identities.leaf.map { PublicKeyPins($0.map(pin), at: .leaf) },
        identities.authorities.map { PublicKeyPins($0.map(pin), at: .authorities) },
      ].compactMap(\.self)
    }
    // Without a delegate that evaluates for itself, what the app pins is asked of the system's own path.
    if delegate == nil { policy.pins += pins }
    return policy
  }

  /// What answers the system's question; nil where the system's word stands.
  var delegate: ServerTrustDelegate? {
    guard let mutant, mutant.place == .delegate, client.serverTrust.pins == nil else { return ownDelegate }
    // An app with a library that errs has the library's delegate, where it has no other.
    var delegate = ownDelegate ?? ServerTrustDelegate(.evaluates(.init()))
    delegate.enforcement = mutant.enforcement
    return delegate
  }

  private var ownDelegate: ServerTrustDelegate? {
    let trust = client.serverTrust
    guard trust.changesTrust else { return trust.delegate == .acceptAll ? ServerTrustDelegate(.acceptAll) : nil }
    var settings = ServerTrustDelegate.Settings(
      anchors: trust.anchors?.compactMap(anchor), anchorsOnly: trust.anchorsOnly)
    settings.added = trust.adds?.compactMap(anchor) ?? []
    settings.verifyDate = trust.verifyDate
    settings.exceptions = trust.exceptions.flatMap { exceptions in
      hierarchy[exceptions.certificate]?.certificates.first.map {
        TrustExceptions($0.certificate, rules: Set(exceptions.rules.compactMap(RuleCatalogue.rule)))
      }
    }
    return ServerTrustDelegate(trust.evaluates ? .evaluates(settings) : .readsResult(settings), pins: pins)
  }

  /// A client of this system that knows nothing beyond its store.
  static func policy(os: OSVersion, _ scenario: Scenario, _ hierarchy: Hierarchy) -> TrustPolicy {
    TrustPolicy(
      os: os, date: scenario.clock, store: hierarchy.store(for: scenario), names: hierarchy.names,
      enforcement: .standard)
  }

  private var pins: [PublicKeyPins] {
    client.serverTrust.pins.map { names in
      [
        PublicKeyPins(
          names.compactMap { name in
            hierarchy[name]?.certificates.first.map { PublicKeyPins.Pin(keyOf: $0.certificate, named: name) }
          }, exemptsUserAnchors: client.serverTrust.exemptsUserAnchors)
      ]
    } ?? []
  }

  /// A pinned key, by the name of a certificate that has it.
  private func pin(_ fingerprint: [UInt8]) -> PublicKeyPins.Pin {
    let known = hierarchy.entries.flatMap(\.certificates).first {
      PublicKeyPins.Pin.fingerprint(of: $0.certificate) == fingerprint
    }
    return known.map { PublicKeyPins.Pin(keyOf: $0.certificate, named: $0.name) }
      ?? PublicKeyPins.Pin(name: "sha256/\(Base64.encode(fingerprint))", fingerprint: fingerprint)
  }

  /// An authority from a file with several certificates is its last one, the root; any other is its first.
  private func anchor(_ name: String) -> Certificate? {
    let certificates = hierarchy[name]?.certificates
    let isAuthority = scenario.authorities.contains { $0.name == name }
    return (isAuthority ? certificates?.last : certificates?.first)?.certificate
  }
}

/// A scenario's servers as something to be asked about rather than played: what each would agree to and show.
struct SiteCasting {
  let scenario: Scenario
  let hierarchy: Hierarchy
  /// The historical bug of whoever asks; nil for none.
  let mutant: Mutant?

  func site() -> AppTransportSecurity.Site {
    let servers = scenario.servers.map { ($0.host.lowercased(), answer(of: $0)) }
    var site = AppTransportSecurity.Site(
      servers: Dictionary(servers) { first, _ in first },
      trust: TrustPolicy(
        profile: .apple, os: nil, date: scenario.clock, store: hierarchy.store(for: scenario), names: hierarchy.names
      ).having(mutant))
    let published = hierarchy.publications(in: scenario).compactMap { publication in
      (try? Certificate(der: publication.certificate)).map { (publication.url, [$0]) }
    }
    site.publications = Dictionary(published) { first, _ in first }
    return site
  }

  private func answer(of server: ServerDescription) -> AppTransportSecurity.Site.Server {
    let entries = server.presents.compactMap { hierarchy[$0] }
    let chain = entries.flatMap(\.certificates).map(\.certificate)
    return AppTransportSecurity.Site.Server(
      terms: AppTransportSecurity.ServerTerms(
        versions: server.versions, cipherSuites: server.cipherSuites, groups: server.groups,
        signatureSchemes: server.signatureSchemes ?? SignatureScheme.defaults, key: chain.first?.publicKey,
        requiresClientCertificate: server.clientAuthentication == .required),
      chain: chain, redirects: redirects(of: server))
  }

  /// Where a GET is sent on to, by path.
  private func redirects(of server: ServerDescription) -> [String: String] {
    let pairs = server.redirects.compactMap { line, target in
      line.hasPrefix("GET ") ? (String(line.dropFirst(4)), target) : nil
    }
    return Dictionary(pairs) { first, _ in first }
  }
}

extension ScenarioPlayer {
  /// The servers of `scenario` as something to be asked about: what each would agree to, show and answer with.
  ///
  /// Whoever interferes on the network is left out, and so are the app and its system.
  ///
  /// - Throws: `Diagnostics` when a file it names cannot be used.
  public func site(of scenario: Scenario) throws(Diagnostics) -> AppTransportSecurity.Site {
    SiteCasting(
      scenario: scenario, hierarchy: try cast.hierarchy(of: scenario, shift: 0), mutant: cast.mutant
    ).site()
  }
}
