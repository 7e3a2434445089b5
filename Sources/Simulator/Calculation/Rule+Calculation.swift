import Explanation

extension Rule {
  /// What a check of a calculation is about when it names no rule of the protocol.
  public static let equationHolds = Rule(
    .application, "equation-fails", "What a step of a calculation checks must hold.", .rfc(8017, "5"),
    fix: "Follow the numbers back to the first that is not as it should be: --depth numbers shows each.")

  /// The rules of calculations.
  public static let calculation: [Rule] = [.equationHolds]
}
