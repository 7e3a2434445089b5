import Cryptography
import Foundation
import Laboratory
import Oracles
import Scenarios
import Simulator
import Testing

extension Diagnostic {
  /// Whether message and hint show these values, either of which may be empty.
  func shows(_ message: String, _ hint: String) -> Bool {
    (message.isEmpty || self.message.shows(message)) && (hint.isEmpty || self.hint.shows(hint))
  }
}

/// The curriculum, one store of keys for all tests, and functions that read and play a text.
enum Lab {
  static let keys = KeyStore.tests
  static let player = ScenarioLibrary.player(keys: keys)

  /// Every case of the curriculum, read once; empty if it cannot be read, which other tests report.
  static let cases = (try? library().cases) ?? []

  /// The first case of every third file, by name, for tests in `make test`. The sweeps look at more.
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

  /// Plays the case called `name` of a text.
  static func play(_ text: String, _ name: String = Scenario.mainCase, path: String = "test.yaml") throws -> CaseResult
  {
    try player.play(try #require(try read(text, path: path).scenario(named: name)))
  }

  /// All errors and warnings of a text; empty if there are none.
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

  /// The errors and warnings of a text, or else of playing it.
  static func faults(_ text: String) throws -> [Diagnostic] {
    let wrong = try diagnostics(text)
    guard wrong.isEmpty else { return wrong }
    let file = try read(text)
    return file.showing(Diagnostics(try playing(text))).all
  }

  /// The errors of playing a text; empty if it can be played.
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
