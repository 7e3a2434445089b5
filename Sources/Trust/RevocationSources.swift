import Explanation
import PKIX

/// Where a system of Apple's looks for what is known of revocation, in its order, and what came of each place in one
/// evaluation: Security, SecRevocationServer.c, tags 57336 to 61901.
public struct RevocationSources: Sendable {
  /// A place where something may be known, and what the system does there.
  public enum Source: Sendable, Hashable {
    /// Apple's own database of revocations, which devices fetch beforehand; whether the system has it.
    case valid(isThere: Bool)
    /// What the server brings along, or an app hands in.
    case staple(Staple)
    /// What is left of earlier answers.
    case cache
    /// A responder, over the network.
    case responder(Responder)
    /// The lists of authorities, over the network.
    case lists(Lists)
    /// None of them knew; whether the app requires an answer.
    case end(isAnswerRequired: Bool)
  }

  /// What a system does with an answer that the server brings along.
  public enum Staple: Sendable, Hashable {
    /// There is none; whether the client asked for one.
    case absent(isAsked: Bool)
    /// It is tried for every certificate of the chain.
    case tried(ReleaseDoubt?)
    /// It is not looked at.
    case ignored(ReleaseDoubt?)
  }

  /// What leaves the release open that began to look at an answer.
  public enum ReleaseDoubt: Sendable, Hashable {
    /// The release is older than the sources that were read.
    case beforeSources
    /// The tags of the source are those of macOS; the releases of other systems follow from their order.
    case inferred
  }

  /// Whether a responder is asked, and why not.
  public enum Responder: Sendable, Hashable {
    /// The app asks for it.
    case asked
    /// No app asks; whether the system has Valid, which might.
    case notRequested(hasValid: Bool)
    /// Enough is known before.
    case notNeeded
    /// No certificate names one.
    case notNamed
  }

  /// Whether lists are fetched, and why not.
  public enum Lists: Sendable, Hashable {
    case fetched
    /// No code that is published fetches them.
    case notPublished(OSVersion.Family)
    /// By systems before macOS 10.12 they are not fetched here.
    case notModelled
    /// They are not fetched since macOS 10.15.
    case noLonger
  }

  /// The places in the order in which the system comes to them.
  public let sources: [Source]

  /// What `os` does in an evaluation that ended in `path`; `isStapled` says whether the server brought an answer
  /// along. Nil where nothing of that is known: no system of Apple's, or nobody says anything of revocation.
  public init?(_ evaluator: TrustEvaluator, path: [Certificate], isStapled: Bool) {
    guard evaluator.requirements.profile == .apple, let os = evaluator.requirements.os, os.family != .documentation
    else { return nil }
    let isNamed = path.contains { !$0.responderLocations.isEmpty || !$0.listLocations.isEmpty }
    guard evaluator.evidence.statuses != nil || isStapled || isNamed else { return nil }
    let account = Account(os: os, evaluator: evaluator, path: path, isStapled: isStapled)
    sources = [
      .valid(isThere: account.hasValid), .staple(account.staple), .cache, .responder(account.responder),
      .lists(account.lists), .end(isAnswerRequired: evaluator.requirements.revocation.mode == .hardFail),
    ]
  }

  /// What is done in one evaluation.
  private struct Account {
    let os: OSVersion
    let evaluator: TrustEvaluator
    let path: [Certificate]
    let isStapled: Bool

    /// SecPolicyCreateRevocation, by the app.
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
      if os.fetchesRevocationLists { return .fetched }
      guard os.family == .macOS else { return .notPublished(os.family) }
      return os < OSVersion(.macOS, 10, 12) ? .notModelled : .noLonger
    }
  }
}

extension OSVersion {
  /// Whether lists are fetched where an app asks: macOS 10.12 to 10.14 alone (Security, tags 57740 to 58286, SecCRVC).
  var fetchesRevocationLists: Bool {
    family == .macOS && OSVersion(.macOS, 10, 12) <= self && self < OSVersion(.macOS, 10, 15)
  }
}
