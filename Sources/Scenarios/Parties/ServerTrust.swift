import Explanation
import URLLoading

/// An app's handling of the server's certificate, as a scenario describes it.
public struct ServerTrustDescription: Sendable, Hashable {
  /// The named delegates for NSURLAuthenticationMethodServerTrust challenges.
  public enum Delegate: String, Sendable, Hashable, CaseIterable {
    /// No delegate, so that the system decides.
    case none = "default"
    /// The delegate uses a credential for any trust.
    case acceptAll = "accept-all"
  }

  /// The violations that an app ignores for one certificate.
  public struct Exceptions: Sendable, Hashable {
    /// The name of the server's certificate, whose violations are ignored.
    public let certificate: String
    /// The ids of the rules that the certificate may violate.
    public let rules: [String]
    /// The ids of the rules that issuers above the certificate may violate, by issuer name.
    public let issuers: [String: [String]]

    /// The names of all certificates with ignored violations.
    var names: [String] { [certificate] + issuers.keys.sorted() }
  }

  /// The named delegate that handles the challenge.
  public var delegate = Delegate.none
  /// The library that decides about the trust; nil for none.
  public var library: LibraryDescription?
  /// The names of the certificates that the app adds to the chain; nil for none.
  public var adds: [String]?
  /// The certificates that the app sets as anchors (SecTrustSetAnchorCertificates); nil for none.
  public var anchors: [String]?
  /// Whether the app's anchors are the only ones (SecTrustSetAnchorCertificatesOnly), which is the default.
  public var anchorsOnly = true
  /// The encoding of the anchor files.
  public var anchorForm = CertificateForm.der
  /// The validation date (SecTrustSetVerifyDate); nil for the current time.
  public var verifyDate: Instant?
  /// The violations that the app ignores (SecTrustSetExceptions).
  public var exceptions: Exceptions?
  /// Whether the app evaluates the trust after changing it.
  public var evaluates = true
  /// The function with which the app evaluates the trust.
  public var reading = TrustInspection.Reading.evaluate
  /// Whether the evaluation checks the host name (SecPolicyCreateSSL with a host), which is the default.
  public var comparesName = true
  /// Whether the app evaluates the trust on the main thread.
  public var isOnMainThread = false
  /// The certificates whose public keys the app pins; nil for no pinning.
  public var pins: [String]?
  /// Whether a user-installed anchor disables pinning.
  public var exemptsUserAnchors = false

  /// The default handling, in which the system decides.
  static let standard = ServerTrustDescription()

  /// The names of the certificates that the app uses for its decision.
  var names: [String] {
    (library?.names ?? []) + (adds ?? []) + (anchors ?? []) + (pins ?? []) + (exceptions?.names ?? [])
  }

  /// Whether the app changes the trust of the challenge.
  var changesTrust: Bool {
    adds != nil || anchors != nil || verifyDate != nil || exceptions != nil || !evaluates || reading != .evaluate
      || !comparesName || isOnMainThread
  }
}

