import Explanation
import PKIX

/// The sources of the revocation status that an Apple system checks in one evaluation, in order, with their results.
///
/// See SecRevocationServer.c of Security, tags 57336 to 61901.
public struct RevocationSources: Sendable {
  /// A source of the revocation status, and the way in which the system uses it.
  public enum Source: Sendable, Hashable {
    /// Apple's own revocation database (Valid), which devices fetch in advance. The value is whether the system has it.
    case valid(isThere: Bool)
    /// A response that the server staples or an app passes in.
    case staple(Staple)
    /// Cached responses.
    case cache
    /// An OCSP responder, queried over the network.
    case responder(Responder)
    /// The CRLs of the CAs, fetched over the network.
    case lists(Lists)
    /// The end of the search, without a status. The value is whether the app requires a response.
    case end(isAnswerRequired: Bool)
  }

  /// The way in which a system uses a stapled response.
  public enum Staple: Sendable, Hashable {
    /// There is no stapled response. The value is whether the client requested one.
    case absent(isAsked: Bool)
    /// The system tries the response for every certificate of the chain.
    case tried(ReleaseDoubt?)
    /// The response is ignored.
    case ignored(ReleaseDoubt?)
  }

  /// The reason why the first release that uses a stapled response is uncertain.
  public enum ReleaseDoubt: Sendable, Hashable {
    /// The release is older than the sources that were read.
    case beforeSources
    /// The source's tags are those of macOS. The releases of other systems are inferred from the order of the tags.
    case inferred
  }

  /// Whether the system queries a responder, and if not, the reason.
  public enum Responder: Sendable, Hashable {
    /// The app requests the query.
    case asked
    /// No app requests a query. The value is whether the system has Valid, which could cause one.
    case notRequested(hasValid: Bool)
    /// The status is already known.
    case notNeeded
    /// No certificate contains the URL of a responder.
    case notNamed
  }

  /// Whether the system fetches CRLs, and if not, the reason.
  public enum Lists: Sendable, Hashable {
    case fetched
    /// No published code of the system fetches CRLs.
    case notPublished(OSVersion.Family)
    /// The use of CRLs before macOS 10.12 is not modelled.
    case notModelled
    /// Systems since macOS 10.15 do not fetch CRLs.
    case noLonger
  }

  /// The sources in the order in which the system checks them.
  public let sources: [Source]

  /// Determines the sources that the system checks in an evaluation with the result `path`.
  ///
  /// `isStapled` is whether the server stapled a response. The result is nil if the sources are unknown, because the
  /// system is not one of Apple's or there is no revocation information.
  public init?(_ evaluator: TrustEvaluator, path: [Certificate], isStapled: Bool) {
    guard evaluator.requirements.profile == .apple, let os = evaluator.requirements.os, os.family != .documentation
    else { return nil }
    let isNamed = path.contains { !$0.responderLocations.isEmpty || !$0.crlLocations.isEmpty }
    guard evaluator.evidence.statuses != nil || isStapled || isNamed else { return nil }
    let account = Account(os: os, evaluator: evaluator, path: path, isStapled: isStapled)
    sources = [
      .valid(isThere: account.hasValid), .staple(account.staple), .cache, .responder(account.responder),
      .lists(account.lists), .end(isAnswerRequired: evaluator.requirements.revocation.mode == .hardFail),
    ]
  }

  /// The results of one evaluation.
  private struct Account {
    let os: OSVersion
    let evaluator: TrustEvaluator
    let path: [Certificate]
    let isStapled: Bool

    /// Whether the app uses SecPolicyCreateRevocation.
    private var asks: Bool { evaluator.evidence.statuses != nil }
    var hasValid: Bool { os.isAtLeast(iOS: (10, 3), macOS: (10, 12)) && !(os == OSVersion(.macOS, 10, 12)) }

    var staple: Staple {
      guard isStapled else { return .absent(isAsked: evaluator.evidence.revocation.asksForStaple) }
      return asks || os.isAtLeast(iOS: (10, 0), macOS: (10, 12)) ? .tried(releaseDoubt) : .ignored(releaseDoubt)
    }

    private var releaseDoubt: ReleaseDoubt? {
      if !os.isAtLeast(iOS: (9, 0), macOS: (10, 11)) { return .beforeSources }
      return os.family == .macOS ? nil : .inferred
    }

    var responder: Responder {
      guard asks else { return .notRequested(hasValid: hasValid) }
      let wasAsked =
        evaluator.evidence.statuses?.asked.contains { if case .answer = $0.content { true } else { false } } == true
      if wasAsked { return .asked }
      return path.contains { !$0.responderLocations.isEmpty } ? .notNeeded : .notNamed
    }

    var lists: Lists {
      if os.fetchesRevocationCRLs { return .fetched }
      guard os.family == .macOS else { return .notPublished(os.family) }
      return os < OSVersion(.macOS, 10, 12) ? .notModelled : .noLonger
    }
  }
}

extension OSVersion {
  /// Whether the system fetches CRLs if an app requests it.
  ///
  /// Only macOS 10.12 to 10.14 do so (Security, tags 57740 to 58286, SecCRVC).
  var fetchesRevocationCRLs: Bool {
    family == .macOS && OSVersion(.macOS, 10, 12) <= self && self < OSVersion(.macOS, 10, 15)
  }
}
