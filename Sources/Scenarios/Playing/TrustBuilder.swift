import Advice
import Cryptography
import Endpoint
import Explanation
import PKIX
import TLS
import Trust
import URLLoading

/// Creates the configuration of a client's trust decisions about servers.
struct TrustBuilder {
  let scenario: Scenario
  let hierarchy: Hierarchy
  let client: ClientDescription
  /// The historical bug of the client or of its app's delegate; nil for none.
  var mutant: Mutant?
  /// The rules and decisions of the client.
  let enforcement: Enforcement

  /// The evaluator with which the system validates a server.
  var evaluator: TrustEvaluator {
    var trust = Self.evaluator(os: client.os, scenario, hierarchy).enforcing(enforcement)
    trust.requirements.isWebKit = client.loader == .wkWebView
    trust.requirements.revocation = RevocationPolicy(client.revocation)
    if client.os.family != .documentation {
      trust.requirements.revocation.limits = RevocationPolicy.apple.limits
      if client.revocation == .hardFail { trust.requirements.revocation.modeForCAs = .softFail }
    }
    trust.evidence.statuses = client.revocation == .none ? nil : StatusFetching(by: client.os)
    trust.requirements.revocation.holdsMustStaple = client.holdsMustStaple
    client.profile?.apply(to: &trust.requirements)
    trust.evidence.issuers = client.fetchesIssuers ? IssuerFetching() : nil
    return trust
  }

  /// Returns the delegate, credentials and system behaviour for authentication challenges.
  func challenges(of url: LoadURL, identity: String?) -> ChallengeConversation.Configuration {
    let host = client.delegate?.host ?? scenario.connections.first.flatMap { try? LoadURL($0.url) }?.host ?? url.host
    var storage = CredentialStorage()
    for stored in client.credentials {
      storage.set(stored.credential, for: stored.space.resolved(host).space, asDefault: true)
    }
    var configuration = ChallengeConversation.Configuration(
      loader: client.loader, interface: client.interface, os: client.os,
      delegate: client.interface.hasNoDelegate ? nil : delegate(identity)?.resolved(host),
      storage: client.isRelaunched ? storage.afterRelaunch : storage, isRegistered: client.isRegistered,
      enforcement: enforcement)
    (configuration.initialStorage, configuration.isRelaunched) = (storage, client.isRelaunched)
    configuration.account = client.account
    configuration.identity = identity.map {
      Credential(.identity($0, certificates: Array(client.identity.dropFirst())))
    }
    return configuration
  }

  /// Returns the delegate that a table describes.
  private func tabled(_ description: DelegateDescription) -> ChallengeDelegate? {
    if description.preset?.name == "default" { return nil }
    var delegate = ChallengeDelegate(
      description.rules.map { rule in
        ChallengeRule(
          rule.condition, rule.looks ? inspection(rule) : nil, answers: rule.answers, otherwise: rule.otherwise)
      }, shouldUseCredentialStorage: description.shouldUseCredentialStorage,
      canAuthenticate: description.canAuthenticate,
      remarks: description.preset?.remarks.compactMap(RuleCatalogue.rule) ?? [])
    // A listing for NSURLConnection has the same effect with other loaders, as if it used the methods of their APIs.
    let own = description.methods.map(Set.init)
    let isElsewhere = description.preset != nil && own?.contains { $0.loader == client.loader } == false
    switch client.interface {
    case .session: delegate.methods = [.session]
    case .task: delegate.methods = [.task]
    case .delegate, .webView, .synchronous, .asynchronous:
      if let own, !isElsewhere { delegate.methods = own }
      if own == nil, client.loader == .nsurlConnection { delegate.methods = [.willSendRequest] }
    }
    return delegate
  }

  private func inspection(_ rule: DelegateDescription.Rule) -> TrustInspection {
    var inspection = inspection(rule.trust ?? .standard)
    let look = rule.look ?? .init()
    inspection.subject = look.subject
    inspection.checksStatus = look.checksStatus
    inspection.acceptedResults = look.results
    return inspection
  }

