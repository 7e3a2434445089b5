import Explanation
import PKIX
import TLS
import Trust
import URLLoading

extension AppTransportSecurity {
  /// The URLs and servers of one load on one system, including all redirects, even those that are not allowed.
  struct Route: Sendable {
    /// One URL of the load or of a redirect.
    struct Stop: Sendable {
      let url: LoadURL
      let answer: Answer
      /// The reason why the server's response is incomplete; nil if it is complete.
      var noAnswer: Site.NoAnswer?
    }

    /// The result of a request.
    enum Answer: Sendable {
      /// A server responds. Its certificates are evaluated on the system.
      case server(Site.Server, TrustEvaluation, CertificateNames)
      /// No request is sent, because only the decisions before a connection are needed.
      case notAsked
      /// No server responds, for the given reason.
      case nobody(Site.NoAnswer)
      /// There is a redirect loop, or there are too many redirects.
      case tooManyRedirects
    }

    let os: OSVersion
    let loader: Loader
    let stops: [Stop]
    /// The enforced rules.
    let enforcement: Enforcement

    init(_ url: LoadURL, os: OSVersion, loader: Loader, site: Site?) {
      self.os = os
      self.loader = loader
      enforcement = site?.enforcement ?? .standard
      var stops: [Stop] = []
      var next: LoadURL? = url
      while let url = next {
        guard let site else {
          stops.append(Stop(url: url, answer: .notAsked))
          break
        }
        guard stops.count < Site.longestWay, !stops.contains(where: { $0.url == url }) else {
          stops.append(Stop(url: url, answer: .tooManyRedirects))
          break
        }
        let noAnswer = site.unanswered[Site.resource(of: url)]
        guard let server = site.server(for: url) else {
          stops.append(Stop(url: url, answer: .nobody(noAnswer ?? .noAddress)))
          break
        }
        let evaluation = site.evaluation(of: server, for: url.host, on: os)
        stops.append(
          Stop(url: url, answer: .server(server, evaluation, site.trust.diagnostics.names), noAnswer: noAnswer))
        next = noAnswer == nil ? server.redirects[url.path].flatMap { url.resolving($0) } : nil
      }
      self.stops = stops
    }
  }

  /// The result of one load with one configuration, including its redirects.
  public struct LoadResult: Sendable {
    /// The result of one request.
    public struct Hop: Sendable {
      /// The URL of the request.
      public let url: LoadURL
      /// The decision of App Transport Security.
      public let decision: Decision
      /// The negotiated parameters; nil without TLS, or without an agreement.
      public let negotiated: Negotiated?
      /// All findings.
      public internal(set) var findings: [Finding]
      /// The errors that the app receives if the load ends here; empty if it continues.
      public internal(set) var errors: [AppError]
      /// The confidence in the result.
      public internal(set) var confidence: Finding.Confidence

      /// Whether the load continues or succeeds.
      public var passes: Bool { errors.isEmpty }
      /// The violated rules that decide the result.
      public var because: [Rule] { findings.deciding }
    }

    /// The requests of the load, up to the first that fails.
    public let hops: [Hop]

    /// Whether the load ends without an error. The HTTP status does not matter.
    public var passes: Bool { hops.allSatisfy(\.passes) }
    /// Whether the result is known. The system's reaction to the response may be unknown.
    public var isKnown: Bool { if case .unknown = confidence { false } else { true } }
    /// The violated rules that decide the result; also empty if no server responds.
    public var because: [Rule] { hops.last?.because ?? [] }
    /// The errors that the app receives; empty if the load passes.
    public var errors: [AppError] { hops.last?.errors ?? [] }
    /// The URL that failed; nil if the load passes.
    public var failingURL: LoadURL? { passes ? nil : hops.last?.url }
    /// The confidence in the result, which is that of the first request whose result is not certain.
    public var confidence: Finding.Confidence { hops.map(\.confidence).first { $0 != .certain } ?? .certain }
    /// Whether sources do not settle the result, or disagree about it.
    public var isUncertain: Bool {
      hops.contains { hop in
        switch hop.confidence {
        case .unknown, .conflicting: true
        case .certain, .likely: false
        }
      }
    }
  }
}

extension AppTransportSecurity.Route {
  /// Simulates the load, request by request, until a request ends it.
  func judged(by configuration: AppTransportSecurity.Configuration) -> AppTransportSecurity.LoadResult {
    var hops: [AppTransportSecurity.LoadResult.Hop] = []
    for stop in stops {
      let hop = judged(stop, by: configuration)
      hops.append(hop)
      if !hop.passes { break }
    }
    return AppTransportSecurity.LoadResult(hops: hops)
  }

  /// Returns the result of a single request.
  func judged(
    _ stop: Stop, by configuration: AppTransportSecurity.Configuration
  ) -> AppTransportSecurity.LoadResult.Hop {
    let decision = AppTransportSecurity.decide(
      .init(stop.url, os: os, loader: loader), by: configuration, enforcement: enforcement)
    func ended(_ errors: [AppError]) -> AppTransportSecurity.LoadResult.Hop {
      .init(
        url: stop.url, decision: decision, negotiated: nil, findings: decision.findings, errors: errors,
        confidence: decision.confidence)
    }
    switch decision.verdict {
    case .blocked: return ended(decision.errors)
    case .unknown: return ended([AppError(.url, -1002)])
    case .allowed: break
    }
    switch stop.answer {
    case .notAsked: return ended([])
    case .nobody(let reason): return ended([]).ending(with: reason)
    case .tooManyRedirects: return ended([AppError(.url, -1007)])
    case .server where !stop.url.isSecure: return ended([]).ending(with: stop.noAnswer)
    case .server(let server, let evaluation, let names):
      return AppTransportSecurity.SecureHop(
        decision: decision, server: server, evaluation: evaluation, names: names, enforcement: enforcement
      ).judged().ending(with: stop.noAnswer)
    }
  }
}

extension AppTransportSecurity.LoadResult.Hop {
  /// Returns the result if only an incomplete response ends the load.
  fileprivate func ending(with reason: AppTransportSecurity.Site.NoAnswer?) -> Self {
    guard let reason, passes else { return self }
    var hop = self
    hop.errors = reason.errors
    // The load cannot continue without a complete response, whichever rules are enforced.
    hop.findings += reason.rule.map { [Enforcement.standard.check($0, on: .connection, false)] } ?? []
    let confidence = reason.confidence
    if confidence != .certain { hop.confidence = confidence }
    return hop
  }
}
