import Explanation

extension Rule {
  /// The rule of a check that names no rule of the protocol.
  public static let equationHolds = Rule(
    .application, "equation-fails", "Every check of a calculation succeeds.", .rfc(8017, "5"),
    fix: "Find the first wrong number: --depth numbers shows every number.")

  /// The rules of calculations.
  public static let calculation: [Rule] = [.equationHolds]
}