  /// Returns the delegate for the system's challenges; nil if the system decides.
  func delegate(_ identity: String?) -> ChallengeDelegate? {
    let own = client.delegate.map(tabled) ?? ownDelegate(identity)
    guard let mutant, mutant.places.contains(.delegate), client.serverTrust.pins == nil,
      client.serverTrust.library == nil
    else { return own }
    // The app of a faulty library uses the library's delegate, unless the app has another.
    let faulty = mutant.enforcement(in: .delegate)
    let decision: DelegateDecision = faulty.decisions()
    var delegate = own ?? decision.preset.flatMap { tabled($0.description) } ?? .inspecting(TrustInspection())
    for index in delegate.rules.indices { delegate.rules[index].inspection?.enforcement = faulty }
    return delegate
  }

  /// Returns the delegate that `serverTrust` and `identity` describe.
  private func ownDelegate(_ identity: String?) -> ChallengeDelegate? {
    let trust = client.serverTrust
    var delegate: ChallengeDelegate?
    if trust.delegate == .acceptAll { delegate = .acceptAll }
    if let library = trust.library { delegate = LibraryBuilder(hierarchy: hierarchy).delegate(library, client.loader) }
    if trust.changesTrust || trust.pins != nil { delegate = .inspecting(inspection(trust)) }
    guard let name = identity else { return delegate }
    var answering = delegate ?? ChallengeDelegate([.defaultHandling])
    answering.canAuthenticate.append(.clientCertificate)
    answering.rules.insert(
      ChallengeRule(
        ChallengeCondition(methods: [.clientCertificate]),
        answers: [.useCredential(.made(Credential(.identity(name, certificates: Array(client.identity.dropFirst())))))]),
      at: 0)
    return answering
  }

  /// Returns the app's handling of a trust.
  func inspection(_ trust: ServerTrustDescription) -> TrustInspection {
    var settings = TrustInspection.Settings(
      anchors: trust.anchors?.compactMap(anchor), anchorsOnly: trust.anchorsOnly)
    settings.areAnchorsDER = trust.anchorForm == .der
    settings.added = trust.adds?.compactMap(anchor) ?? []
    settings.verifyDate = trust.verifyDate
    settings.leavesOutHost = !trust.comparesName
    settings.exceptions = trust.exceptions.flatMap { exceptions in
      hierarchy[exceptions.certificate]?.certificates.first.map {
        var own = TrustExceptions($0.certificate, rules: Set(exceptions.rules.compactMap(RuleCatalogue.rule)))
        for (name, rules) in exceptions.issuers {
          guard let issuer = hierarchy[name]?.certificates.first?.certificate else { continue }
          own.issuers[issuer] = Set(rules.compactMap(RuleCatalogue.rule))
        }
        return own
      }
    }
    var inspection = TrustInspection(settings, pins: pins(trust))
    inspection.reading = trust.evaluates ? trust.reading : .read
    inspection.isOnMainThread = trust.isOnMainThread
    return inspection
  }

  /// Returns the evaluator of a client with this system that knows nothing beyond its trust store.
  static func evaluator(os: OSVersion, _ scenario: Scenario, _ hierarchy: Hierarchy) -> TrustEvaluator {
    TrustEvaluator(
      TrustRequirements(os: os, date: scenario.clock, store: hierarchy.store(for: scenario)),
      diagnostics: TrustDiagnostics(names: hierarchy.names))
  }

  private func pins(_ trust: ServerTrustDescription) -> [PublicKeyPins] {
    trust.pins.map { names in
      [
        PublicKeyPins(
          names.compactMap { name in
            hierarchy[name]?.certificates.first.map { PublicKeyPins.Pin(keyOf: $0.certificate, named: name) }
          }, exemptsUserAnchors: trust.exemptsUserAnchors)
      ]
    } ?? []
  }

  /// Returns the anchor of a CA. If its file has several certificates, the anchor is the last one, the root; otherwise
  /// the first.
  private func anchor(_ name: String) -> Certificate? {
    let certificates = hierarchy[name]?.certificates
    let isCA = scenario.authorities.contains { $0.name == name }
    return (isCA ? certificates?.last : certificates?.first)?.certificate
  }
}

extension ProtectionSpacePattern {
  /// Returns this pattern with the app's own host in place of `$HOST`.
  fileprivate func resolved(_ own: String) -> ProtectionSpacePattern {
    var pattern = self
    if pattern.host == "$HOST" { pattern.host = own }
    return pattern
  }
}

