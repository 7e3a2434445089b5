import Explanation

/// What an app does about the server's certificate, as a scenario describes it.
public struct ServerTrustDescription: Sendable, Hashable {
  /// Delegates for challenges of NSURLAuthenticationMethodServerTrust that have a name.
  public enum Delegate: String, Sendable, Hashable, CaseIterable {
    /// None: the system's word stands.
    case none = "default"
    /// One that hands in a credential for whatever trust it is given.
    case acceptAll = "accept-all"
  }

  /// What an app lets pass for one certificate.
  public struct Exceptions: Sendable, Hashable {
    /// The name of the server's certificate.
    public let certificate: String
    /// The ids of the rules that it may violate.
    public let rules: [String]
  }

  /// The delegate by its name.
  public var delegate = Delegate.none
  /// The names of the certificates that the app adds to the chain.
  public var adds: [String]?
  /// The names of the certificates that the app sets as anchors (SecTrustSetAnchorCertificates); nil where it sets none.
  public var anchors: [String]?
  /// Whether these are then the only anchors (SecTrustSetAnchorCertificatesOnly), as they are unless the app says so.
  public var anchorsOnly = true
  /// The date of validation (SecTrustSetVerifyDate); nil for the clock.
  public var verifyDate: Instant?
  /// What the app lets pass (SecTrustSetExceptions).
  public var exceptions: Exceptions?
  /// Whether it evaluates the trust that it has changed.
  public var evaluates = true
  /// The certificates whose public keys the app pins; nil where any key will do.
  public var pins: [String]?
  /// Whether nothing is pinned under an anchor that the user installed.
  public var exemptsUserAnchors = false

  /// Nothing: the system decides.
  static let standard = ServerTrustDescription()

  /// The certificates it names.
  var names: [String] {
    (adds ?? []) + (anchors ?? []) + (pins ?? []) + (exceptions.map { [$0.certificate] } ?? [])
  }

  /// Whether the app changes the trust that it is given.
  var changesTrust: Bool {
    adds != nil || anchors != nil || verifyDate != nil || exceptions != nil || !evaluates
  }
}

extension NodeReader {
  /// A delegate's name, or a map that says what the app does.
  func serverTrust() -> ServerTrustDescription? {
    guard node.entries != nil else { return delegate().map { .init(delegate: $0) } }
    let reports = sink.reports
    guard let map = map(Vocabulary.serverTrust) else { return nil }
    let delegate = map["delegate"].map { $0.delegate() } ?? ServerTrustDescription.Delegate.none
    guard let delegate else { return nil }
    var trust = ServerTrustDescription(delegate: delegate)
    trust.adds = map["adds"]?.certificateNames()
    trust.anchors = map["anchors"]?.certificateNames()
    trust.anchorsOnly = map["anchorsOnly"]?.flag() ?? true
    trust.verifyDate = map["verifyDate"]?.date()
    trust.exceptions = map["exceptions"]?.trustExceptions()
    trust.evaluates = map["evaluates"]?.flag() ?? true
    trust.pins = map["pins"]?.certificateNames()
    trust.exemptsUserAnchors = map["exemptsUserAnchors"]?.flag() ?? false
    if sink.reports == reports { check(trust, map) }
    return trust
  }

  private func check(_ trust: ServerTrustDescription, _ map: MapReader) {
    if trust.delegate == .acceptAll, trust.changesTrust || trust.pins != nil {
      fail("\(path): whoever accepts all asks for no anchors and no pins", hint: "leave out the one or the other")
    }
    if trust.anchors == nil, let only = map["anchorsOnly"] {
      only.fail("\(only.path) is about anchors of the app's own", hint: "write anchors: [Root A]")
    }
    if trust.pins == nil, let exempts = map["exemptsUserAnchors"] {
      exempts.fail("\(exempts.path) is about pins", hint: "write pins: [api]")
    }
    if trust == .standard, map["delegate"] == nil {
      fail(
        "\(path) says nothing: neither delegate, anchors nor pins",
        hint: "write { pins: [api] }, { anchors: [Root A] }, { verifyDate: 2016-01-01 }, accept-all or default")
    }
  }

  private func delegate() -> ServerTrustDescription.Delegate? {
    choice(Vocabulary.delegateWords, called: "delegate").flatMap(ServerTrustDescription.Delegate.init)
  }

  private func trustExceptions() -> ServerTrustDescription.Exceptions? {
    guard let map = map(Vocabulary.trustExceptions) else { return nil }
    guard let certificate = map["certificate"]?.text(), let rules = map["rules"]?.list({ $0.trustRule() }),
      !rules.isEmpty
    else {
      if map["certificate"] == nil || map["rules"] == nil {
        fail("\(path) names a certificate and rules", hint: "write { certificate: api, rules: [chain.expired] }")
      }
      return nil
    }
    return .init(certificate: certificate, rules: rules)
  }

  /// A rule that an evaluation of a chain is about.
  private func trustRule() -> String? {
    let ids = RuleCatalogue.all.filter { [.chain, .name].contains($0.layer) && $0.decides }.map(\.id)
    return choice(ids, called: "rule of an evaluation")
  }

  /// Names of certificates and authorities, at least one.
  private func certificateNames() -> [String]? {
    let names = list { $0.text() }
    if names?.isEmpty == true { fail("\(path) names nothing: nothing could be accepted", hint: "write [api]") }
    return names
  }

  /// A switch.
  func flag() -> Bool? {
    guard case .scalar(let text, false, _) = node, ["true", "false"].contains(text) else {
      fail("\(path) must be true or false, not \(shown)")
      return nil
    }
    return text == "true"
  }
}
