import Explanation
import URLLoading

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
    /// The same for certificates above it, by their names.
    public let issuers: [String: [String]]

    /// All certificates that it names.
    var names: [String] { [certificate] + issuers.keys.sorted() }
  }

  /// The delegate by its name.
  public var delegate = Delegate.none
  /// The library that decides; nil for none.
  public var library: LibraryDescription?
  /// The names of the certificates that the app adds to the chain.
  public var adds: [String]?
  /// The names of the certificates that the app sets as anchors (SecTrustSetAnchorCertificates); nil where it sets none.
  public var anchors: [String]?
  /// Whether these are then the only anchors (SecTrustSetAnchorCertificatesOnly), as they are unless the app says so.
  public var anchorsOnly = true
  /// How the files are written that it makes its anchors from.
  public var anchorForm = CertificateForm.der
  /// The date of validation (SecTrustSetVerifyDate); nil for the clock.
  public var verifyDate: Instant?
  /// What the app lets pass (SecTrustSetExceptions).
  public var exceptions: Exceptions?
  /// Whether it evaluates the trust that it has changed.
  public var evaluates = true
  /// The function that it evaluates with.
  public var reading = TrustInspection.Reading.evaluate
  /// Whether the host's name is compared (SecPolicyCreateSSL with a host), as it is unless the app sets another policy.
  public var comparesName = true
  /// Whether it evaluates on the main thread.
  public var isOnMainThread = false
  /// The certificates whose public keys the app pins; nil where any key will do.
  public var pins: [String]?
  /// Whether nothing is pinned under an anchor that the user installed.
  public var exemptsUserAnchors = false

  /// Nothing: the system decides.
  static let standard = ServerTrustDescription()

  /// The certificates it names.
  var names: [String] {
    (library?.names ?? []) + (adds ?? []) + (anchors ?? []) + (pins ?? []) + (exceptions?.names ?? [])
  }

  /// Whether the app changes the trust that it is given.
  var changesTrust: Bool {
    adds != nil || anchors != nil || verifyDate != nil || exceptions != nil || !evaluates || reading != .evaluate
      || !comparesName || isOnMainThread
  }
}

extension ServerTrustDescription {
  static let section = Section<ServerTrustDescription>(
    "server trust", "What the app does about the server's certificate, beyond the system.",
    [
      .term(
        "delegate", .delegate, "its delegate for NSURLAuthenticationMethodServerTrust, by name", into: \.delegate,
        says: { $0 == .acceptAll ? "Its delegate accepts every server, whatever its certificate." : nil }),
      .term(
        "adds", .certificateNames, "certificates and authorities that it adds to the chain, and evaluates again",
        into: \.adds, says: { "It adds \($0.listed) to the chain." }),
      .term(
        "anchors", .certificateNames, "certificates and authorities that it sets as anchors, and evaluates again",
        into: \.anchors
      ).saying { trust in
        trust.anchors.map { ["It sets \($0.listed) as anchors\(trust.anchorsOnly ? ", and no others." : " as well.")"] }
          ?? []
      },
      .term(
        "anchorsOnly", .flag, "whether these are then the only anchors; true, if left out", into: \.anchorsOnly),
      .term(
        "anchorForm", .choice(called: "form of a certificate"),
        "how the files are written that it makes them from: DER (if left out), or PEM, of which the system makes none",
        into: \.anchorForm, says: { $0 == .der ? nil : "The files of its anchors are PEM." }),
      .term(
        "verifyDate", .date, "the date at which it has the chain validated (SecTrustSetVerifyDate)",
        into: \.verifyDate, says: { "It has the chain validated at \($0.shortText)." }),
      .term(
        "exceptions", .trustExceptions, "what it lets pass, as a user once decided (SecTrustSetExceptions)",
        into: \.exceptions, says: { "It lets \($0.rules.listed) pass for \($0.certificate)." }),
      .term(
        "evaluates", .flag, "whether it evaluates the trust again before it reads the result; true, if left out",
        into: \.evaluates, says: { $0 ? nil : "It reads the result without evaluating the trust that it has." }),
      .term(
        "function", .choice(of: [.evaluate, .evaluateAsync, .evaluateWithError], called: "function"),
        "what it evaluates with: SecTrustEvaluate, …Async or …WithError; evaluate, if left out", into: \.reading,
        says: { $0 == .evaluate ? nil : "It evaluates with \($0.function)." }),
      .term(
        "comparesName", .flag,
        "whether the policy that it sets has the host (SecPolicyCreateSSL); true, if left out", into: \.comparesName,
        says: { $0 ? nil : "It sets a policy without a host." }),
      .term(
        "mainThread", .flag, "whether it evaluates on the main thread; false, if left out", into: \.isOnMainThread,
        says: { $0 ? "It evaluates on the main thread." : nil }),
      .term(
        "pins", .certificateNames, "certificates and authorities: the path must have the public key of one of them",
        into: \.pins
      ).saying { trust in
        trust.pins.map { pins in
          [
            "It demands a public key of \(pins.joined(separator: " or ")) on the path"
              + (trust.exemptsUserAnchors ? ", but not under a root that the user installed." : ".")
          ]
        } ?? []
      },
      .term(
        "exemptsUserAnchors", .flag,
        "whether no pin is asked for under a root that the user installed; false, if left out",
        into: \.exemptsUserAnchors),
    ])
}

