import Explanation
import PKIX

/// Where a system of Apple's looks for what is known of revocation, in its order, and what came of each place in one
/// evaluation: Security, SecRevocationServer.c, tags 57336 to 61901.
public struct RevocationSources: Sendable {
  /// A place where something may be known.
  public enum Place: String, Sendable, Hashable, CaseIterable {
    /// Apple's own database of revocations, which devices fetch beforehand.
    case valid = "Valid"
    /// What the server brings along, or an app hands in.
    case staple
    /// What is left of earlier answers.
    case cache
    /// A responder, over the network.
    case responder
    /// The lists of authorities, over the network.
    case lists
    /// None of them knew.
    case none
  }

  /// One of the places.
  public struct Source: Sendable, Hashable {
    /// Which it is.
    public let place: Place
    /// What the system does there, in a sentence without its point.
    public let sentence: String
    /// How sure that is.
    public let confidence: Finding.Confidence

    init(_ place: Place, _ sentence: String, _ confidence: Finding.Confidence = .certain) {
      self.place = place
      self.sentence = sentence
      self.confidence = confidence
    }
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
      account.valid, account.staple,
      Source(.cache, "what was kept of earlier answers comes next, and a run begins with none"),
      account.responder, account.lists, account.end,
    ]
  }

  /// All of it, in sentences; what is not certain says so.
  public var narration: String {
    sources.map { source in
      source.sentence.prefix(1).uppercased() + source.sentence.dropFirst()
        + (source.confidence.note.map { " (\($0))" } ?? "") + "."
    }.joined(separator: " ")
  }

  /// The sentences for one evaluation.
  private struct Account {
    let os: OSVersion
    let evaluator: TrustEvaluator
    let path: [Certificate]
    let isStapled: Bool

    /// SecPolicyCreateRevocation, by the app.
    private var asks: Bool { evaluator.evidence.statuses != nil }
    private var hasValid: Bool { os.isAtLeast(iOS: (10, 3), macOS: (10, 12)) && !(os == OSVersion(.macOS, 10, 12)) }

    var valid: Source {
      hasValid
        ? Source(
          .valid, "Apple's own database (Valid) is looked at first",
          .unknown("what is on it on a day is not public, and here it says nothing"))
        : Source(.valid, "Apple's own database (Valid) came with iOS 10.3 and macOS 10.12.4, and is not there")
    }

    var staple: Source {
      guard isStapled else {
        let asked =
          "the server " + (evaluator.evidence.revocation.asksForStaple ? "stapled nothing" : "was not asked to staple")
        return Source(.staple, "\(asked), and no app hands an answer in (SecTrustSetOCSPResponse)")
      }
      if asks || os.isAtLeast(iOS: (10, 0), macOS: (10, 12)) {
        return Source(.staple, "what the server stapled is tried for every certificate of the chain", inferred)
      }
      return Source(
        .staple,
        "what the server stapled is not looked at: before iOS 10 and macOS 10.12 only where an app asks, or for extended "
          + "validation", inferred)
    }

    var responder: Source {
      guard asks else {
        let sentence = "no responder is asked over the network, because no app asks (SecPolicyCreateRevocation)"
        return hasValid
          ? Source(.responder, sentence, .unknown("whether Valid would have one asked"))
          : Source(.responder, sentence)
      }
      let wasAsked =
        evaluator.evidence.statuses?.asked.contains { if case .answer = $0.content { true } else { false } } == true
      if wasAsked { return Source(.responder, "a responder is asked over the network, because the app asks") }
      let isNamed = path.contains { !$0.responderLocations.isEmpty }
      return Source(
        .responder,
        "no responder is asked over the network, though the app asks: "
          + (isNamed ? "enough is known before" : "no certificate names one"))
    }

    var lists: Source {
      if os.fetchesRevocationLists {
        return Source(.lists, "lists are fetched where an app asks and no responder is named")
      }
      guard os.family == .macOS else {
        return Source(.lists, "lists are fetched by no published code of \(os.family.rawValue)")
      }
      return os < OSVersion(.macOS, 10, 12)
        ? Source(.lists, "lists are not fetched here", .unknown("what systems before macOS 10.12 did"))
        : Source(.lists, "lists are fetched no more since macOS 10.15, whatever method an app names")
    }

    var end: Source {
      guard evaluator.requirements.revocation.mode == .hardFail else {
        return Source(.none, "where none of them knows, the system goes on")
      }
      return Source(
        .none,
        "where none of them knows the server's certificate, it is refused, because the app requires an answer "
          + "(kSecRevocationRequirePositiveResponse, -67635)")
    }

    /// The tags of the source are those of macOS; the releases of the others are told by their order.
    private var inferred: Finding.Confidence {
      if !os.isAtLeast(iOS: (9, 0), macOS: (10, 11)) {
        return .unknown("the sources that were read begin with iOS 9 and OS X 10.11")
      }
      return os.family == .macOS ? .certain : .likely("the release is inferred from that of macOS")
    }
  }
}

extension OSVersion {
  /// Whether lists are fetched where an app asks: macOS 10.12 to 10.14 alone (Security, tags 57740 to 58286, SecCRVC).
  var fetchesRevocationLists: Bool {
    family == .macOS && OSVersion(.macOS, 10, 12) <= self && self < OSVersion(.macOS, 10, 15)
  }
}
