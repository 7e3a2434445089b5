import Cryptography
import Explanation
import PKIX
import TLS
import Trust
import URLLoading

extension AppTransportSecurity {
  /// Everything that answers loads: servers by host, and what their certificates are evaluated against.
  public struct Site: Sendable {
    /// One server, over HTTPS and over plain HTTP.
    public struct Server: Sendable {
      /// What it would agree to.
      public let terms: ServerTerms
      /// The certificates it shows, its own first.
      public let chain: [Certificate]
      /// Where it sends a client, by request path: an absolute URL or a path.
      public let redirects: [String: String]
      /// Whether this is what a real server has shown of itself to a few probes, and TLS 1.3 the answer to a hello alone.
      public let isProbed: Bool
      /// The SCTs that it sends in the TLS extension signed_certificate_timestamp (RFC 6962 section 3.3.1).
      public var presentedTimestamps: [[UInt8]] = []
      /// The logs that clients know; nil if they cannot verify SCTs.
      public var logs: LogList?

      /// Whether its certificates were seen: who speaks TLS 1.3 alone encrypts them (RFC 8446 section 2).
      var showsChain: Bool { !isProbed || !chain.isEmpty }

      /// A server with these terms that shows `chain`.
      public init(
        terms: ServerTerms, chain: [Certificate], redirects: [String: String] = [:], isProbed: Bool = false
      ) {
        self.isProbed = isProbed
        self.terms = terms
        self.chain = chain
        self.redirects = redirects
      }
    }

    /// Why a request gets no whole answer.
    public enum NoAnswer: Sendable, Hashable {
      /// The host's name has no address.
      case noAddress
      /// The connection is refused, or there is no way to the host.
      case noConnection
      /// Nothing comes, or no end, for as long as anybody waited.
      case silence
      /// What was to be a handshake is none.
      case noTLS
      /// The connection ends before a whole answer has come, which breaks this rule.
      case lost(because: Rule)
      /// What comes is not understood here, or not up to its end.
      case unreadable
      /// It leads to a URL of this scheme, which is not HTTP.
      case otherScheme(String)

      /// What the app sees; empty where that is not known.
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

      /// The rule that is broken where a server is there and answers in part.
      var rule: Rule? { if case .lost(let rule) = self { rule } else { nil } }

      /// How well known that is of a request with TLS or without.
      func confidence(isSecure: Bool) -> Finding.Confidence {
        switch self {
        case .lost where isSecure:
          .likely("the server was asked in HTTP/1.1 alone; systems offer HTTP/2 (RFC 9113) too")
        case .noAddress, .noConnection, .noTLS, .lost: .certain
        case .silence: .likely("nothing came, or no end, for as long as anybody waited here; systems may wait longer")
        case .unreadable: .unknown("what systems make of an answer that is not understood here up to its end")
        case .otherScheme(let scheme):
          .unknown("what systems make of a redirect to a URL of \(scheme): Apple documents only those of HTTP")
        }
      }
    }

    /// The most URLs that are requested on one way.
    public static let longestWay = LoadURL.mostRedirects + 1

    /// The servers: by host in lower case where one has all ports of it, else by `place(of:)`.
    public let servers: [String: Server]
    /// What certificates are evaluated against; its system is replaced by the one that is asked about.
    public let trust: TrustEvaluator
    /// What can be fetched of issuers that a server does not show, by URL.
    public var publications: [String: [Certificate]] = [:]
    /// What gets no whole answer, and why, by `resource(of:)`.
    public var unanswered: [String: NoAnswer] = [:]

    /// The rules in force for their loads: those of the evaluation.
    var enforcement: Enforcement { trust.diagnostics.enforcement }

    /// Servers, and what their certificates are evaluated against.
    public init(servers: [String: Server], trust: TrustEvaluator) {
      self.servers = servers
      self.trust = trust
    }

    /// Where a URL leads, for servers that are told apart by port and by whether they are asked with TLS:
    /// `https://api.example:8443`, an origin as in RFC 6454 section 4.
    public static func place(of url: LoadURL) -> String {
      "\(url.isSecure ? "https" : "http")://\(url.host):\(url.port ?? (url.isSecure ? 443 : 80))"
    }

