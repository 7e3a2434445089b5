/// How many cases of a suite are answered as it says: printed beside the test, so that a reader sees the number, and held.
public struct Score: Sendable {
  private let name: String
  private var count = 0
  private var agreed = 0
  private var skipped = 0
  /// How many were accepted that the suite refuses: of these there must be none.
  private var falselyAccepted = 0

  /// No case of the suite called `name` was answered yet.
  public init(_ name: String) { self.name = name }

  /// One more case was answered, and the answer is the suite's or not.
  public mutating func add(agrees: Bool, accepted: Bool = false) {
    count += 1
    if agrees { agreed += 1 } else if accepted { falselyAccepted += 1 }
  }

  /// One more case asks for what is not modelled.
  public mutating func skip() {
    count += 1
    skipped += 1
  }

  /// Prints the figures; whether so many are answered as the suite says, and none is accepted that it refuses.
  public func print(atLeast least: Int) -> Bool {
    Swift.print("\(name): \(agreed) of \(count), \(skipped) skipped, \(falselyAccepted) falsely accepted")
    return agreed >= least && falselyAccepted == 0
  }
}
