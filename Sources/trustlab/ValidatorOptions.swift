import ArgumentParser
import Explanation
import Scenarios

/// The option `--validator MUTANT`, which gives the programs of a scenario a historical bug.
struct ValidatorOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The historical bug to give to every party that can have it; 'trustlab list mutants' lists all bugs.",
      valueName: "mutant"))
  var validator: String?

  /// Returns the bug, regardless of the kind of program that can have it; nil if the user names none.
  func mutant() throws -> Mutant? {
    guard let validator, validator != "none" else { return nil }
    if let mutant = Mutant.named(validator) { return mutant }
    throw Diagnostics(
      "no such mutant: '\(validator)'",
      hint: Spelling.hint(for: validator, among: Mutant.all.map(\.name) + ["none"]))
  }

  /// Returns the bug for a command that only checks certificates.
  ///
  /// - Parameter what: The name of the command, such as `verify`.
  func mutant(ofValidatorsIn what: String) throws -> Mutant? {
    guard let mutant = try mutant(), !mutant.isOfValidators else { return try mutant() }
    let party = mutant.places == [.delegate] ? "an app's delegate" : "a \(mutant.placeText)'s TLS"
    throw Diagnostics(
      "'\(mutant.name)' is a bug in \(party), but \(what) checks only certificates",
      hint: "use this bug with 'trustlab run SCENARIO --validator \(mutant.name)'")
  }
}

/// The option `--search-limit 2^20`, which limits the attackers' searches.
struct SearchOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      The largest key search to carry out, in candidates. If a search within an attacker's budget is larger, TrustLab \
      only computes its size.
      """,
      valueName: "2^n"))
  var searchLimit: String?

  /// The maximum limit, whose searches finish in a reasonable time.
  private static let maximum = 32

  /// The limit in bits; nil if the user names none.
  var bits: Int? {
    get throws {
      guard let searchLimit else { return nil }
      if searchLimit.hasPrefix("2^"), let bits = Int(searchLimit.dropFirst(2)), (0...Self.maximum).contains(bits) {
        return bits
      }
      throw Diagnostics(
        "--search-limit requires a power of two from 2^0 to 2^\(Self.maximum), not '\(searchLimit)'",
        hint: "start with --search-limit 2^20, which takes about a second for each search")
    }
  }
}