extension ChallengeDelegate {
  /// Returns this delegate with the app's own host in place of `$HOST`.
  fileprivate func resolved(_ own: String) -> ChallengeDelegate {
    var delegate = self
    for index in delegate.rules.indices {
      let condition = delegate.rules[index].condition
      delegate.rules[index].condition.space = condition.space.resolved(own)
      delegate.rules[index].condition.isIn = condition.isIn?.map { $0.resolved(own) }
      delegate.rules[index].condition.isNotIn = condition.isNotIn?.map { $0.resolved(own) }
      delegate.rules[index].answers = delegate.rules[index].answers.map { call in
        guard case .useCredential(.stored(let space?)) = call else { return call }
        return .useCredential(.stored(space.resolved(own)))
      }
    }
    return delegate
  }
}

/// Builds a scenario's servers for queries instead of runs: the parameters and chain of each server.
struct SiteBuilder {
  let scenario: Scenario
  let hierarchy: Hierarchy
  /// The historical bug of the client that queries the servers; nil for none.
  let mutant: Mutant?

  func site() -> AppTransportSecurity.Site {
    let servers = scenario.servers.map { ($0.host.lowercased(), answer(of: $0)) }
    let trust = TrustEvaluator(
      TrustRequirements(profile: .apple, os: nil, date: scenario.clock, store: hierarchy.store(for: scenario)),
      diagnostics: TrustDiagnostics(names: hierarchy.names)
    ).having(mutant)
    var site = AppTransportSecurity.Site(servers: Dictionary(servers) { first, _ in first }, trust: trust)
    let published = hierarchy.publications(in: scenario).compactMap { publication in
      (try? Certificate(der: publication.content)).map { (publication.url, [$0]) }
    }
    site.publications = Dictionary(published) { first, _ in first }
    return site
  }

  private func answer(of server: ServerDescription) -> AppTransportSecurity.Site.Server {
    let entries = server.presents.compactMap { hierarchy[$0] }
    let chain = entries.flatMap(\.certificates).map(\.certificate)
    var site = AppTransportSecurity.Site.Server(
      terms: AppTransportSecurity.ServerTerms(
        versions: server.versions, cipherSuites: server.cipherSuites, groups: server.groups,
        signatureSchemes: server.signatureSchemes ?? SignatureScheme.defaults, key: chain.first?.publicKey,
        requiresClientCertificate: server.clientAuthentication == .required),
      chain: chain, redirects: redirects(of: server))
    site.presentedSCTs = presentedSCTs(of: server)
    site.logs = LogBuilder(scenario: scenario).list(for: Array(server.presents.prefix(1)))
    return site
  }

  /// Returns the SCTs of the server's certificate that are in the TLS extension or an OCSP response.
  private func presentedSCTs(of server: ServerDescription) -> [[UInt8]] {
    guard let name = server.presents.first, let own = hierarchy[name]?.certificates.first?.certificate,
      let described = (scenario.certificates + scenario.authorities).first(where: { $0.name == name })?.timestamps
    else { return [] }
    let isStapled = server.staple.map { $0.about == nil && $0.says != .tryLater } ?? false
    let logs = described.tlsExtension + (isStapled ? described.ocsp : [])
    return LogBuilder(scenario: scenario).timestamps(logs, over: own)?.items ?? []
  }

  /// Returns the targets of redirected GET requests, by path.
  private func redirects(of server: ServerDescription) -> [String: String] {
    let pairs = server.redirects.compactMap { line, target in
      line.hasPrefix("GET ") ? (String(line.dropFirst(4)), target) : nil
    }
    return Dictionary(pairs) { first, _ in first }
  }
}

extension ScenarioPlayer {
  /// Returns the servers of `scenario` for queries, with the parameters, chain and responses of each.
  ///
  /// The result excludes attackers on the network, the app and its system.
  ///
  /// - Throws: `Diagnostics` if a file cannot be used.
  public func site(of scenario: Scenario) throws(Diagnostics) -> AppTransportSecurity.Site {
    SiteBuilder(
      scenario: scenario, hierarchy: try cast.hierarchy(of: scenario, shift: 0), mutant: cast.mutant
    ).site()
  }
}