/// How a certificate is written in a file.
public enum CertificateForm: String, Sendable, Hashable, CaseIterable {
  /// The bytes themselves: what SecCertificateCreateWithData takes.
  case der = "DER"
  /// Base64 between two lines: RFC 7468.
  case pem = "PEM"
}

/// What an app lets pass while it is read.
struct TrustExceptionsDescription: Sendable {
  var certificate: String?
  var rules: [String]?
  var issuers: [String: [String]] = [:]

  static let section = Section<TrustExceptionsDescription>(
    "trust exceptions", "What an app lets pass for one server's certificate; what else fails still fails.",
    [
      .term("certificate", .text, "the server's certificate for which they hold", into: \.certificate),
      .term(
        "rules", .list(.choice(ids, called: "rule of an evaluation").named("rule of an evaluation")),
        "the rules of chain and name that it may violate: chain.expired", into: \.rules),
      .term(
        "issuers", .named(.list(.choice(ids, called: "rule of an evaluation").named("rule of an evaluation"))),
        "the same for certificates above it, by their names; none, if left out", into: \.issuers),
    ])

  /// The rules that an evaluation of a chain is about.
  private static let ids = RuleCatalogue.all.filter { [.chain, .name].contains($0.layer) && $0.decides }.map(\.id)
}

extension Kind {
  /// A delegate by its name.
  static var delegate: Kind<ServerTrustDescription.Delegate> {
    Kind<ServerTrustDescription.Delegate>.choice(called: "delegate")
  }

  /// A delegate's name, or a map that says what the app does.
  static var serverTrust: Kind<ServerTrustDescription> {
    let section = ServerTrustDescription.section
    return Kind<ServerTrustDescription>(
      .either([delegate.shape, .section(section.name)] + LibraryDescription.shapes)
    ) { reader in
      guard let entries = reader.node.entries else { return delegate.read(reader).map { .init(delegate: $0) } }
      if entries.contains(where: { $0.key == "library" }) {
        return reader.library().map { .init(library: $0) }
      }
      let reports = reader.sink.reports
      var trust = ServerTrustDescription()
      guard let map = reader.read(section, into: &trust) else { return nil }
      if reader.sink.reports == reports { trust.check(map) }
      return trust
    }
  }

  static var trustExceptions: Kind<ServerTrustDescription.Exceptions> {
    let section = TrustExceptionsDescription.section
    return Kind<ServerTrustDescription.Exceptions>(.section(section.name)) { reader in
      var model = TrustExceptionsDescription()
      guard let map = reader.read(section, into: &model) else { return nil }
      guard let certificate = model.certificate, let rules = model.rules, !rules.isEmpty else {
        if map["certificate"] == nil || map["rules"] == nil {
          reader.fail(
            "\(reader.path) names a certificate and rules", hint: "write { certificate: api, rules: [chain.expired] }")
        }
        return nil
      }
      return .init(certificate: certificate, rules: rules, issuers: model.issuers)
    }
  }

  /// Names of certificates and authorities, at least one.
  static var certificateNames: Kind<[String]> {
    Kind<[String]>(.list(.text)) { reader in
      let names = reader.list { $0.text() }
      if names?.isEmpty == true {
        reader.fail("\(reader.path) names nothing: nothing could be accepted", hint: "write [api]")
      }
      return names
    }
  }
}

extension ServerTrustDescription {
  fileprivate func check(_ map: MapReader) {
    let place = map.reader
    if delegate == .acceptAll, changesTrust || pins != nil {
      place.fail(
        "\(place.path): whoever accepts all asks for no anchors and no pins", hint: "leave out the one or the other")
    }
    if anchors == nil, let only = map["anchorsOnly"] ?? map["anchorForm"] {
      only.fail("\(only.path) is about anchors of the app's own", hint: "write anchors: [Root A]")
    }
    if pins == nil, let exempts = map["exemptsUserAnchors"] {
      exempts.fail("\(exempts.path) is about pins", hint: "write pins: [api]")
    }
    if self == .standard, map["delegate"] == nil {
      place.fail(
        "\(place.path) says nothing: neither delegate, anchors nor pins",
        hint: "write { pins: [api] }, { anchors: [Root A] }, { verifyDate: 2016-01-01 }, accept-all or default")
    }
  }
}
