import Foundation
import Rendering
import Scenarios
import Simulator
import Trust

/// The completion of the line that the user is typing.
extension Session {
  /// Returns the possible last words of `line`; nil if it is a file name.
  func completions(of line: String) -> [String]? {
    let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    let typed = words.drop { $0.isEmpty }
    guard typed.count > 1, let first = typed.first else {
      return Self.fitting(typed.first ?? "", ShellCommand.all.map(\.name))
    }
    guard let command = try? ShellCommand.named(first) else { return [] }
    if case .file = command.argument { return nil }
    let before = typed.dropFirst().dropLast().joined(separator: " ")
    let word = typed.last ?? ""
    if case .oneOf = command.argument, !before.isEmpty, command.name == "export" { return nil }
    let isQuoted = (before + word).contains("\"") && [.thing, .party, .scenario].contains(command.argument)
    let phrases = phrases(for: command, after: before)
    let all = isQuoted ? phrases.map(Self.quoted) : phrases
    return Self.fitting(word, all.compactMap { Self.word(of: $0, after: before) })
  }

  /// Returns the phrase with its name, or the name of its case, in quotation marks.
  private static func quoted(_ phrase: String) -> String {
    let words = phrase.split(separator: " ", maxSplits: 1)
    let isCase = words.first?.contains("-") == true && words.count > 1
    return isCase ? "\(words[0]) \"\(words[1])\"" : "\"\(phrase)\""
  }

  /// Returns the next word of a phrase that begins with `before`.
  private static func word(of phrase: String, after before: String) -> String? {
    if before.isEmpty { return phrase.split(separator: " ").first.map(String.init) }
    guard phrase.hasPrefix(before + " ") else { return nil }
    return phrase.dropFirst(before.count + 1).split(separator: " ").first.map(String.init)
  }

  private static func fitting(_ beginning: String, _ words: [String]) -> [String] {
    var seen: Set<String> = []
    return words.filter { $0.lowercased().hasPrefix(beginning.lowercased()) && seen.insert($0).inserted }
  }

  /// Returns all possible arguments of a command.
  private func phrases(for command: ShellCommand, after before: String) -> [String] {
    let simulation = opened?.now
    let parties = simulation?.parties.map(\.name) ?? []
    switch command.argument {
    case .none, .file: return []
    case .scenario: return scenarios(after: before)
    case .party: return parties
    case .rule:
      let own = simulation?.outcome.findings.map(\.rule.id) ?? []
      return own + RuleCatalogue.ids + Verdict.Word.allCases.map { "not \($0.rawValue)" }
    case .value: return values(for: command, after: before)
    case .message:
      return (NetworkVerb.messages.map(\.description) + parties + RuleCatalogue.ids).map { "on \($0)" } + ["clear"]
    case .field: return opened.flatMap { try? message(of: $0, with: "") }?.names ?? []
    case .thing: return opened.map(things) ?? []
    case .path: return paths
    case .command: return ShellCommand.all.map(\.name)
    case .system:
      let systems = ([OSVersion(.iOS, 8)] + OSVersion.eras).map(\.description)
      guard command.name == "matrix" else { return systems }
      return systems.map { "os \($0)" } + PinMatrix.releases.map { "pins \($0)" } + ["timeline"]
    case .word: return RuleCatalogue.ids
    case .fork: return forks.map(\.name) + (command.name == "diff" ? Self.reserved : [])
    case .oneOf(let words): return words
    }
  }

  private func scenarios(after before: String) -> [String] {
    guard let library = try? ScenarioLibrary.curriculum() else { return [] }
    guard !before.isEmpty else { return library.ids }
    let id = String(before.prefix { $0 != " " })
    return (try? workbench.file(for: id))?.cases.map { "\(id) \($0.caseName)" } ?? []
  }

  private func values(for command: ShellCommand, after before: String) -> [String] {
    let names = opened?.now.trace.valueNames.map(\.description) ?? []
    switch command.name {
    case "who": return names.map { "knows \($0)" }
    case "leak": return names
    default:
      let parties = opened?.now.parties.map(\.name) ?? []
      return names + (before.isEmpty ? [] : parties.map { "\(before.split(separator: " ").first ?? "") as \($0)" })
    }
  }

  /// The paths of all values in the open scenario.
  private var paths: [String] {
    guard let tree = opened?.scenario.tree else { return [] }
    let said = tree.leaves.map(\.path.description)
    let sections = Vocabulary.sections.filter { ["client", "server"].contains($0.name) }
    return said + sections.flatMap { section in section.words.map { "\(section.name).\($0.name)" } }
  }
}
