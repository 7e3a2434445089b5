import Explanation

extension Rule {
  /// The rule for a check that names no rule of the protocol.
  public static let equationHolds = Rule(
    .application, "equation-fails", "Every check of a calculation succeeds.", .rfc(8017, "5"),
    fix: "Find the first wrong number: --depth numbers shows every number.")

  /// All rules that are specific to calculations.
  public static let calculation: [Rule] = [.equationHolds]
}
