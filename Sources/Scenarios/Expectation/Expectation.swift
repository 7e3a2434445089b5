import Explanation
import Simulator
import Trust
import URLLoading

/// The expected results of a case. A property that is nil is not checked.
public struct Expectation: Sendable {
  /// The expected decision of the client.
  public var verdict: Verdict.Word?
  /// The layer whose rules decided first.
  public var layer: Layer?
  /// All violated rules that decide, in any order.
  public var because: [String]?
  /// All violated rules that were overridden, in any order.
  public var overridden: [String]?
  /// Some or all of the violated rules that only advise.
  public var advised: [String] = []
  /// The authentication methods of the challenges that reached the app's own methods, in order.
  public var asked: [AuthenticationMethod]?
  /// The answers to all challenges, in order. This includes challenges that reach no method of the app.
  public var answers: [String]?
  /// The key path that determined the App Transport Security decision, or `default`.
  public var decidedBy: String?
  /// All keys that App Review asks about, in any order.
  public var appReview: [String]?
  /// The certificate path, leaf first.
  public var path: [String]?
  /// The source of each issuer on the path, the leaf's issuer first.
  public var issuerSources: [IssuerSource]?
  /// The possible errors; the app must see at least one of them.
  public var errors: [AppError]?
  /// The name of the SecTrustResultType.
  public var trustResult: String?
  /// The negotiated cipher suite.
  public var cipherSuite: String?
  /// The protocol negotiated inside TLS, or `none`.
  public var applicationProtocol: String?
  /// The body that the app received.
  public var content: String?
  /// The expected decision of the server.
  public var serverVerdict: Verdict.Word?
  /// All violated rules by which the server decides, in any order.
  public var serverBecause: [String]?
  /// The number of requests with credentials that the server has checked.
  public var serverAttempts: Int?
  /// Whether the server has locked an account.
  public var serverLocked: Bool?
  /// The requests that the servers carry out, in order.
  public var executed: [String]?
  /// The expected state of each goal of the attackers.
  public var goals: [Goal: Goal.State] = [:]
  /// The values that each participant knows at the end.
  public var knowledge: [KnowledgeExpectation] = []

  /// The expected values: numbers and texts in a calculation, otherwise bytes in hexadecimal.
  public var values: [Value.ID: String] = [:]
  /// Groups of values that must have the same bytes.
  public var equal: [[Value.ID]] = []
  /// Groups of values that must have different bytes.
  public var different: [[Value.ID]] = []
  /// The values whose bytes must not appear in any message.
  public var neverOnWire: [Value.ID] = []
  /// The values that must not exist in the run.
  public internal(set) var absent: [Value.ID] = []
  /// The expectations of individual connections, by connection name.
  public var connections: [String: Expectation] = [:]
  /// Whether `test --bless` wrote the expectation and no person has reviewed it.
  public var isUnreviewed = false

  /// The values that a participant must know, and the values that it must not know.
  public struct KnowledgeExpectation: Sendable, Hashable {
    /// The participant whose knowledge is checked.
    public let party: Party
    /// The values that the participant must hold or be able to compute.
    public internal(set) var knows: [Value.ID] = []
    /// The values that the participant must neither hold nor be able to compute.
    public internal(set) var lacks: [Value.ID] = []
    /// The place of the entry in the file.
    public let mark: SourceMark

    init(party: Party, mark: SourceMark) {
      self.party = party
      self.mark = mark
    }
  }

  /// The number of unreviewed expectations, including those of individual connections.
  public var unreviewedCount: Int { (isUnreviewed ? 1 : 0) + connections.values.map(\.unreviewedCount).reduce(0, +) }

  /// The expected verdict. If the expectation lists deciding rules or a layer, the client is expected to refuse.
  public var expectedVerdict: Verdict.Word {
    verdict ?? (because?.isEmpty == false || layer != nil ? .refused : .accepted)
  }

  /// Whether the client is expected to accept, which is the default.
  public var expectsAcceptance: Bool { expectedVerdict == .accepted }
}
