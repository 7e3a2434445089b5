import Cryptography
import Explanation
import PKIX
import TLS
import Trust
import URLLoading

extension AppTransportSecurity {
  /// The servers that respond to loads, by host, and the trust settings for their certificates.
  public struct Site: Sendable {
    /// One server, over HTTPS and over plain HTTP.
    public struct Server: Sendable {
      /// The parameters that the server agrees to.
      public let terms: ServerTerms
      /// The certificates that the server sends, its own certificate first.
      public let chain: [Certificate]
      /// The redirects by request path. A redirect is an absolute URL or a path.
      public let redirects: [String: String]
      /// Whether the server was probed with a few connections.
      public let isProbed: Bool
      /// The SCTs that the server sends in the TLS extension signed_certificate_timestamp (RFC 6962 section 3.3.1).
      public var presentedSCTs: [[UInt8]] = []
      /// The logs that clients know; nil if clients cannot verify SCTs.
      public var logs: LogList?

      /// Creates a server with the given terms that sends `chain`.
      public init(
        terms: ServerTerms, chain: [Certificate], redirects: [String: String] = [:], isProbed: Bool = false
      ) {
        self.isProbed = isProbed
        self.terms = terms
        self.chain = chain
        self.redirects = redirects
      }
    }

    /// The reason why a request has no complete response.
    public enum NoAnswer: Sendable, Hashable {
      /// The name of the host does not resolve to an address.
      case noAddress
      /// The connection is refused, or the host is unreachable.
      case noConnection
      /// The server does not send a complete response within the time limit.
      case silence
      /// The server's first bytes are not a handshake.
      case noTLS
      /// The connection ends before the response is complete, which violates the given rule.
      case lost(because: Rule)
      /// TrustLab cannot interpret the response, or a part of it.
      case unreadable
      /// The response redirects to a URL whose scheme is not HTTP.
      case otherScheme(String)

      /// The errors that the app receives; empty if they are unknown.
      var errors: [AppError] {
        switch self {
        case .noAddress: AppError.Situation.hostNotFound.errors
        case .noConnection: [AppError(.url, -1004)]
        case .silence: AppError.timedOut
        case .noTLS: [AppError(.url, -1200)]
        case .lost: [AppError(.url, -1005)]
        case .unreadable, .otherScheme: []
        }
      }

      /// The violated rule if a server sends only a part of its response.
      var rule: Rule? { if case .lost(let rule) = self { rule } else { nil } }

      /// The confidence in the errors.
      var confidence: Finding.Confidence {
        switch self {
        case .noAddress, .noConnection, .noTLS, .lost: .certain
        case .silence:
          .likely(
            "the server sent no response, or only part of it, within the time limit; systems may "
              + "wait longer")
        case .unreadable: .unknown("how systems react to a response that TrustLab cannot fully read")
        case .otherScheme(let scheme):
          .unknown("how systems react to a redirect to \(scheme): Apple documents only redirects to HTTP")
        }
      }
    }

    /// The maximum number of URLs that one load requests.
    public static let longestWay = LoadURL.mostRedirects + 1

    /// The servers, by `place(of:)` or, for all ports of a host, by the host in lower case.
    public let servers: [String: Server]
    /// The trust settings for the servers' certificates. The system of the load replaces the one in the settings.
    public let trust: TrustEvaluator
    /// The certificates of issuers that servers do not send, by the URL from which they can be fetched.
    public var publications: [String: [Certificate]] = [:]
    /// The reasons for incomplete responses, by `resource(of:)`.
    public var unanswered: [String: NoAnswer] = [:]

    /// The rules that are enforced for loads, which are those of the evaluation.
    var enforcement: Enforcement { trust.diagnostics.enforcement }

    /// Creates a site from servers and the trust settings for their certificates.
    public init(servers: [String: Server], trust: TrustEvaluator) {
      self.servers = servers
      self.trust = trust
    }

    /// Returns the origin of a URL, such as `https://api.example:8443` (RFC 6454 section 4). Servers are distinguished
    /// by port and by the use of TLS.
    public static func place(of url: LoadURL) -> String {
      "\(url.isSecure ? "https" : "http")://\(url.host):\(url.port ?? (url.isSecure ? 443 : 80))"
    }

    /// Returns the resource of a URL at its origin, such as `https://api.example:8443/path`.
    public static func resource(of url: LoadURL) -> String { place(of: url) + url.path }

    /// Returns the server for a URL; nil if there is none.
    public func server(for url: LoadURL) -> Server? { servers[Self.place(of: url)] ?? servers[url.host] }

    /// Returns the site on a system that also trusts these roots.
    public func trusting(_ roots: [Certificate]) -> Site {
      var evaluator = trust
      evaluator.requirements.store = trust.requirements.store.adding(system: roots)
      var site = Site(servers: servers, trust: evaluator)
      site.publications = publications
      site.unanswered = unanswered
      return site
    }

    func evaluation(of server: Server, for host: String, on os: OSVersion) -> TrustEvaluation {
      var evaluator = trust
      evaluator.requirements.os = os
      evaluator.evidence.issuers = IssuerFetching()
      (evaluator.evidence.presentedSCTs, evaluator.evidence.logs) = (server.presentedSCTs, server.logs)
      var evaluation = evaluator.evaluate(server.chain, host: host)
      while let wanted = evaluation.wanted {
        evaluator.evidence.issuers?.add(publications[wanted.url] ?? [], from: wanted.url)
        evaluation = evaluator.evaluate(server.chain, host: host)
      }
      return evaluation
    }
  }

