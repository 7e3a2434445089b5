import ArgumentParser
import Foundation
import Rendering
import Scenarios

/// The `trustlab repl` command.
struct Repl: ParsableCommand {
  /// The format of commands and responses.
  enum Conversation: String, ExpressibleByArgument, CaseIterable {
    case text
    case json
  }

  static let configuration = CommandConfiguration(
    commandName: "repl",
    abstract: "Step through a scenario, forward and back.",
    discussion: """
      Examples:
        trustlab repl L1-01
        trustlab repl L0
        trustlab repl L1-15 --script lesson.txt
        trustlab repl L2 --student 17
        printf 'step\\nwhy\\nquit\\n' | trustlab repl L1-15
        echo '{"id": 1, "line": "run"}' | trustlab repl L1-15 --protocol json

      In the REPL, 'help' lists the commands, an empty line takes the next step, and 'save' writes the session to a \
      script. On a terminal, Ctrl-C stops the current command and Ctrl-D ends the session. The variable \
      TRUSTLAB_HISTORY names the history file; 'off' turns the history off.

      The exit status is 1 if a command in a script or pipe fails. With --protocol json it is 0, because each response \
      reports its own errors.
      """)

  @Argument(help: "The scenario to open: a file, or the id of a curriculum scenario.")
  var scenario: String?

  @Option(help: "The file to read commands from, instead of the terminal.")
  var script: String?

  @Option(
    name: .customLong("protocol"), help: "The protocol: text, or json with one request and one response per line.")
  var conversation = Conversation.text

  @Flag(help: "Draw with ASCII characters only.")
  var ascii = false

  @Option(help: "A student's name or number. It determines the numbers in the student's questions and their order.")
  var student: String?

  @Option(
    name: .customLong("class"),
    help: "The teacher's class file, whose key seals answer sheets. Keep it secret from students.")
  var classFile: String?

  @Flag(
    help: "Do not save progress. By default, a terminal session saves it in TRUSTLAB_PROGRESS or the XDG state folder.")
  var noProgress = false

  @OptionGroup var validation: ValidatorOptions
  @OptionGroup var styling: StyleOptions

  func run() throws {
    guard script == nil || conversation == .text else {
      throw Diagnostics("--script does not work with --protocol json", hint: "remove --protocol or --script")
    }
    var input = stat()
    guard script != nil || fstat(STDIN_FILENO, &input) != 0 || input.st_mode & S_IFMT != S_IFDIR else {
      throw Diagnostics("standard input is a folder", hint: "pass the name of a scenario: trustlab repl L1-01")
    }
    let mutant = try validation.mutant()
    let isTerminal = isatty(STDIN_FILENO) == 1 && script == nil && conversation == .text
    if isTerminal || conversation == .json { Interruption.catchSignal() }
    var style = conversation == .json ? TextStyle() : styling.style
    if ascii { style.isASCII = true }
    var session = Session(
      workbench: Workbench(mutant: mutant), style: style, isInterrupted: { Interruption.isRequested },
      progress: { if isTerminal { Console.progress($0, of: $1) } })
    if let classFile { session.sealing = try ClassFile.key(classFile) }
    if let student { try name(student, in: &session) }
    try open(in: &session, isTerminal: isTerminal)
    switch (script, conversation) {
    case (let script?, _): try play(script, in: &session)
    case (nil, .json): try ProtocolConversation.hold(&session)
    case (nil, .text): try converse(with: session, isTerminal: isTerminal)
    }
  }

  /// Evaluates the line `student ID`, so that a saved session begins with this line.
  private func name(_ student: String, in session: inout Session) throws {
    guard student.contains(where: { !$0.isWhitespace }) else {
      throw Diagnostics("--student is empty", hint: "use letters and digits: --student 17")
    }
    if let complaint = session.evaluate("student \(student)").complaint { throw Diagnostics([complaint]) }
  }

  private func open(in session: inout Session, isTerminal: Bool) throws {
    guard let scenario else {
      if isTerminal { Console.out("Type 'lessons' to choose a lesson, 'open L1-01' to open a scenario, or 'help'.") }
      return
    }
    let opened = session.evaluate("open \(scenario)")
    if opened.isError || conversation == .text { Console.out(opened.text) }
    if opened.isError { throw UnreadableInput() }
  }

