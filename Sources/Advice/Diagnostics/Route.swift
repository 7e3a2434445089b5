import Explanation
import PKIX
import TLS
import Trust
import URLLoading

extension AppTransportSecurity {
  /// The way of one load on one system, redirect by redirect, as the servers lay it out whatever is allowed.
  struct Route: Sendable {
    /// One place on the way.
    struct Stop: Sendable {
      let url: LoadURL
      let answer: Answer
      /// Why what is asked for there gets no whole answer, though a server is there; nil where it gets one.
      var noAnswer: Site.NoAnswer?
    }

    /// What answers there.
    enum Answer: Sendable {
      /// A server, and what the system makes of its certificates.
      case server(Site.Server, TrustEvaluation, CertificateNames)
      /// Nobody is to be asked: only what is decided before any connection counts.
      case notAsked
      /// No server is there, for this reason.
      case nobody(Site.NoAnswer)
      /// The way has been here before, or leads on for too long.
      case tooManyRedirects
    }

    let os: OSVersion
    let loader: Loader
    let stops: [Stop]
    /// The rules in force.
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

  /// What comes of one load under one configuration, redirects and all.
  public struct LoadResult: Sendable {
    /// What came of one place on the way.
    public struct Hop: Sendable {
      /// The place.
      public let url: LoadURL
      /// What App Transport Security says about it.
      public let decision: Decision
      /// What was negotiated; nil without TLS, and where there was no agreement.
      public let negotiated: Negotiated?
      /// Everything that was found.
      public internal(set) var findings: [Finding]
      /// What the app sees where the load ends here; empty where it goes on.
      public internal(set) var errors: [AppError]
      /// How well known all this is.
      public internal(set) var confidence: Finding.Confidence
      /// Whether nobody has seen the certificates that decide: of TLS 1.3 they come encrypted (RFC 8446 section 2).
      public var isUnseen = false

      /// Whether the load goes on, or is done.
      public var passes: Bool { errors.isEmpty }
      /// The violated rules that decide.
      public var because: [Rule] { findings.deciding }
    }

    /// The places on the way, up to the first that ends the load.
    public let hops: [Hop]

    /// Whether the load ends without an error; the HTTP status does not matter.
    public var passes: Bool { hops.allSatisfy(\.passes) }
    /// Whether it passes but for certificates that nobody has seen: whether it passes is not known.
    public var isUnseen: Bool { passes && hops.contains(where: \.isUnseen) }
    /// Whether what comes of it is known: not where nobody has seen the certificates, or knows what systems make of what the
    /// server answers.
    public var isKnown: Bool {
      if case .unknown = confidence { return false }
      return !isUnseen
    }
    /// The violated rules that decide; empty also where nobody answers.
    public var because: [Rule] { hops.last?.because ?? [] }
    /// What the app sees; empty for a load that passes.
    public var errors: [AppError] { hops.last?.errors ?? [] }
    /// The URL that failed; nil for a load that passes.
    public var failingURL: LoadURL? { passes ? nil : hops.last?.url }
    /// How well known the result is: what its least known place rests on.
    public var confidence: Finding.Confidence { hops.map(\.confidence).first { $0 != .certain } ?? .certain }
    /// Whether sources leave the result open, or disagree about it.
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
  /// Makes the load, place by place, until one of them ends it.
  func judged(by configuration: AppTransportSecurity.Configuration) -> AppTransportSecurity.LoadResult {
    var hops: [AppTransportSecurity.LoadResult.Hop] = []
    for stop in stops {
      let hop = judged(stop, by: configuration)
      hops.append(hop)
      if !hop.passes { break }
    }
    return AppTransportSecurity.LoadResult(hops: hops)
  }

  /// One place on the way alone.
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
  /// The same where nothing stands in the load's way but that no whole answer comes, if that is so.
  fileprivate func ending(with reason: AppTransportSecurity.Site.NoAnswer?) -> Self {
    guard let reason, passes else { return self }
    var hop = self
    hop.errors = reason.errors
    // Without a whole answer there is nothing to go on with, whatever is in force.
    hop.findings += reason.rule.map { [Enforcement.standard.check($0, on: .connection, false)] } ?? []
    let confidence = reason.confidence(isSecure: url.isSecure)
    if confidence != .certain { hop.confidence = confidence }
    return hop
  }
}
