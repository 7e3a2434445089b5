import Foundation
import Oracles

/// Runs another program, the oracle of a test.
enum Program {
  /// What `arguments` print when run through `env`; nil when they fail.
  static func output(_ arguments: [String], input: String = "") -> String? {
    Command.output(arguments, input: input)
  }
}
