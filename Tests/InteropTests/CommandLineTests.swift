import Foundation
import Oracles
import Testing

@Suite("The command line")
struct CommandLineTests {
  @Test("a scenario with the expected result exits with 0 and names the deciding rule")
  func runAsExpected() throws {
    let result = try Program.run("run", "L1-15")
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output.contains("ats.no-forward-secrecy"))
    #expect(result.errors.isEmpty)
  }

  @Test("the same scenario with the exception is accepted")
  func runWithException() throws {
    let result = try Program.run(
      "run", "L1-15", "--case", "with the exception, and the key stolen a month later", "--format", "json")
    #expect(result.status == 0)
    #expect(result.output.contains("\"verdict\": \"accepted\""))
    #expect(result.output.contains("\"eavesdropping\": \"later\""))
  }

  @Test("--os gives the verdict of that system, and a refusal is exit status 1")
  func runOnAnotherSystem() throws {
    #expect(try Program.run("run", "L1-15", "--os", "iOS 8").status == 0)
    #expect(try Program.run("run", "L1-15", "--os", "iOS 9").status == 1)
  }

  @Test("the same command twice gives the same bytes")
  func determinism() throws {
    let first = try Program.run("run", "L1-01", "--format", "json")
    let second = try Program.run("run", "L1-01", "--format", "json")
    #expect(first.output == second.output)
    #expect(first.output.hasPrefix("{\n  \"trustlab\": 1,"))
  }

  @Test("test prints the warnings about a file once, and the result is the same")
  func warnings() throws {
    let text = "client: { os: iOS 18.4.1 }\nexpect: { verdict: accepted }\ncases: [{ name: two, with: { seed: 2 } }]\n"
    let file = try Program.folder(["warned.yaml": Data(text.utf8)]).appendingPathComponent("warned.yaml").path
    let (checked, tested) = (try Program.run("check", file), try Program.run("test", file))
    #expect(checked.errors.contains("warned.yaml:1:15: warning: ") && tested.errors == checked.errors)
    #expect(tested.status == 0 && tested.output.contains("2 passed"), "\(tested.output)")
  }

  @Test("one changed expectation makes test exit with 1 and shows the difference")
  func changedExpectation() throws {
    let good = "request: https://api.example/\nexpect: { verdict: accepted }\n"
    let folder = try Program.folder([
      "good.yaml": Data(good.utf8), "bad.yaml": Data(good.replacing("accepted", with: "refused").utf8),
    ])
    #expect(try Program.run("test", "good.yaml", in: folder).status == 0)
    let result = try Program.run("test", "bad.yaml", in: folder)
    #expect(result.status == 1)
    #expect(result.output.contains("refused") && result.output.contains("accepted"))
    #expect(result.output.contains("0 passed, 1 failed"))
  }

  @Test(
    "an unreadable file is an error with file, line and column, and exit status 2",
    arguments: [
      ("verdikt", "expect: { verdikt: accepted }\n", "slip.yaml:1:11: error: "),
      ("wrong type", "server: [1]\n", "slip.yaml:1:9: error: "),
      (
        "authority", "certificates:\n  api: { issuer: Isuing, names: [a] }\n",
        "slip.yaml:2:18: error: "
      ),
      ("empty", "", "slip.yaml:1:1: error: "),
      ("not YAML", "a: [1, 2\n", "slip.yaml:1:4: error: "),
    ])
  func badFiles(what: String, text: String, error: String) throws {
    let folder = try Program.folder(["slip.yaml": Data(text.utf8)])
    for command in ["run", "test", "check"] {
      let result = try Program.run(command, "slip.yaml", in: folder)
      #expect(result.status == 2, "\(command): \(what)")
      #expect(result.errors.contains(error), "\(command): \(result.errors)")
      #expect(result.errors.contains("hint: "), "\(command): \(result.errors)")
    }
  }

  @Test("a folder without a scenario is an error for every command, and exit status 2")
  func emptyFolder() throws {
    let folder = try Program.folder(["readme.txt": Data("nothing".utf8)])
    for words in [["check", "."], ["format", "--check", "."], ["test", "."], ["serve", "."]] {
      let result = try Program.run(words, in: folder)
      #expect(result.status == 2 && result.errors.contains("error: "), "\(words): \(result.errors)")
    }
  }

  @Test("check accepts a good file")
  func check() throws {
    let folder = try Program.folder(["fine.yaml": Data("request: https://api.example/\n".utf8)])
    let result = try Program.run("check", "fine.yaml", in: folder)
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output == "fine.yaml: ok, 1 case\n")
  }

  @Test("check reports an unknown lesson with the nearest one, and accepts a known lesson")
  func lesson() throws {
    let folder = try Program.folder([
      "wrong.yaml": Data("title: x\nlesson: L14-5\n".utf8), "right.yaml": Data("lesson: L14-05\n".utf8),
      "whole.yaml": Data("lesson: L14\n".utf8),
    ])
    let wrong = try Program.run("check", "wrong.yaml", in: folder)
    #expect(wrong.status == 2)
    #expect(wrong.errors.shows("wrong.yaml:2:9: error: … 'L14-5'"), "\(wrong.errors)")
    #expect(wrong.errors.shows("hint: … 'L14-05'"), "\(wrong.errors)")
    #expect(try Program.run("check", "right.yaml", "whole.yaml", in: folder).status == 0)
  }

  @Test(
    "wrong usage is an error with a hint, and exit status 2",
    arguments: [
      ["rnu", "L1-15"], ["run"], ["run", "L1-51"], ["run", "L1-15", "--depth", "deep"], ["list", "nothing"],
    ])
  func usage(arguments: [String]) throws {
    let process = try Program.run(arguments)
    #expect(process.status == 2)
    #expect(process.errors.hasPrefix("error: "), "\(process.errors)")
    #expect(process.errors.contains("\nhint: "), "\(process.errors)")
    #expect(process.output.isEmpty)
  }

  @Test(
    "help exits with 0, has an example, and fits into 80 columns",
    arguments: [
      "run", "test", "new", "check", "format", "explain", "list", "repl", "describe", "verify", "pki", "pki export",
      "replay", "ats",
      "ats decide", "site",
    ])
  func help(command: String) throws {
    let result = try Program.run(command.split(separator: " ").map(String.init) + ["--help"])
    #expect(result.status == 0)
    #expect(result.output.contains("Example"))
    #expect(result.output.split(separator: "\n").allSatisfy { $0.count <= 80 || $0.hasPrefix("USAGE: ") })
  }

  @Test("the program finds its curriculum from any working directory")
  func elsewhere() throws {
    let result = try Program.run("test", "L1-15", in: FileManager.default.temporaryDirectory)
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output.contains("0 failed"))
  }
}

