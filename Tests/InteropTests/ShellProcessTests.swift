import Foundation
import Oracles
import Rendering
import Testing

@Suite("The shell as a program")
struct ShellProcessTests {
  @Test("a saved session replays to the same output, byte for byte")
  func saved() throws {
    let folder = try Program.folder([:])
    let lines = ["step 3", "", "os iOS 10", "nonsense", "diff", "undo", "fork a", "goto 5", "fields", "  why  ", "run"]
    let input = lines.joined(separator: "\n") + "\nsave session.txt\nquit\n"
    let played = try Program.run("repl", "L1-01", input: input, in: folder)
    #expect(played.status == 1, "one command failed")
    let replayed = try Program.run("repl", "--script", "session.txt", in: folder)
    #expect(replayed.status == 1)
    let answers = replayed.output.split(separator: "\n").filter { !$0.hasPrefix("> ") }
    #expect(answers == played.output.split(separator: "\n").filter { !$0.hasPrefix("wrote ") })
    #expect(try Program.run("repl", "--script", "session.txt", in: folder).output == replayed.output)
  }

  @Test("another program's file is not overwritten")
  func foreign() throws {
    let folder = try Program.folder(["notes.txt": Data("mine\n".utf8)])
    let result = try Program.run("repl", "L1-01", input: "save notes.txt\n", in: folder)
    #expect(result.status == 1 && result.output.contains("notes.txt"))
    #expect(try String(contentsOf: folder.appendingPathComponent("notes.txt"), encoding: .utf8) == "mine\n")
  }

  @Test("an exported file equals the output of run", arguments: ["svg", "mermaid", "json", "html", "markdown"])
  func exported(format: String) throws {
    let folder = try Program.folder([:])
    let run = try Program.run("run", "L1-15", "--format", format, in: folder)
    let shell = try Program.run("repl", "L1-15", input: "step\nexport \(format) run.out\n", in: folder)
    #expect(shell.status == 0, "\(shell.output)")
    #expect(try String(contentsOf: folder.appendingPathComponent("run.out"), encoding: .utf8) == run.output)
  }

  @Test("in program mode every request gets one response, some with pictures")
  func answers() throws {
    let requests = [
      #"{"id":1,"line":"run"}"#, #"{"id":"two","line":"diagram"}"#, #"{"id":3,"line":"chain"}"#,
      #"{"id":4,"line":"nonsense"}"#, "no JSON", #"{"id":5}"#, #"{"id":6,"complete":"show ser"}"#,
      #"{"id":[7],"line":"quit"}"#, #"{"id":8,"line":"step"}"#,
    ]
    let result = try Program.run("repl", "L1-01", "--protocol", "json", input: requests.joined(separator: "\n"))
    #expect(result.status == 0 && result.errors.isEmpty)
    let answers = try result.output.split(separator: "\n").map { try JSONValue(reading: Array($0.utf8)) }
    #expect(answers.count == 8, "no request after quit gets a response")
    #expect(answers[0]["id"] == 1 && answers[0]["prompt"] == "L1-01 22> ")
    guard case .string(let svg)? = answers[1]["data"]?["image/svg+xml"] else {
      Issue.record("a diagram has no picture")
      return
    }
    #expect(svg.hasPrefix("<svg ") && answers[2]["data"]?["image/svg+xml"] != nil)
    #expect(answers[3]["error"]?["message"] == "unknown command 'nonsense'")
    #expect(answers[4]["error"] != nil && answers[5]["error"] != nil)
    #expect(answers[6]["completions"] == ["server"])
  }

