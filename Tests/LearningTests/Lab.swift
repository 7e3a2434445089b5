import Cryptography
import Laboratory
import Oracles
import Scenarios
import Testing

/// The curriculum, read once, and a player for it.
enum Lab {
  static let player = ScenarioLibrary.player(keys: KeyStore.tests)

  /// Every case of the curriculum; empty if it cannot be read, which other tests report.
  static let cases = (try? library().cases) ?? []

  /// The case of the curriculum called `name`.
  static func scenario(named name: String) throws -> Scenario { try #require(cases.first { $0.name == name }) }

  static func library() throws -> ScenarioLibrary { try ScenarioLibrary.curriculum() }

  static func read(_ text: String) throws -> ScenarioFile {
    try library().reader.read(Array(text.utf8), path: "test.yaml")
  }

  /// Plays the main case of a text.
  static func play(_ text: String) throws -> CaseResult { try player.play(try #require(read(text).cases.first)) }
}