@Suite("The shell")
struct ShellTests {
  @Test("a session steps forth and back, and returns to the same place")
  func stepping() throws {
    let result = try Program.run("repl", "L1-01", input: "step 3\nback 2\nstep 2\nknows eavesdropper\nquit\n")
    let again = try Program.run("repl", "L1-01", input: "step 3\nknows eavesdropper\nquit\n")
    #expect(result.status == 0)
    #expect(result.output.contains("ClientHello"))
    let ending = again.output.split(separator: "\n").suffix(4)
    #expect(result.output.split(separator: "\n").suffix(4) == ending)
  }

  @Test("after any error in a line, the session continues")
  func mistakes() throws {
    let garbage = String(repeating: "x", count: 1 << 20)
    let input =
      "stpe\ngoto 9999\ngoto x\nknows nobody\n\(garbage)\nopen nothing\nderive nothing\nwhy nothing\nshow info\nstep\n"
    let result = try Program.run("repl", "L1-15", input: input)
    #expect(result.status == 1)
    #expect(result.output.contains("'step'"))
    #expect(result.output.components(separatedBy: "error: ").count == 10, "\(result.output)")
    #expect(!result.output.contains(String(repeating: "x", count: 200)))
  }

  @Test("a script replays byte for byte")
  func script() throws {
    let folder = try Program.folder(["lesson.txt": Data("step\nwhy\nrun\nwhy\nquit\n".utf8)])
    let first = try Program.run("repl", "L1-15", "--script", "lesson.txt", in: folder)
    let second = try Program.run("repl", "L1-15", "--script", "lesson.txt", in: folder)
    #expect(first.output == second.output)
    #expect(first.output.contains("> why"))
    #expect(first.output.contains("ats.no-forward-secrecy"))
  }

  @Test("endless input is not read completely: a device instead of a file, an endless line")
  func bounds() throws {
    let zeros = try Program.run("limbo", "/dev/zero")
    #expect(zeros.status == 2 && zeros.errors.shows("error: … '/dev/zero' … hint: "))
    let script = try Program.run("repl", "--script", "/dev/zero")
    #expect(script.status == 2 && script.errors.contains("16 MiB"))
    let line = String(repeating: "x", count: 3 << 20)
    let shell = try Program.run("repl", "L1-01", input: line + "\nstep\n")
    #expect(
      shell.output.utf8.count < 4096 && shell.output.contains("App Transport Security"),
      "\(shell.output.prefix(400))")
    let folder = try Program.folder(["zero.yaml": Data("certificates: { api: { pem: /dev/zero } }\n".utf8)])
    #expect(try Program.run("check", "zero.yaml", in: folder).status == 2)
  }

  @Test("an error that repeats typed text never controls the terminal")
  func controlCharacters() throws {
    for arguments in [["run", "\u{1b}[31mred"], ["\u{1b}]0;title\u{7}"], ["explain", "a\u{9b}b\u{202e}c"]] {
      let result = try Program.run(arguments)
      #expect(result.status == 2)
      #expect(
        !result.errors.unicodeScalars.contains { $0.value < 32 && $0 != "\n" || $0 == "\u{9b}" || $0 == "\u{202e}" })
      #expect(result.errors.contains("\\u{"), "\(result.errors)")
    }
  }

  @Test("a folder with a scenario's name does not hide it, and './' names the folder")
  func folderLikeID() throws {
    let folder = try Program.folder([:])
    try FileManager.default.createDirectory(
      at: folder.appendingPathComponent("L1-01"), withIntermediateDirectories: false)
    #expect(try Program.run("run", "L1-01", in: folder).status == 0)
    #expect(try Program.run("run", "./L1-01", in: folder).status == 2)
  }
}