  @Test(
    "every response conforms to the schema", .needs(.jsonschema))
  func schema() throws {
    let lines = [
      "run", "diagram", "chain", "tree", "cost", "nonsense", "set client.oss = 1", "matrix os", "diff", "help",
    ]
    let requests = lines.map { #"{"id":"\#($0)","line":"\#($0)"}"# } + ["[]", "{}", #"{"complete":"s"}"#]
    let result = try Program.run("repl", "L1-01", "--protocol", "json", input: requests.joined(separator: "\n"))
    for (index, answer) in result.output.split(separator: "\n").enumerated() {
      let folder = try Program.folder(["answer.json": Data(answer.utf8)])
      #expect(OtherPrograms.violation(in: folder.appendingPathComponent("answer.json"), of: "repl") == "", "\(index)")
    }
  }

  @Test("a script that cannot be read is an error, and exit status 2")
  func unreadable() throws {
    #expect(try Program.run("repl", "--script", "/nowhere").status == 2)
    #expect(try Program.run("repl", "nothing").status == 2)
    #expect(try Program.run("repl", "L1-01", input: "").status == 0)
    #expect(try Program.run("repl", "L1-01", input: "why\u{0}\n\u{fffd}\nstep\n").status == 1)
  }

  @Test(
    "a terminal edits and completes lines, and Ctrl-C ends only the current command",
    .needs(.python))
  func terminal() throws {
    let folder = try Program.folder(["terminal.py": Data(Self.terminal.utf8)])
    let keys = [#"step\r"#, #"given up\x03"#, #"sweep seed 1..1000\r"#, #"\x03"#, #"show session\r"#, #"\x04"#]
    func answer() throws -> String {
      try #require(
        OtherPrograms.output(
          ["python3", folder.appendingPathComponent("terminal.py").path, Program.url.path, folder.path, "2000"] + keys))
    }
    var text = try answer()
    // INTR discards output that the terminal has not delivered yet (POSIX, General Terminal Interface, 11.1.9), so
    // request it again.
    if !text.contains("interrupted after ") { text = try answer() }
    #expect(text.contains("L1-01 0> ") && text.contains("App Transport Security does not apply"))
    #expect(text.contains("interrupted after "), "\(text)")
    #expect(text.contains("negotiated anything yet") && !text.contains("unknown command"))
    #expect(text.hasSuffix("exit status 0\n"))
  }

  @Test(
    "long output waits for a key, and Ctrl-C or q skips the rest",
    .needs(.python))
  func pages() throws {
    let folder = try Program.folder(["terminal.py": Data(Self.terminal.utf8)])
    let keys = [
      #"step\r"#, #"list rules\r"#, #"\t"#, " ", #"\r"#, "q", #"\r"#, #"list rules\r"#, #"\x03"#,
      #"list rules\r"#, #"show sessiom\x7fn\r"#, #"list rules\r"#, #"\x04"#, #"\x04"#,
    ]
    let output = OtherPrograms.output(
      ["python3", folder.appendingPathComponent("terminal.py").path, Program.url.path, folder.path, "24"] + keys)
    let text = try #require(output)
    #expect(text.components(separatedBy: "-- more: Enter, q --").count == 7, "three screens, and one each: \(text)")
    #expect(text.contains("negotiated anything yet") && !text.contains("unknown command"))
    #expect(text.components(separatedBy: "name.mismatch").count == 1, "the rest is skipped")
    #expect(
      text.contains("L1-01 1> show sessiom\u{8} \u{8}n") && !text.contains("L1-01 2> "),
      "Enter behind q is no step: \(text)")
    #expect(text.hasSuffix("exit status 0\n"))
    #expect(try !Program.run("repl", "L1-01", input: "list rules\n").output.contains("-- more"))
  }

  /// Types lines into a terminal of 80 columns and so many rows, and prints the screen after each prompt.
  private static let terminal = #"""
    import fcntl, os, pty, select, signal, struct, sys, termios, time
    program, folder, rows, *keys = sys.argv[1:]
    child, terminal = pty.fork()
    if child == 0:
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        os.environ.update(TERM="xterm", LANG="C.UTF-8", NO_COLOR="1", TRUSTLAB_HISTORY=folder + "/history",
            TRUSTLAB_CACHE=folder + "/keys")
        os.execv(program, [program, "repl", "L1-01"])
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", int(rows), 80, 0, 0))
    shown = b""
    def wait(done, seconds=60):
        global shown
        begin, end = len(shown), time.time() + seconds
        while time.time() < end and not done(shown[begin:]):
            if select.select([terminal], [], [], 0.05)[0]:
                try: shown += os.read(terminal, 65536)
                except OSError: return
    is_edited = lambda: not termios.tcgetattr(terminal)[3] & termios.ICANON
    # The editor takes the terminal just after it has written the prompt; a key in between is the line discipline's.
    def prompt(text):
        last = text.rsplit(b"\n", 1)[-1]
        return (b"> " in last or b"-- more" in last) and is_edited()
    wait(prompt)
    for key in keys:
        os.write(terminal, key.encode().decode("unicode_escape").encode())
        if "show" in key:
            # What is typed at "-- more" stands behind a prompt before it is read.
            wait(lambda text: b"agreed on" in text and prompt(text))
            continue
        if not key.startswith("sweep"):
            wait(prompt, 60 if key != "\\t" else 1)
            continue
        # The command is at hand once the editor has given the terminal back.
        wait(lambda text: b"\n" in text and not is_edited())
        time.sleep(0.3)
    for _ in range(100):
        (ended, status) = os.waitpid(child, os.WNOHANG)
        if ended: break
        time.sleep(0.1)
    else:
        os.kill(child, signal.SIGKILL)
        sys.exit(1)
    print(shown.decode(errors="replace"))
    print("exit status", os.waitstatus_to_exitcode(status))
    """#
}
