import Foundation
import Oracles
import Testing

@Suite("Tools for authors of scenarios")
struct AuthorsTests {
  @Test("--strict fails a case with an unreviewed expectation, in every report", arguments: [true, false])
  func strict(isUnreviewed: Bool) throws {
    let mark = isUnreviewed ? "unreviewed: true, " : ""
    let folder = try Program.folder(["one.yaml": Data("title: t\nexpect: { \(mark)verdict: accepted }\n".utf8)])
    let reports = [("text", "1 failed"), ("junit", "failures=\"1\""), ("tap", "not ok 1"), ("json", "\"failed\": 1")]
    for (format, words) in reports {
      let result = try Program.run("test", "one.yaml", "--strict", "--format", format, in: folder)
      #expect(
        result.status == (isUnreviewed ? 1 : 0) && result.output.contains(words) == isUnreviewed, "\(result.output)")
    }
  }

  private func folder(_ files: [String: String]) throws -> URL { try Program.folder(files.mapValues { Data($0.utf8) }) }

  private func text(_ name: String, in folder: URL) throws -> String {
    try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
  }

  @Test("format --check names the file without changing it, format writes it, once")
  func format() throws {
    let folder = try folder(["a.yaml": "title:   x # why\n", "b.yaml": "title: x\n"])
    let checked = try Program.run("format", "--check", ".", in: folder)
    #expect(checked.status == 1 && checked.output.shows("./a.yaml"))
    #expect(try text("a.yaml", in: folder) == "title:   x # why\n")
    #expect(try Program.run("format", ".", in: folder).output == "./a.yaml: formatted\n")
    #expect(try text("a.yaml", in: folder) == "title: x  # why\n")
    #expect(try Program.run("format", "--check", ".", in: folder).status == 0)
    #expect(try Program.run("format", "-", input: "title:  x", in: folder).output == "title: x\n")
    let bad = try Program.run("format", "-", input: "title: {", in: folder)
    #expect(bad.status == 2 && bad.errors.contains("<stdin>:") && bad.output.isEmpty)
  }

  @Test("--bless shows its change and writes it after confirmation; --strict fails until review")
  func bless() throws {
    let old = "title: x\nserver: { cipherSuites: [TLS_RSA_WITH_AES_128_CBC_SHA] }\n"
    let folder = try folder(["a.yaml": old])
    let asked = try Program.run("test", "a.yaml", "--bless", in: folder)
    #expect(asked.status == 1 && asked.errors.contains("a.yaml: not written"))
    #expect(asked.output.contains("+ expect: { unreviewed: true, verdict: refused, layer: ats"))
    #expect(try text("a.yaml", in: folder) == old)
    #expect(try Program.run("test", "a.yaml", "--bless", "--yes", in: folder).status == 0)
    let tested = try Program.run("test", "a.yaml", in: folder)
    #expect(tested.status == 0 && tested.output.contains("1 expectation unreviewed"))
    #expect(try Program.run("test", "a.yaml", "--format", "json", in: folder).output.contains("\"unreviewed\": 1"))
    #expect(try Program.run("test", "a.yaml", "--strict", in: folder).status == 1)
    #expect(try Program.run("test", "a.yaml", "--yes", in: folder).status == 2)
    #expect(try Program.run("test", "a.yaml", "--bless", "--validator", "goto-fail", in: folder).status == 2)
  }

  @Test("--bless keeps the comments, the order of keys and the line ends of a file")
  func blessKeeps() throws {
    let old =
      "title: x\r\nexpect:\r\n  content: hello # a\r\n  because:\r\n    - name.mismatch # b\r\n  verdict: refused\r\n"
    let new = "title: x\r\nexpect:\r\n  unreviewed: true\r\n  content: hello  # a\r\n  # b\r\n  verdict: accepted\r\n"
    let folder = try folder(["a.yaml": old])
    #expect(try Program.run("test", "a.yaml", "--bless", "--yes", in: folder).status == 0)
    #expect(try Array(text("a.yaml", in: folder).utf8) == Array(new.utf8))
  }

  @Test("check and test name a file whose client is a comment, among files that pass")
  func emptyClient() throws {
    let refused = "server: { cipherSuites: [TLS_RSA_WITH_AES_128_CBC_SHA256] }\nclient:\n"
    let folder = try folder([
      "good.yaml": "title: x\nexpect: { verdict: accepted }\n",
      "phone.yaml": "\(refused)#  os: iOS 8\nexpect: { verdict: accepted }\n",
    ])
    for command in ["check", "test"] {
      let result = try Program.run(command, ".", in: folder)
      #expect(result.status == 2, "\(result.output)")
      #expect(result.errors.shows("phone.yaml:2:1: error: … 'client'"), "\(result.errors)")
    }
    // A system before iOS 9 does not require forward secrecy: with its line the file is a case, and passes.
    let whole = "\(refused)  os: iOS 8\nexpect: { verdict: accepted }\n"
    try whole.write(to: folder.appendingPathComponent("phone.yaml"), atomically: true, encoding: .utf8)
    #expect(try Program.run("check", ".", in: folder).output.contains("phone.yaml: ok, 1 case"))
    let tested = try Program.run("test", ".", in: folder)
    #expect(tested.status == 0 && tested.output.contains("2 passed"), "\(tested.output)")
  }

  @Test("every command reads a byte order mark; format removes it, --bless keeps it")
  func byteOrderMark() throws {
    let mark = "\u{feff}"
    let folder = try folder(["a.yaml": "\(mark)title: x\nexpect: { content: bye }\n"])
    let file = folder.appendingPathComponent("a.yaml")
    #expect(try Program.run("check", "a.yaml", in: folder).status == 0)
    #expect(try Program.run("format", "--check", "a.yaml", in: folder).output.shows("a.yaml"))
    #expect(try Program.run("test", "a.yaml", "--bless", "--yes", in: folder).status == 0)
    let blessed = "title: x\nexpect: { unreviewed: true, content: hello }\n"
    #expect(try Array(Data(contentsOf: file)) == Array((mark + blessed).utf8))
    #expect(try Program.run("format", "a.yaml", in: folder).status == 0)
    #expect(try Array(Data(contentsOf: file)) == Array(blessed.utf8))
  }

  @Test("a missing sibling is an error with its place; other files are searched")
  func siblings() throws {
    let refused = "request: http://api.example/\nexpect: { verdict: refused }\n"
    let cases = "cases:\n  - name: over HTTPS\n    with: { request: https://api.example/ }\n"
    let row = "{ name: a, with: { request: http://api.example/ }, expect: { verdict: refused }, sibling: b }"
    let folder = try folder([
      "gone.yaml": "\(refused)sibling: L99-99\n", "slip.yaml": "\(refused)sibling: over HTPS\n\(cases)",
      "case.yaml": "\(refused)sibling: L1-15/over tea\n", "row.yaml": "cases:\n  - \(row)\n",
      "good.yaml": "\(refused)sibling: over HTTPS\n\(cases)    expect: { verdict: accepted }\n",
      "beside.yaml": "\(refused)sibling: other\n", "other.yaml": "expect: { verdict: accepted }\n",
      "curriculum.yaml": "\(refused)sibling: L1-01\n",
    ])
    for (name, place, message) in [
      ("gone", "3:10", "'L99-99'"),
      ("slip", "3:10", "'over HTTPS'"), ("case", "3:10", "'over tea'"),
      ("row", "2:95", "'b'"),
    ] {
      for command in [["check"], ["test"], ["test", "--strict"]] {
        let result = try Program.run(command + ["\(name).yaml"], in: folder)
        let said = result.errors + result.output
        #expect(result.status == 2 && said.contains("\(name).yaml:\(place): error: "), "\(command) \(said)")
        #expect(said.contains(message), "\(command) \(said)")
      }
    }
    for name in ["good", "beside", "curriculum"] {
      #expect(try Program.run("check", "\(name).yaml", in: folder).status == 0)
      let tested = try Program.run("test", "\(name).yaml", in: folder)
      #expect(tested.status == 0 && tested.output.contains("0 skipped"), "\(tested.output)")
    }
    #expect(try Program.run("check", ".", in: folder).status == 2)
  }

  @Test("pins by the name of a certificate are no placeholders")
  func namedPins() throws {
    func text(_ first: String) -> String {
      """
      certificates: { api: { issuer: Issuing, names: [api.example] }, next: { issuer: Issuing, names: [api.example] } }
      server: { presents: [api, Issuing] }
      client:
        os: iOS 17
        infoPlist:
          NSPinnedDomains:
            api.example:
              NSPinnedLeafIdentities:
                - { SPKI-SHA256-BASE64: \(first) }
                - { SPKI-SHA256-BASE64: spki(next) }
      """
    }
    let folder = try folder([
      "good.yaml": text("spki(api)"), "bad.yaml": text("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="),
    ])
    #expect(try Program.run("check", "good.yaml", in: folder).errors == "")
    #expect(try Program.run("check", "bad.yaml", in: folder).errors.contains("bad.yaml:"))
  }

  @Test("a new scenario passes, and no file is overwritten")
  func new() throws {
    let folder = try folder([:])
    #expect(try Program.run("new", "a", in: folder).status == 0)
    #expect(try Program.run("new", "b", "--from", "L3-02", in: folder).status == 0)
    let asked = try Program.run("new", "c", "--about", "why is an expired certificate refused?", in: folder)
    #expect(asked.status == 0 && asked.output.contains("L4-04, "))
    #expect(try Program.run("check", "a.yaml", "b.yaml", "c.yaml", in: folder).status == 0)
    #expect(try Program.run("test", ".", in: folder).status == 0)
    for blank in ["", "  "] {
      let nameless = try Program.run("new", blank, in: folder)
      #expect(nameless.status == 2 && nameless.errors.shows("error: … hint: "))
    }
    // A name with a space is quoted for the shell.
    let spaced = try Program.run("new", "a second", in: folder)
    #expect(
      spaced.status == 0 && spaced.output.contains("'trustlab test \"a second.yaml\"'"), "\(spaced.output)")
    let again = try Program.run("new", "a", in: folder)
    #expect(again.status == 2 && again.errors.contains("'a.yaml'"))
    let nothing = try Program.run("new", "d", "--about", "wobbly giraffes", in: folder)
    #expect(
      nothing.status == 2 && nothing.errors.shows("hint: … chain.expired")
        && nothing.errors.count < 250)
    let slip = try Program.run("new", "d", "--about", "expird", in: folder)
    #expect(slip.status == 2 && slip.errors.shows("hint: … 'expired'"))
    #expect(!FileManager.default.fileExists(atPath: folder.appendingPathComponent("d.yaml").path))
  }

  @Test("the output of describe --full can be checked from standard input, with its files")
  func roundTrip() throws {
    for id in ["L1-15", "L9-22", "L5-01", "L13-02"] {
      let full = try Program.run("describe", id, "--full").output
      let checked = try Program.run("check", "-", input: full)
      #expect(checked.status == 0, "\(id): \(checked.errors)")
      #expect(checked.output.contains("<stdin>: ok"))
    }
    let full = try Program.run("describe", "L1-15", "--full").output
    let tested = try Program.run("test", "-", input: full)
    #expect(tested.status == 0 && tested.output.hasSuffix(" passed, 0 failed, 0 skipped\n"), "\(tested.errors)")
    let wrong = full.replacing("because: [ats.no-forward-secrecy]", with: "because: [ats.key-size]")
    #expect(try Program.run("test", "-", input: wrong).output.hasPrefix("✗ <stdin>  refused  ats.no-forward-secrecy\n"))
    #expect(try Program.run("test", "-", "--bless", input: wrong).status == 2)
    let bad = try Program.run("check", "-", input: "os: iOS 9\n")
    #expect(bad.status == 2 && bad.errors.shows("<stdin>:1:1: error: … 'os'"))
  }

  @Test("check --watch reports errors, fixes and removed files, and ends by SIGINT")
  func watch() throws {
    let folder = try folder(["a.yaml": "title: x\nos: iOS 9\n", "out": ""])
    let (file, out) = (folder.appendingPathComponent("a.yaml"), folder.appendingPathComponent("out"))
    let process = Process()
    process.executableURL = Program.url
    process.arguments = ["check", "--watch", folder.path]
    process.standardOutput = try FileHandle(forWritingTo: out)
    process.standardError = FileHandle.nullDevice
    try process.run()
    defer { process.endAtOnce() }
    func count(_ words: String) throws -> Int {
      try String(contentsOf: out, encoding: .utf8).split(separator: words, omittingEmptySubsequences: false).count - 1
    }
    func said(_ words: String, count wanted: Int = 1) throws -> Bool {
      for _ in 0..<600 {
        if try count(words) >= wanted { return true }
        usleep(50_000)
      }
      return false
    }
    #expect(try said("a.yaml:2:1: error: unknown key 'os'"))
    try Data("title: x\n".utf8).write(to: file)
    #expect(try said("a.yaml: fixed: unknown key 'os'"))
    #expect(try said("a.yaml: ok, 1 case"))
    // A referenced file belongs to the scenario.
    try Data("title: x\nclient: { os: iOS 9, infoPlist: App.plist }\n".utf8).write(to: file)
    #expect(try said("App.plist"))
    #expect(try count("a.yaml: fixed: ") == 1)
    try Data("<plist><dict/></plist>".utf8).write(to: folder.appendingPathComponent("App.plist"))
    #expect(try said("a.yaml: fixed: ", count: 2))
    try FileManager.default.removeItem(at: file)
    #expect(try said("a.yaml: deleted"))
    process.interrupt()
    process.waitUntilExit()
    #expect(process.terminationReason == .exit && process.terminationStatus == 0)
  }
}
