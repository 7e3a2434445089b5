import Rendering
import Scenarios
import Simulator

/// Several runs beside each other, and the way back.
extension Session {
  mutating func undo() throws -> Output {
    _ = try requireOpened()
    guard let before = earlier.popLast() else {
      throw Complaint(message: "nothing was changed", hint: "'set client.os = iOS 9' changes something")
    }
    let undone = undone(on: before)
    opened = before
    return say("undone: \(undone)\nat step \(before.position) of \(name(of: before))")
  }

  /// What is taken back by returning to `before`: a change, or the way to a kept run.
  private func undone(on before: Opened) -> String {
    guard let opened else { return "" }
    let isChange = opened.changes.count == before.changes.count + 1 && opened.written.name == before.written.name
    if isChange, let last = opened.changes.last { return last }
    let fork = forks.last { $0.opened.key == opened.key }
    return "the return to " + (fork.map { "the run kept as \($0.name)" } ?? "another run")
  }

  /// Keeps the run as it stands under a name.
  mutating func fork(_ name: String) throws -> Output {
    let opened = try requireOpened()
    let usual = (1...).lazy.map { "fork-\($0)" }.first { name in !forks.contains { $0.name == name } }
    let name = name.isEmpty ? usual ?? "fork" : name
    guard Int(name) == nil, !Self.reserved.contains(name), name.utf8.count <= 40, name.allSatisfy(\.isOfName) else {
      throw Complaint(
        message: "'\(name)' cannot be the name of a run",
        hint: "one word of letters and digits that is no number: fork before")
    }
    forks.removeAll { $0.name == name }
    forks.append((name, opened))
    return say("kept as \(name): 'diff \(name)' compares, 'goto \(name)' returns to it")
  }

  mutating func returnTo(_ fork: Opened, called name: String) throws -> Output {
    if let opened { earlier.append(opened) }
    opened = fork
    return say("at step \(fork.position) of \(self.name(of: fork)), as kept under \(name); 'undo' goes back")
  }

  /// `diff [A [B]]`: without names, the last kept run, or the case as the file has it, beside the present one.
  func diff(_ argument: String) throws -> Output {
    let opened = try requireOpened()
    let names = argument.split(separator: " ").map(String.init)
    guard names.count <= 2 else { throw Complaint(message: "diff compares two runs", hint: "diff before now") }
    let first = try run(called: names.first ?? forks.last?.name ?? "file", opened)
    let second = try run(called: names.count > 1 ? names[1] : "now", opened)
    return showTable(DifferenceView(first, second).document())
  }

  private func run(called name: String, _ opened: Opened) throws -> DifferenceView.Run {
    switch name {
    case "now":
      let changes = opened.changes.isEmpty ? "" : " (\(opened.changes.joined(separator: "; ")))"
      return .init("now: \(self.name(of: opened))\(changes)", opened.scenario, opened.finished)
    case "file":
      var simulation = try workbench.player.simulation(of: opened.written)
      simulation.run()
      return .init(
        "file: \(isAsked(about: opened) ? opened.written.id : opened.written.name)", opened.written, simulation)
    default:
      guard let fork = forks.first(where: { $0.name == name }) else {
        throw Complaint(
          message: "no run is kept as '\(name)'",
          hint: Spelling.hint(for: name, among: forks.map(\.name) + Self.reserved))
      }
      return .init("\(name): \(self.name(of: fork.opened))", fork.opened.scenario, fork.opened.finished)
    }
  }

  /// Names of runs that are always there.
  static let reserved = ["now", "file"]
}

extension Character {
  /// Whether the name of a kept run may have it: nothing that moves a cursor, and nothing that ends a word.
  fileprivate var isOfName: Bool { isLetter || isNumber || "-_.+".contains(self) }
}
