import Rendering
import Scenarios

/// Which scenarios, words and commands there are.
extension Session {
  func list(_ argument: String) throws -> Output {
    let library = try ScenarioLibrary.curriculum()
    switch argument.lowercased() {
    case "", "scenarios": return show(ListView.scenarios(try library.files(), isAsking: teaching.open != nil).0)
    case "lessons": return show(ListView.lessons(try library.lessons()).0)
    case "rules": return show(ListView.rules().0)
    case "words": return show(ListView.words().0)
    case "suites": return show(ListView.suites().0)
    case "errors": return show(ListView.errors().0)
    case "mutants": return show(ListView.mutants().0)
    default:
      let group = argument.hasPrefix("@") ? argument : "@\(argument)"
      let files = try ScenarioGroup.paths(of: group, in: library).map { path in try library.file(at: path) }
      return show(ListView.scenarios(files, isAsking: teaching.open != nil).0)
    }
  }

  /// The overview on one screen of 80 columns and 24 rows, or one command.
  func help(_ argument: String) throws -> Output {
    guard argument.isEmpty else { return Output(text: helpText(of: try ShellCommand.named(argument))) }
    var document = Document()
    let rows = ShellCommand.Group.allCases.compactMap { group -> Document.Fact? in
      let commands = ShellCommand.all.filter { $0.group == group }
      guard !commands.isEmpty else { return nil }
      let usages = commands.map { RichText($0.usage.replacing(" ", with: "\u{a0}"), .name) }
      return Document.Fact(group.rawValue, RichText(Array(usages.map(\.spans).joined(separator: [Span(" · ", .dim)]))))
    }
    document.blocks.append(.facts(rows, indent: 0))
    document.blocks.append(.space)
    for line in [
      "An empty line steps on. 's' steps, 'b' goes back; any word can be cut short.",
      "'help COMMAND' says what it does, with an example.",
    ] { document.blocks.append(.paragraph(RichText(line), indent: 0)) }
    return Output(text: show(document).text.replacing("\u{a0}", with: " "))
  }

  private func helpText(of command: ShellCommand) -> String {
    let examples = command.examples.map { "  \($0)" }.joined(separator: "\n")
    return "\(command.usage)\n  \(command.meaning)\n\(command.examples.count > 1 ? "examples" : "example")\n\(examples)"
  }
}
