import Cryptography
import Foundation
import Laboratory
import Oracles
import Scenarios
import Simulator
import Testing

/// The curriculum, one store of keys for all tests, and short ways to read and play a text.
enum Lab {
  static let keys = KeyStore.tests
  static let player = ScenarioLibrary.player(keys: keys)

  /// Every case of the curriculum, read once; none when it cannot be read, which other tests tell.
  static let cases = (try? library().cases) ?? []

  /// The first case of every third file, by name: what tests look at that `make test` runs. The sweeps look at more.
  static let sample: [String] = {
    let files = cases.filter { $0.caseName == Scenario.mainCase }
    return stride(from: 0, to: files.count, by: 3).map { files[$0].name }
  }()

  /// The case of the curriculum called `name`.
  static func scenario(named name: String) throws -> Scenario { try #require(cases.first { $0.name == name }) }

  static func library() throws -> ScenarioLibrary { try ScenarioLibrary.curriculum() }

  static func read(_ text: String, path: String = "test.yaml") throws -> ScenarioFile {
    try library().reader.read(Array(text.utf8), path: path)
  }

  /// The case called `name` of a text, played.
  static func play(_ text: String, _ name: String = Scenario.mainCase, path: String = "test.yaml") throws -> CaseResult
  {
    try player.play(try #require(try read(text, path: path).scenario(named: name)))
  }

  /// All that is wrong with a text; empty when nothing is.
  static func diagnostics(_ text: String) throws -> [Diagnostic] { try diagnostics(Array(text.utf8)) }

  static func diagnostics(_ bytes: [UInt8]) throws -> [Diagnostic] {
    let reader = try library().reader
    do throws(Diagnostics) {
      _ = try reader.read(bytes, path: "test.yaml")
      return []
    } catch {
      return error.all
    }
  }

  /// What is wrong with a text, or else with playing it.
  static func faults(_ text: String) throws -> [Diagnostic] {
    let wrong = try diagnostics(text)
    guard wrong.isEmpty else { return wrong }
    let file = try read(text)
    return file.showing(Diagnostics(try playing(text))).all
  }

  /// What is wrong with playing a text; empty when it can be played.
  static func playing(_ text: String) throws -> [Diagnostic] {
    let scenario = try #require(try read(text).cases.first)
    do throws(Diagnostics) {
      _ = try player.play(scenario)
      return []
    } catch {
      return error.all
    }
  }
}
