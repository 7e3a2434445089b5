import Explanation
import Foundation
import Laboratory
import Oracles
import Testing
import Trust

@testable import Rendering

/// Cases in x509-limbo's format that others wrote.
enum LimboSuites {
  static let names = ["limbo_core", "bettertls_pathbuilding", "bettertls_nameconstraints"]

  static func cases(_ name: String) throws -> [LimboCase] {
    try LimboFile(JSONValue(reading: SharedData.bytes("suites/\(name).json"))).cases
  }
}

@Suite(
  "Chains of x509-limbo and BetterTLS", .needsData("suites/limbo_core.json"))
struct LimboSuiteTests {
  /// A rule for which we interpret the standard differently from the suite, with the cases and the reason.
  private struct Reading {
    let pattern: String
    let rule: String
    let clause: String
  }

  private static let readings = [
    Reading(
      pattern: "webpki::*", rule: "chain.common-name-form",
      clause: "Baseline Requirements 7.1.4.3: the common name MUST be one of the names in subjectAltName")
  ]

  private static let now = Instant(secondsSince1970: 1_780_000_000)

  @Test(
    "no chain is falsely accepted, and each falsely refused one violates a cited clause",
    arguments: LimboSuites.names)
  func agreement(_ name: String) throws {
    let run = LimboRun(try LimboSuites.cases(name).map { $0.evaluated(now: Self.now) })
    for result in run.results where result.actual != .skipped && !result.agrees {
      let isKnown = Self.readings.contains {
        fnmatch($0.pattern, result.id, 0) == 0 && result.because == [$0.rule]
      }
      #expect(result.actual == .failure && isKnown, "\(result.id): \(result.because)")
    }
    for result in run.results where result.actual == .skipped { #expect(!result.because.isEmpty, "\(result.id)") }
    var score = Score(name)
    for result in run.results {
      if result.actual == .skipped {
        score.skip()
      } else {
        score.add(agrees: result.agrees, accepted: result.actual == .success)
      }
    }
    // Of the core 110 of 112; all of BetterTLS.
    let lost = name == "limbo_core" ? 2 : 0
    #expect(score.print(atLeast: run.results.count - lost))
  }
}
