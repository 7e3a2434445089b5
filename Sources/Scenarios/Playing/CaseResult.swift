import Simulator

/// One case, played and judged.
public struct CaseResult: Sendable {
  /// The case.
  public let scenario: Scenario
  /// The run, from its first step to its last.
  public let simulation: Simulation
  /// What came of it.
  public let outcome: Outcome
  /// What came of each connection.
  public let connections: [Outcome]
  /// Whether that is what was expected.
  public var judgement: Judgement
}

/// What a test says: the subject has a verdict, the test has a result.
public struct Judgement: Sendable, Hashable {
  /// Whether what came out is what was expected.
  public enum Result: String, Sendable, Hashable, CaseIterable {
    case passed
    case failed
    case skipped
  }

  /// One expectation that did not hold.
  public struct Mismatch: Sendable, Hashable {
    /// What was expected about: `verdict`, `knowledge.eavesdropper.knows`.
    public let path: String
    /// What the scenario expects.
    public let expected: String
    /// What came out.
    public let found: String
  }

  /// Whether what came out is what was expected.
  public let result: Result
  /// Everything that is not as expected.
  public let mismatches: [Mismatch]
  /// Why the test was skipped.
  public let reason: String?

  /// A test that passed, or failed by these.
  public init(_ mismatches: [Mismatch]) {
    result = mismatches.isEmpty ? .passed : .failed
    self.mismatches = mismatches
    reason = nil
  }

  /// A test that says nothing, for a reason.
  public init(skippedBecause reason: String) {
    result = .skipped
    mismatches = []
    self.reason = reason
  }
}