  /// The parameters of a server that determine the negotiation.
  ///
  /// An agreement depends only on these parameters and on an offer, even if the local TLS library does not support the
  /// result.
  public struct ServerTerms: Sendable {
    /// The versions that the server supports.
    public let versions: [ProtocolVersion]
    /// The cipher suites that the server accepts, in order of preference.
    public let cipherSuites: [CipherSuite]
    /// The groups that the server supports for ECDHE.
    public let groups: [NamedGroup]
    /// The signature schemes for the server's key exchange.
    public let signatureSchemes: [SignatureScheme]
    /// The key in the server's certificate; nil if it cannot be read.
    public let key: PublicKey?
    /// Whether the server requires a client certificate.
    public let requiresClientCertificate: Bool
    /// The server's reaction to every offer, if it agrees to none; nil for all other servers.
    public var refusal: Refusal?

    /// The reaction of a server that does not agree to any offer.
    public enum Refusal: Sendable, Hashable {
      /// The server sends this alert.
      case alert(AlertDescription)
      /// The server's response violates this rule, and the client sends this alert.
      case broken(Rule, by: AlertDescription)
      /// The server sends close_notify instead of a response.
      case closing
      /// The server closes the connection without a response.
      case closed
      /// The server sends nothing within the time limit.
      case silence
    }

    /// Creates the terms of a server.
    public init(
      versions: [ProtocolVersion], cipherSuites: [CipherSuite], groups: [NamedGroup] = NamedGroup.implemented,
      signatureSchemes: [SignatureScheme] = SignatureScheme.defaults, key: PublicKey?,
      requiresClientCertificate: Bool = false
    ) {
      self.versions = versions
      self.cipherSuites = cipherSuites.accepted(in: versions)
      self.groups = groups
      self.signatureSchemes = signatureSchemes
      self.key = key
      self.requiresClientCertificate = requiresClientCertificate
    }

    /// The reason why there is no agreement.
    public enum Disagreement: Error, Sendable, Hashable {
      /// There is no common version. The value is whether the server, not the client, reports this.
      case version(saidByServer: Bool)
      /// There is a common version, but no common suite for it.
      case suite
      /// There is no common version. The server selects its own newest version, for which the offer has no suite.
      case suiteOfOlderVersion
      /// The server does not agree to any offer.
      case refused(Refusal)
    }

    /// Negotiates the newest common version, and the server's preferred suite of that version.
    public func agreement(with offer: ClientOffer) throws(Disagreement) -> Negotiated {
      if let refusal { throw .refused(refusal) }
      let range = offer.minimumVersion...max(offer.minimumVersion, offer.maximumVersion)
      guard let version = versions.filter(range.contains).max() else { throw versionDisagreement(offer) }
      let suite = cipherSuites.first {
        offer.cipherSuites.contains($0) && $0.isUsable(in: version) && canServe($0, offer)
      }
      guard let suite else { throw .suite }
      return Negotiated(version: version, cipherSuite: suite)
    }

    /// Returns the reason if there is no common version.
    ///
    /// A server with supported_versions recognizes that there is none (RFC 8446 section 4.2.1). Without the extension,
    /// it selects its own newest version. Then either there is no common suite, or the client refuses the version.
    private func versionDisagreement(_ offer: ClientOffer) -> Disagreement {
      guard let newest = versions.max() else { return .version(saidByServer: false) }
      let listsVersions = offer.hello.extensionTypes.contains(.supportedVersions) || offer.minimumVersion >= .tls13
      if newest >= offer.minimumVersion || listsVersions { return .version(saidByServer: true) }
      let hasSuite = cipherSuites.contains {
        offer.cipherSuites.contains($0) && $0.isUsable(in: newest) && canServe($0, offer)
      }
      return hasSuite ? .version(saidByServer: false) : .suiteOfOlderVersion
    }

    private func canServe(_ suite: CipherSuite, _ offer: ClientOffer) -> Bool {
      let shareable = groups.contains(where: offer.groups.contains)
      guard let key else { return suite.keyExchange == .tls13 && shareable }
      let canSign = signatureSchemes.contains { scheme in
        scheme.suits(key) && offer.signatureSchemes.contains(scheme)
      }
      switch suite.keyExchange {
      // The signature is negotiated independently of the suite (RFC 8446 section 4.2.3).
      case .tls13:
        return shareable && signatureSchemes.contains { $0.suits13(key) && offer.signatureSchemes.contains($0) }
      case .rsa: return key.keyKind == .rsa
      case .dheRSA: return key.keyKind == .rsa && canSign
      case .ecdheRSA, .ecdheECDSA: return suite.keyKind == key.keyKind && shareable && canSign
      case .dhAnonymous, .null: return true
      case .dheDSS, .ecdhRSA, .ecdhECDSA, .rsaExport, .dheRSAExport, .dheDSSExport: return false
      case .signalling, nil: return false
      }
    }
  }
}
