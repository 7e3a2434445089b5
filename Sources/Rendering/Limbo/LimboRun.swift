import Explanation
import PKIX
import Trust

/// A file of chains, each evaluated: the namespace of a case chooses its profile.
public struct LimboRun: Sendable {
  /// What came out of one case.
  public struct Result: Sendable, Hashable {
    /// The case's name.
    public let id: String
    /// The namespace of the case.
    public let namespace: String
    /// Whose demands were held against the chain.
    public let profile: TrustProfile
    /// What should have come out.
    public let expected: LimboCase.Outcome
    /// What came out.
    public let actual: LimboCase.Outcome
    /// The violated rules that decided; why it was skipped, or what could not be read.
    public let because: [String]

    /// Whether the case was evaluated and came out as it should.
    public var agrees: Bool { actual == expected }
  }

  /// The results in the order of the cases.
  public let results: [Result]

  /// Evaluates `cases` in turn, those without a time of their own as of `now`.
  public init(_ cases: [LimboCase], now: Instant) {
    results = cases.map { LimboEvaluation($0, now: now).result }
  }

  /// Whether every case that was evaluated came out as it should.
  public var agrees: Bool { results.allSatisfy { $0.agrees || $0.actual == .skipped } }

  /// How many cases came out so.
  public func count(expected: LimboCase.Outcome? = nil, actual: LimboCase.Outcome) -> Int {
    results.count { $0.actual == actual && (expected == nil || $0.expected == expected) }
  }
}
