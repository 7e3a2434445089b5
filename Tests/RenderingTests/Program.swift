import Foundation
import Oracles

/// Runs another program, the oracle of a test.
enum Program {
  /// The output of `arguments`, run through `env`; nil if they fail.
  static func output(_ arguments: [String], input: String = "") -> String? {
    Command.output(arguments, input: input)
  }
}
