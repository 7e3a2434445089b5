/// The number of cases in which TrustLab agrees with a suite. It is printed next to the test, and must not decrease.
public struct Score: Sendable {
  private let name: String
  private var count = 0
  private var agreed = 0
  private var skipped = 0
  /// The number of accepted cases that the suite refuses, which must be 0.
  private var falselyAccepted = 0

  /// Creates the score of a suite without cases.
  public init(_ name: String) { self.name = name }

  /// Adds a case, and whether its result is the suite's.
  public mutating func add(agrees: Bool, accepted: Bool = false) {
    count += 1
    if agrees { agreed += 1 } else if accepted { falselyAccepted += 1 }
  }

  /// Adds a case that needs an unsupported feature.
  public mutating func skip() {
    count += 1
    skipped += 1
  }

  /// Prints the figures; returns whether enough cases agree, and none is falsely accepted.
  public func print(atLeast least: Int) -> Bool {
    Swift.print("\(name): \(agreed) of \(count), \(skipped) skipped, \(falselyAccepted) falsely accepted")
    return agreed >= least && falselyAccepted == 0
  }
}