  private func play(_ script: String, in session: inout Session) throws {
    guard let handle = FileHandle(forReadingAtPath: script),
      let data = try? handle.read(upToCount: Self.longestScript + 1) ?? Data()
    else {
      throw Diagnostics(
        "cannot read the script '\(script)'", hint: "pass a text file that has one command on each line")
    }
    guard data.count <= Self.longestScript else {
      throw Diagnostics("the script '\(script)' is larger than 16 MiB", hint: "check that it is the right file")
    }
    var lines = String(decoding: data, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    if lines.last?.isEmpty == true { lines.removeLast() }
    var hasFailed = false
    for line in lines {
      guard !line.hasPrefix("#") else { continue }
      Console.out("> \(session.style.shown(String(line.prefix(Self.longestEcho))))")
      let output = session.evaluate(line.hasSuffix("\r") ? String(line.dropLast()) : String(line))
      show(output)
      hasFailed = hasFailed || output.isError
      if output.quits { break }
    }
    if hasFailed { throw NotAsExpected() }
  }

  /// Evaluates commands until `quit` or the end of input. The prompt is only shown on a terminal.
  private func converse(with beginning: Session, isTerminal: Bool) throws {
    var hasFailed = false
    let place = Conversing(beginning)
    let isPaged = isTerminal && isatty(STDOUT_FILENO) == 1
    var keeper = isTerminal && !noProgress ? ProgressKeeper(ProcessInfo.processInfo.environment) : nil
    if let greeting = keeper?.load(into: &place.session.teaching) { Console.out(greeting) }
    var hasAskedToQuit = false
    var lines = source(isTerminal: isTerminal, place)
    var pending: String?
    var hasQuitPager = false
    loop: while true {
      Interruption.clear()
      let next = pending.map(TypedLine.text) ?? lines.nextLine(prompt: place.session.prompt)
      pending = nil
      switch next {
      case .end: break loop
      case .interrupted: continue
      case .text(let line):
        // The Enter key after the pager's q belongs to the pager.
        let isPagers = hasQuitPager && line.isEmpty
        hasQuitPager = false
        if isPagers { continue }
        if isPaged { place.session.style.width = TerminalSize.current.textWidth }
        let output = place.session.evaluate(line)
        // The terminal has echoed ^C on the line.
        if Interruption.clear(), isTerminal { Console.out("\n") }
        let ending = show(output, isPaged: isPaged && output.isPaged, prompt: place.session.prompt)
        if case .typed(let line) = ending { pending = line }
        hasFailed = hasFailed || output.isError
        if let said = keeper?.keep(&place.session.teaching) { Console.out(said) }
        if output.quits {
          guard isTerminal, !hasAskedToQuit, let loss = place.session.loss else { break loop }
          let said = "\(loss) would be lost: type 'quit' again to leave, or 'save FILE' to keep the session"
          Console.out(place.session.wrapped(said))
        }
        hasAskedToQuit = output.quits
        hasQuitPager = ending == .quit
      }
    }
    lines.close()
    if hasFailed, !isTerminal { throw NotAsExpected() }
  }

  private func source(isTerminal: Bool, _ place: Conversing) -> any LineSource {
    let environment = ProcessInfo.processInfo.environment
    guard isTerminal, isatty(STDOUT_FILENO) == 1, environment["TERM"] != "dumb",
      let editor = EditLine(history: HistoryFile(environment), complete: { place.session.completions(of: $0) })
    else { return PlainLines(isTerminal: isTerminal) }
    return editor
  }

  @discardableResult
  private func show(_ output: Session.Output, isPaged: Bool = false, prompt: String = "") -> Pager.Ending {
    guard !output.text.isEmpty else { return .done }
    if isPaged { return Pager.show(output.text, prompt: prompt) }
    Console.out(output.text)
    return .done
  }

  private static let longestEcho = 200
  private static let longestScript = 1 << 24
}

/// Shares the current session with the completion of the terminal's line editor.
private final class Conversing {
  var session: Session
  init(_ session: Session) { self.session = session }
}

/// A session for other programs, with one JSON request and one JSON response on each line.
///
/// The response to `{"id": …, "line": "step"}` is `{"trustlab": 1, "id": …, "text": …, "prompt": …}`. The response has
/// an `error` if the line failed, and `data` if there are pictures. The response to `{"id": …, "complete": "kno"}` has
/// the matching words.
enum ProtocolConversation {
  /// Responds to requests on standard input until it ends or a line quits the session.
  static func hold(_ session: inout Session) throws {
    var isOver = false
    try RecordStream.answer(example: #"{"id": 1, "line": "step"}"#, until: { isOver }) { request in
      Interruption.clear()
      if case .string(let line)? = request["complete"] {
        return [.init("completions", .array((session.completions(of: line) ?? []).map { .string($0) }))]
      }
      guard case .string(let line)? = request["line"] else {
        throw Diagnostics("the request has no member 'line'", hint: #"write {"id": 1, "line": "step"}"#)
      }
      let output = session.evaluate(line)
      isOver = output.quits
      return members(of: output, prompt: session.prompt)
    }
  }

  private static func members(of output: Session.Output, prompt: String) -> [JSONValue.Member] {
    var members: [JSONValue.Member] = [.init("text", .string(output.text)), .init("prompt", .string(prompt))]
    if let complaint = output.complaint {
      members.append(.init("error", ["message": .string(complaint.message), "hint": .string(complaint.hint)]))
    }
    if !output.pictures.isEmpty {
      members.append(.init("data", .object(output.pictures.map { .init($0.type, .string($0.content)) })))
    }
    return members
  }
}
