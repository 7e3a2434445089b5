import Foundation
import Rendering
import Scenarios

/// `trustlab test --bless`: replaces failed expectations with the observed results.
struct Bless {
  let workbench: Workbench
  let style: TextStyle
  /// Whether files are written without confirmation.
  let isAgreed: Bool
  let isWanted: (Scenario) -> Bool

  /// Replaces the failed expectations in the files at `paths`.
  ///
  /// - Throws: `NotAsExpected` if a case still fails, `UnreadableInput` if a file cannot be read.
  func run(_ paths: [String]) throws {
    var (hasErrors, hasFailures) = (false, false)
    for path in paths {
      do throws(Diagnostics) {
        if try !bless(path) { hasFailures = true }
      } catch {
        Console.complain(error.description)
        hasErrors = true
      }
    }
    if hasErrors { throw UnreadableInput() }
    if hasFailures { throw NotAsExpected() }
  }

  /// Replaces the failed expectations of a file. Returns whether every wanted case of the file now passes.
  private func bless(_ path: String) throws(Diagnostics) -> Bool {
    let bytes = try ScenarioLibrary.read(path)
    let file = try workbench.read(path)
    let blessing = try Blessing(
      file, bytes: bytes, results: try results(of: file), isWanted: isWanted, isFailed: isFailed)
    for refusal in blessing.refused {
      Console.complain("\(path): \(refusal)")
    }
    guard !blessing.blessed.isEmpty else { return blessing.refused.isEmpty }
    let reader = try workbench.library(of: path).reader
    let again = try reader.read(Array(blessing.text.utf8), path: path)
    show(blessing, path, String(decoding: bytes, as: UTF8.self))
    // The new expectations must hold; otherwise they do not describe the observed results.
    for result in try results(of: again) where blessing.blessed.contains(result.scenario.name) {
      let name = result.scenario.name
      let left = Set(blessing.refused.filter { $0.name == name }.compactMap(\.word))
      if let word = result.judgement.mismatches.map(\.path).first(where: { !left.contains($0) }) {
        throw Diagnostics(
          "cannot bless \(name): the observed value of '\(word)' does not pass as an expectation",
          hint: "write the expectation yourself")
      }
    }
    guard isAgreed || isConfirmed(path) else {
      Console.complain("\(path): not written")
      return false
    }
    do { try Data(blessing.text.utf8).write(to: URL(fileURLWithPath: path)) } catch {
      throw Diagnostics("cannot write '\(path)'", hint: "check that you have permission to write to it")
    }
    let count = blessing.blessed.count
    Console.out("\(path): \(count) \(count == 1 ? "expectation" : "expectations") written, marked unreviewed")
    return blessing.refused.isEmpty
  }

  private func results(of file: ScenarioFile) throws(Diagnostics) -> [CaseResult] {
    var results: [CaseResult] = []
    for scenario in file.cases { results.append(try workbench.play(scenario, of: file)) }
    return results
  }

  /// Returns whether a sibling in another file fails, named `ID` or `ID/case`; nil if there is no such case.
  private func isFailed(_ name: String) -> Bool? {
    let parts = name.split(separator: "/", maxSplits: 1).map(String.init)
    guard let id = parts.first, let file = try? workbench.file(for: id) else { return nil }
    let named = parts.count == 2 ? file.scenario(named: parts[1]) : file.cases.first { $0.expectsAcceptance }
    guard let named, let result = try? workbench.play(named, of: file) else { return nil }
    return result.judgement.result == .failed
  }

  private func show(_ blessing: Blessing, _ path: String, _ old: String) {
    Console.out("--- \(path)\n+++ \(path), with observed results")
    for change in LineChange.changes(from: old, to: blessing.text) {
      guard let change else {
        Console.out("  …")
        continue
      }
      Console.out(change.text)
    }
  }

  /// Asks for confirmation on a terminal and returns whether the user agreed. Without a terminal, the result is false.
  private func isConfirmed(_ path: String) -> Bool {
    guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else {
      Console.complain("hint: without a terminal, TrustLab cannot ask for confirmation: pass --yes to write without it")
      return false
    }
    Console.put("Write this to \(path)? [y/N] ")
    return ["y", "yes"].contains(readLine()?.lowercased() ?? "")
  }
}