extension ServerTrustDescription {
  static let section = Section<ServerTrustDescription>(
    "server trust", "The app's handling of the server's certificate, in addition to the system's.",
    [
      .term(
        "delegate", .delegate, "the app's delegate for NSURLAuthenticationMethodServerTrust, by name", into: \.delegate,
        says: { $0 == .acceptAll ? "Its delegate accepts every server, regardless of the certificate." : nil }),
      .term(
        "adds", .certificateNames,
        "the certificates that the app adds to the chain before it evaluates the trust again",
        into: \.adds, says: { "It adds \($0.listed) to the chain." }),
      .term(
        "anchors", .certificateNames,
        "the certificates that the app sets as anchors before it evaluates the trust again",
        into: \.anchors
      ).saying { trust in
        trust.anchors.map {
          [
            "It sets \($0.listed) as anchors\(trust.anchorsOnly ? " and trusts no others." : " in addition to the system's.")"
          ]
        }
          ?? []
      },
      .term(
        "anchorsOnly", .flag, "whether the app's anchors are the only anchors; default: true", into: \.anchorsOnly),
      .term(
        "anchorForm", .choice(called: "certificate encoding"),
        "the encoding of the anchor files: DER, or PEM, which the system cannot read; default: DER",
        into: \.anchorForm, says: { $0 == .der ? nil : "Its anchor files are PEM." }),
      .term(
        "verifyDate", .date, "the date for which the app validates the chain (SecTrustSetVerifyDate)",
        into: \.verifyDate, says: { "It validates the chain at \($0.shortText)." }),
      .term(
        "exceptions", .trustExceptions,
        "the violations that the app ignores, as the user once decided (SecTrustSetExceptions)",
        into: \.exceptions, says: { "It ignores \($0.rules.listed) for \($0.certificate)." }),
      .term(
        "evaluates", .flag, "whether the app evaluates the trust again before it reads the result; default: true",
        into: \.evaluates, says: { $0 ? nil : "It reads the result, but does not evaluate the trust again." }),
      .term(
        "function", .choice(of: [.evaluate, .evaluateAsync, .evaluateWithError], called: "function"),
        "the function that evaluates the trust: SecTrustEvaluate, …Async or …WithError; default: evaluate",
        into: \.reading,
        says: { $0 == .evaluate ? nil : "It evaluates with \($0.function)." }),
      .term(
        "comparesName", .flag,
        "whether the app's policy contains the host name (SecPolicyCreateSSL); default: true", into: \.comparesName,
        says: { $0 ? nil : "It sets a policy without a host name." }),
      .term(
        "mainThread", .flag, "whether the app evaluates the trust on the main thread; default: false",
        into: \.isOnMainThread,
        says: { $0 ? "It evaluates the trust on the main thread." : nil }),
      .term(
        "pins", .certificateNames, "the pinned certificates; the path must have the public key of one of them",
        into: \.pins
      ).saying { trust in
        trust.pins.map { pins in
          [
            "It requires the public key of \(pins.joined(separator: " or ")) on the path"
              + (trust.exemptsUserAnchors ? ", but not under a root that the user installed." : ".")
          ]
        } ?? []
      },
      .term(
        "exemptsUserAnchors", .flag,
        "whether a user-installed root disables pinning; default: false",
        into: \.exemptsUserAnchors),
    ])
}

/// The encoding of a certificate file.
public enum CertificateForm: String, Sendable, Hashable, CaseIterable {
  /// DER bytes, which SecCertificateCreateWithData accepts.
  case der = "DER"
  /// Base64 between a header and a footer line (RFC 7468).
  case pem = "PEM"
}

/// Trust exceptions under construction.
struct TrustExceptionsDescription: Sendable {
  var certificate: String?
  var rules: [String]?
  var issuers: [String: [String]] = [:]

  static let section = Section<TrustExceptionsDescription>(
    "trust exceptions",
    "The violations that an app ignores for one server's certificate. Other violations are not ignored.",
    [
      .term("certificate", .text, "the server's certificate", into: \.certificate),
      .term(
        "rules", .list(.choice(ids, called: "rule of an evaluation").named("rule of an evaluation")),
        "the chain and name rules that the certificate may violate, such as chain.expired", into: \.rules),
      .term(
        "issuers", .named(.list(.choice(ids, called: "rule of an evaluation").named("rule of an evaluation"))),
        "the rules that issuers above the certificate may violate, by the issuers' names; default: none",
        into: \.issuers),
    ])

  /// The ids of the rules that the evaluation of a chain checks.
  private static let ids = RuleCatalogue.all.filter { [.chain, .name].contains($0.layer) && $0.decides }.map(\.id)
}

extension Kind {
  /// A delegate, given by its name.
  static var delegate: Kind<ServerTrustDescription.Delegate> {
    Kind<ServerTrustDescription.Delegate>.choice(called: "delegate")
  }

  /// The name of a delegate, or a map of the app's trust handling.
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
            "\(reader.path) needs a certificate and rules", hint: "write { certificate: api, rules: [chain.expired] }")
        }
        return nil
      }
      return .init(certificate: certificate, rules: rules, issuers: model.issuers)
    }
  }

  /// A list of certificate names with at least one item.
  static var certificateNames: Kind<[String]> {
    Kind<[String]>(.list(.text)) { reader in
      let names = reader.list { $0.text() }
      if names?.isEmpty == true {
        reader.fail("\(reader.path) is empty, so no server could be accepted", hint: "write [api]")
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
        "\(place.path): accept-all excludes anchors and pins", hint: "leave out one of them")
    }
    if anchors == nil, let only = map["anchorsOnly"] ?? map["anchorForm"] {
      only.fail("\(only.path) needs anchors", hint: "write anchors: [Root A]")
    }
    if pins == nil, let exempts = map["exemptsUserAnchors"] {
      exempts.fail("\(exempts.path) needs pins", hint: "write pins: [api]")
    }
    if self == .standard, map["delegate"] == nil {
      place.fail(
        "\(place.path) has no effect: it has no delegate, anchors or pins",
        hint: "write { pins: [api] }, { anchors: [Root A] }, { verifyDate: 2016-01-01 }, accept-all or default")
    }
  }
}
