import Explanation
import Simulator
import Trust
import URLLoading

/// What must come out of a case. What is nil is not checked.
public struct Expectation: Sendable {
  /// What the client decides.
  public var verdict: Verdict.Word?
  /// The layer that decided first.
  public var layer: Layer?
  /// Exactly the violated rules that decide, in any order.
  public var because: [String]?
  /// Exactly the violated rules that were overridden, in any order.
  public var overridden: [String]?
  /// Violated rules that only advise: at least these.
  public var advised: [String] = []
  /// What the app is asked, in order: the authentication methods of the challenges that a method of its got.
  public var asked: [AuthenticationMethod]?
  /// What counts as its answers, in order, those of challenges that nobody is asked about among them.
  public var answers: [String]?
  /// The key path by which App Transport Security decided, or `default`.
  public var decidedBy: String?
  /// Exactly the keys that App Review asks about, in any order.
  public var appReview: [String]?
  /// The certificate path, leaf first.
  public var path: [String]?
  /// Where each issuer on it was found, the leaf's issuer first.
  public var issuerSources: [IssuerSource]?
  /// Errors of which the app sees at least one.
  public var errors: [AppError]?
  /// The name of the SecTrustResultType.
  public var trustResult: String?
  /// The cipher suite that was agreed on.
  public var cipherSuite: String?
  /// The protocol inside TLS that was agreed on, or `none`.
  public var applicationProtocol: String?
  /// The body the app received.
  public var content: String?
  /// What the server decides.
  public var serverVerdict: Verdict.Word?
  /// Exactly the violated rules by which the server decides, in any order.
  public var serverBecause: [String]?
  /// How many requests with credentials the server has judged.
  public var serverAttempts: Int?
  /// Whether the server has locked an account.
  public var serverLocked: Bool?
  /// The requests that servers carry out, in order.
  public var executed: [String]?
  /// What an attacker could do.
  public var goals: [Goal: Goal.State] = [:]
  /// Who knows what in the end.
  public var knowledge: [KnowledgeExpectation] = []

  /// What single values must be: numbers and texts of a calculation, else bytes in hexadecimal.
  public var values: [Value.ID: String] = [:]
  /// Values that must have the same bytes, in groups.
  public var equal: [[Value.ID]] = []
  /// Values that must have different bytes, in groups.
  public var different: [[Value.ID]] = []
  /// Values whose bytes must appear in no message.
  public var neverOnWire: [Value.ID] = []
  /// Values that never come to be.
  public internal(set) var absent: [Value.ID] = []
  /// What must come out of single connections, by their names.
  public var connections: [String: Expectation] = [:]
  /// Whether a program wrote it that nobody has read since: `test --bless`.
  public var isUnreviewed = false

  /// What a party must know and must not know.
  public struct KnowledgeExpectation: Sendable, Hashable {
    /// Whose knowledge it is.
    public let party: Party
    /// Values it holds or can compute.
    public internal(set) var knows: [Value.ID] = []
    /// Values it neither holds nor can compute.
    public internal(set) var lacks: [Value.ID] = []
    /// Where it stands in the file.
    public let mark: SourceMark

    init(party: Party, mark: SourceMark) {
      self.party = party
      self.mark = mark
    }
  }

  /// How many expectations, of parts too, nobody has reviewed.
  public var unreviewedCount: Int { (isUnreviewed ? 1 : 0) + connections.values.map(\.unreviewedCount).reduce(0, +) }

  /// The verdict that is expected: rules that decide, or a layer that decides first, mean that the client refuses.
  public var expectedVerdict: Verdict.Word {
    verdict ?? (because?.isEmpty == false || layer != nil ? .refused : .accepted)
  }

  /// Whether the client is expected to accept: what a file without an expectation expects.
  public var expectsAcceptance: Bool { expectedVerdict == .accepted }
}