    /// What a URL asks for there: `https://api.example:8443/path`.
    public static func resource(of url: LoadURL) -> String { place(of: url) + url.path }

    /// The server that answers for a URL; nil where nobody does.
    public func server(for url: LoadURL) -> Server? { servers[Self.place(of: url)] ?? servers[url.host] }

    /// The same servers where the system trusts these roots too.
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
      (evaluator.evidence.presentedTimestamps, evaluator.evidence.logs) = (server.presentedTimestamps, server.logs)
      var evaluation = evaluator.evaluate(server.chain, host: host)
      while let wanted = evaluation.wanted {
        evaluator.evidence.issuers?.add(publications[wanted.url] ?? [], from: wanted.url)
        evaluation = evaluator.evaluate(server.chain, host: host)
      }
      return evaluation
    }
  }

  /// What a server would agree to: the part of it that negotiation depends on.
  ///
  /// An agreement is a function of this and of an offer, whether or not any machine here can run what is agreed on.
  public struct ServerTerms: Sendable {
    /// The versions it speaks.
    public let versions: [ProtocolVersion]
    /// The suites it accepts, best first.
    public let cipherSuites: [CipherSuite]
    /// The groups it does ECDHE with.
    public let groups: [NamedGroup]
    /// How it signs its key exchange.
    public let signatureSchemes: [SignatureScheme]
    /// The key of its certificate; nil when that cannot be read.
    public let key: PublicKey?
    /// Whether it goes on only with clients that show a certificate.
    public let requiresClientCertificate: Bool
    /// What it does whatever is offered; nil for a server that agrees to something.
    public var refusal: Refusal?

    /// What a server does that agrees to nothing.
    public enum Refusal: Sendable, Hashable {
      /// It answers with this alert.
      case alert(AlertDescription)
      /// Its answer breaks this rule, and a client gives up with this alert.
      case broken(Rule, by: AlertDescription)
      /// It says close_notify in the place of an answer.
      case closing
      /// It ends the connection, and says nothing.
      case closed
      /// It says nothing for as long as anybody waited.
      case silence
    }

    /// A server with these terms.
    public init(
      versions: [ProtocolVersion], cipherSuites: [CipherSuite], groups: [NamedGroup] = NamedGroup.implemented,
      signatureSchemes: [SignatureScheme] = SignatureScheme.defaults, key: PublicKey?,
      requiresClientCertificate: Bool = false
    ) {
      self.versions = versions
      // Whoever speaks TLS 1.3 has its mandatory suite (RFC 8446 section 9.1), listed or not.
      let isSilent = versions.contains(.tls13) && !cipherSuites.contains { $0.keyExchange == .tls13 }
      self.cipherSuites = (isSilent ? Array(Suites.tls13.prefix(1)) : []) + cipherSuites
      self.groups = groups
      self.signatureSchemes = signatureSchemes
      self.key = key
      self.requiresClientCertificate = requiresClientCertificate
    }

    /// Why there is no agreement.
    public enum Disagreement: Error, Sendable, Hashable {
      /// No version in common, and who says so.
      case version(saidByServer: Bool)
      /// A version in common, and no suite of it.
      case suite
      /// No version in common: the server takes its own newest, and finds no suite of it on offer.
      case suiteOfOlderVersion
      /// The server agrees to nothing, whatever is offered.
      case refused(Refusal)
    }

    /// What comes of an offer: the newest version in common, and of its suites the one that the server likes best.
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

    /// A server finds in supported_versions that there is no version in common (RFC 8446 section 4.2.1). Without the
    /// extension it takes its own newest version. Then either the suites fail, or the client refuses the version.
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
      // What signs it is not negotiated with the suite: RFC 8446 section 4.2.3.
      if suite.keyExchange == .tls13 { return shareable }
      guard let key else { return false }
      let canSign = signatureSchemes.contains { scheme in
        scheme.suits(key) && offer.signatureSchemes.contains(scheme)
      }
      switch suite.keyExchange {
      case .tls13: return shareable
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
