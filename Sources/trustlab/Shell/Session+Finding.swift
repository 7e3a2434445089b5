import Learning
import Rendering
import Scenarios

/// Which scenarios, words and commands there are.
extension Session {
  mutating func list(_ argument: String) throws -> Output {
    switch argument.lowercased() {
    case "", "scenarios": return show(ListView.overview(try files()))
    case "lessons": return show(ListView.lessons(try ScenarioLibrary.curriculum().lessons()).0)
    case "rules": return show(ListView.rules().0)
    case "words": return show(ListView.words().0)
    case "suites": return show(ListView.suites().0)
    case "errors": return show(ListView.errors().0)
    case "mutants": return show(ListView.mutants().0)
    default: return show(ListView.scenarios(try group(argument), isAsking: teaching.open != nil).0)
    }
  }

  /// The files of a group, which may be named without its `@`.
  private func group(_ name: String) throws -> [ScenarioFile] {
    let library = try ScenarioLibrary.curriculum()
    do {
      return try library.files(at: ScenarioGroup.paths(of: name.hasPrefix("@") ? name : "@\(name)", in: library))
    } catch let error as Complaint {
      let words = ["scenarios", "lessons", "rules", "words", "suites", "errors", "mutants"]
      let lessons = Set(library.ids.map { String($0.prefix { $0 != "-" }) }).sorted()
      guard !name.hasPrefix("@") else { throw error }
      throw Complaint(message: "there is no list of '\(name)'", hint: Spelling.hint(for: name, among: words + lessons))
    }
  }

  /// The curriculum, which is read once in a session.
  mutating func files() throws -> [ScenarioFile] {
    if let curriculum { return curriculum }
    let files = try ScenarioLibrary.curriculum().files()
    curriculum = files
    return files
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
    let examples = examples(of: command).map { "  \($0)" }.joined(separator: "\n")
    return "\(command.usage)\n  \(command.meaning)\n\(command.examples.count > 1 ? "examples" : "example")\n\(examples)"
  }

  /// Lines that work where the run stands: a field that a message has.
  func examples(of command: ShellCommand) -> [String] {
    guard command.argument == .field, let opened, let view = try? message(of: opened, with: "random"),
      !view.hasField("random"), let name = view.names.last
    else { return command.examples }
    return command.examples.map { $0.replacing("random", with: name) }
  }
}
