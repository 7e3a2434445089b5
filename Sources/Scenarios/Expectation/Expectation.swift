import Explanation
import Simulator
import Trust
import URLLoading

/// The expected results of a case. Nil properties are not checked.
public struct Expectation: Sendable {
  /// The client's decision.
  public var verdict: Verdict.Word?
  /// The layer that decided first.
  public var layer: Layer?
  /// Exactly the violated rules that decide, in any order.
  public var because: [String]?
  /// Exactly the violated rules that were overridden, in any order.
  public var overridden: [String]?
  /// Violated rules that only advise: at least these.
  public var advised: [String] = []
  /// The authentication methods of the challenges that the app's own methods received, in order.
  public var asked: [AuthenticationMethod]?
  /// The answers to all challenges, in order, including challenges that reach no method of the app.
  public var answers: [String]?
  /// The key path that decided for App Transport Security, or `default`.
  public var decidedBy: String?
  /// The keys that App Review asks about, exactly, in any order.
  public var appReview: [String]?
  /// The certificate path, leaf first.
  public var path: [String]?
  /// The source of each issuer on the path, the leaf's issuer first.
  public var issuerSources: [IssuerSource]?
  /// Possible errors: the app sees at least one of them.
  public var errors: [AppError]?
  /// The name of the SecTrustResultType.
  public var trustResult: String?
  /// The negotiated cipher suite.
  public var cipherSuite: String?
  /// The protocol negotiated inside TLS, or `none`.
  public var applicationProtocol: String?
  /// The body the app received.
  public var content: String?
  /// The server's decision.
  public var serverVerdict: Verdict.Word?
  /// Exactly the violated rules by which the server decides, in any order.
  public var serverBecause: [String]?
  /// The number of requests with credentials that the server has judged.
  public var serverAttempts: Int?
  /// Whether the server has locked an account.
  public var serverLocked: Bool?
  /// The requests that servers carry out, in order.
  public var executed: [String]?
  /// The expected state of each attacker's goal.
  public var goals: [Goal: Goal.State] = [:]
  /// The knowledge of each party at the end.
  public var knowledge: [KnowledgeExpectation] = []

  /// Expected values: numbers and texts of a calculation, else bytes in hexadecimal.
  public var values: [Value.ID: String] = [:]
  /// Values that must have the same bytes, in groups.
  public var equal: [[Value.ID]] = []
  /// Values that must have different bytes, in groups.
  public var different: [[Value.ID]] = []
  /// Values whose bytes must appear in no message.
  public var neverOnWire: [Value.ID] = []
  /// Values that do not exist in the run.
  public internal(set) var absent: [Value.ID] = []
  /// The expectations of single connections, by their names.
  public var connections: [String: Expectation] = [:]
  /// Whether a program wrote it (`test --bless`) and no person has reviewed it.
  public var isUnreviewed = false

  /// The values that a party must know and must not know.
  public struct KnowledgeExpectation: Sendable, Hashable {
    /// The party.
    public let party: Party
    /// Values it holds or can compute.
    public internal(set) var knows: [Value.ID] = []
    /// Values it neither holds nor can compute.
    public internal(set) var lacks: [Value.ID] = []
    /// The place in the file.
    public let mark: SourceMark

    init(party: Party, mark: SourceMark) {
      self.party = party
      self.mark = mark
    }
  }

  /// The number of unreviewed expectations, those of its parts included.
  public var unreviewedCount: Int { (isUnreviewed ? 1 : 0) + connections.values.map(\.unreviewedCount).reduce(0, +) }

  /// The expected verdict: rules or a layer that decide mean that the client refuses.
  public var expectedVerdict: Verdict.Word {
    verdict ?? (because?.isEmpty == false || layer != nil ? .refused : .accepted)
  }

  /// Whether the client is expected to accept, which is also the default of a file.
  public var expectsAcceptance: Bool { expectedVerdict == .accepted }
}
