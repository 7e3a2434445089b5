import ArgumentParser
import Explanation
import Scenarios

/// `--validator MUTANT`: a historical bug for those who take part.
struct ValidatorOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Give a historical bug to every party that can have it; 'trustlab list mutants' prints all.",
      valueName: "mutant"))
  var validator: String?

  /// The bug, whoever can have it; nil where none is named.
  func mutant() throws -> Mutant? {
    guard let validator, validator != "none" else { return nil }
    if let mutant = Mutant.named(validator) { return mutant }
    throw Diagnostics(
      "there is no mutant '\(validator)'",
      hint: Spelling.hint(for: validator, among: Mutant.all.map(\.name) + ["none"]))
  }

  /// The bug of a validator, where nothing but certificates is judged.
  ///
  /// - Parameter what: what judges them: `verify`.
  func mutant(ofValidatorsIn what: String) throws -> Mutant? {
    guard let mutant = try mutant(), mutant.place != .validator else { return try mutant() }
    let party = mutant.place == .delegate ? "an app's delegate" : "a \(mutant.place.rawValue)'s TLS"
    throw Diagnostics(
      "'\(mutant.name)' is a bug of \(party), and \(what) judges certificates alone",
      hint: "'trustlab run SCENARIO --validator \(mutant.name)' plays it")
  }
}

/// `--search-limit 2^20`: how far the searches of attackers are carried out.
struct SearchOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Carry out searches of so many candidates at most; what lies above, within the attackers' budget, is counted.",
      valueName: "2^n"))
  var searchLimit: String?

  /// The most that is worth waiting for.
  private static let maximum = 32

  /// The limit as a power of two; nil where none is named.
  var bits: Int? {
    get throws {
      guard let searchLimit else { return nil }
      if searchLimit.hasPrefix("2^"), let bits = Int(searchLimit.dropFirst(2)), (0...Self.maximum).contains(bits) {
        return bits
      }
      throw Diagnostics(
        "--search-limit takes a power of two from 2^0 to 2^\(Self.maximum), not '\(searchLimit)'",
        hint: "--search-limit 2^20 is a second or more for each search")
    }
  }
}
