import Scenarios
import Testing

@Suite("Expectations written from observed results")
struct BlessingTests {
  func blessing(_ text: String, only name: String? = nil) throws -> Blessing {
    let file = try Lab.read(text)
    let results = try file.cases.map { try Lab.player.play($0) }
    return try Blessing(
      file, bytes: Array(text.utf8), results: results, isWanted: { name == nil || $0.caseName == name })
  }

  private func lines(_ text: String) throws -> [String] {
    try blessing(text).text.split(separator: "\n").map(String.init)
  }

  @Test("an unexpected verdict is written with its layer and its rules, and marked")
  func verdict() throws {
    let rsa = "title: x\nserver: { cipherSuites: [TLS_RSA_WITH_AES_128_CBC_SHA] }\n"
    #expect(
      try lines(rsa).last
        == "expect: { unreviewed: true, verdict: refused, layer: ats, because: [ats.no-forward-secrecy] }"
    )
    let refused =
      "title: x\nexpect: { verdict: refused, layer: ats, because: [ats.insecure-http], errors: [NSURLErrorDomain -1022] }\n"
    #expect(try lines(refused).last == "expect: { unreviewed: true, verdict: accepted }")
  }

  @Test("only failed expectations are written; comments, order and other cases stay")
  func minimal() throws {
    let text = """
      # first
      title: x
      expect:
        verdict: accepted
        # of the path
        path: [api]  # wrong
        content: hello
        goals: { eavesdropping: possible, tampering: prevented }
      cases:
        # a row
        - name: no ATS
          with: { client.os: iOS 8 }
          expect: { cipherSuite: TLS_RSA_WITH_AES_128_CBC_SHA }  # why
        - name: like the file
          with: { client.os: iOS 9 }

      """
    let blessing = try blessing(text)
    #expect(blessing.refused.isEmpty && blessing.blessed == ["test", "test/no ATS", "test/like the file"])
    let new = blessing.text
    #expect(new.contains("    # of the path\n  path: [api, Issuing, Root A]  # wrong\n") == false)
    #expect(new.contains("  # of the path\n  path: [api, Issuing, Root A]  # wrong\n  content: hello\n"))
    #expect(new.contains("  goals: { eavesdropping: prevented, tampering: prevented }\n"))
    #expect(
      new.contains("    expect: { unreviewed: true, cipherSuite: TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256 }  # why\n"))
    let file = try Lab.read(new)
    #expect(try file.cases.allSatisfy { try Lab.player.play($0).judgement.result == .passed })
    #expect(file.cases.map(\.unreviewedCount) == [1, 1, 1])
  }

  @Test("a row without expectations gets its effective ones before the file's expectation changes")
  func shared() throws {
    let text = """
      title: x
      expect: { verdict: refused, layer: chain, because: [chain.expired, chain.no-anchor] }
      cases:
        - name: late
          with: { clock: 2030-01-01 }

      """
    let blessing = try blessing(text)
    #expect(blessing.refused.isEmpty && blessing.blessed == ["test", "test/late"], "\(blessing.refused)")
    #expect(blessing.text.contains("\nexpect: { unreviewed: true, verdict: accepted }\n"), "\(blessing.text)")
    let row = "expect: { unreviewed: true, verdict: refused, layer: chain, because: [chain.expired] }\n"
    #expect(blessing.text.contains("    \(row)"), "\(blessing.text)")
    #expect(try Lab.read(blessing.text).cases.allSatisfy { try Lab.player.play($0).judgement.result == .passed })
  }

  @Test("a row that inherits the file's expectation keeps it when the file gets another")
  func inherited() throws {
    let text = """
      title: x
      client: { os: iOS 15 }
      request: http://api.example/
      cases:
        - name: by https
          with: { request: "https://api.example/" }

      """
    let refused = "expect: { unreviewed: true, verdict: refused, layer: ats, because: [ats.insecure-http] }\n"
    let blessing = try blessing(text)
    #expect(blessing.refused.isEmpty && blessing.blessed == ["test"], "\(blessing.refused)")
    #expect(blessing.text.contains("\n\(refused)cases:\n"), "\(blessing.text)")
    #expect(blessing.text.hasSuffix("    expect: { verdict: accepted }\n"), "\(blessing.text)")
    #expect(try Lab.read(blessing.text).cases.allSatisfy { try Lab.player.play($0).judgement.result == .passed })
    // Nor does a failing row that is not to be blessed inherit the file's new expectation.
    let both = text + "  - name: by http as well\n    with: { request: \"http://api.example/x\" }\n"
    let one = try self.blessing(both, only: Scenario.mainCase)
    #expect(one.blessed == ["test"] && one.text.hasSuffix("    expect: { verdict: accepted }\n"), "\(one.text)")
    #expect(
      try Lab.read(one.text).cases.map { try Lab.player.play($0).judgement.result } == [.passed, .passed, .failed])
  }

  @Test("a file's expectation stays if a case of its sweep passes, else it is replaced")
  func swept() throws {
    let text = "title: x\nclient: { os: iOS 15 }\nrequest: http://api.example/\nsweep: { client.os: [iOS 8] }\n"
    let shared = try blessing(text)
    #expect(shared.blessed.isEmpty && shared.text == text)
    #expect(
      shared.refused.map(\.name) == ["test"] && shared.refused[0].reason.contains("test/client.os = iOS 8"))
    #expect(try blessing(text.replacing("iOS 8", with: "iOS 16")).blessed == ["test"])
  }

  @Test("two swapped siblings are both written, and untouched lines stay byte for byte")
  func swapped() throws {
    let text = """
      # above
      title:   x     # odd
      client: {os:   iOS 10}
      server: { cipherSuites: [TLS_RSA_WITH_AES_128_CBC_SHA] }
      expect:
         verdict:   accepted

      cases:
          - name: eight
            with: {client.os: "iOS 8"}   # why
            expect: {verdict: refused,  because: [ats.no-forward-secrecy]}
          - {name: nine,   with: {client.os:  iOS 9}, expect: {verdict: refused, layer: ats}}

      """
    let blessing = try blessing(text)
    #expect(blessing.refused.isEmpty && blessing.blessed == ["test", "test/eight"], "\(blessing.refused)")
    let written = text.replacing(
      "   verdict:   accepted\n",
      with: "  unreviewed: true\n  verdict: refused\n  layer: ats\n  because: [ats.no-forward-secrecy]\n"
    ).replacing(
      "{verdict: refused,  because: [ats.no-forward-secrecy]}", with: "{ unreviewed: true, verdict: accepted }")
    #expect(blessing.text == written, "\(blessing.text)")
    // If the file expects nothing, that is the only additional line.
    let silent = text.replacing("expect:\n   verdict:   accepted\n\n", with: "")
      .replacing("refused,  because: [ats.no-forward-secrecy]", with: "accepted, content: bye")
    let row = "      expect: { unreviewed: true, verdict: accepted, content: hello }\n"
    #expect(
      try self.blessing(silent, only: "eight").text.contains("\"iOS 8\"}   # why\n\(row)    - {name: nine,   with"))
    let bare =
      "title:   x\nrequest: \"http://api.example/\"\n\n# rows\ncases:\n    - {name:  a, with: {client.os: iOS 8}}\n"
    let expected = "expect: { unreviewed: true, verdict: refused, layer: ats, because: [ats.insecure-http] }\n"
    let rows = try self.blessing(bare, only: "main").text
    let head = "title:   x\nrequest: \"http://api.example/\"\n\(expected)\n# rows\ncases:\n"
    #expect(rows.hasPrefix(head) && rows.hasSuffix(", expect: { verdict: accepted } }\n"), "\(rows)")
  }

  @Test("a matching list keeps its form and comments when the verdict next to it changes")
  func held() throws {
    let text = """
      title: x
      request: http://api.example/
      expect:
        verdict: hangs
        because:
          - ats.insecure-http # ticket 4711

      """
    let blessed = try blessing(text).text
    #expect(blessed.contains("unreviewed: true") && blessed.contains("verdict: refused"), "\(blessed)")
    #expect(blessed.contains("  because:\n    - ats.insecure-http") && blessed.contains("# ticket 4711"))
  }

  @Test(
    "every line keeps its line end, and a new line has that of the first",
    arguments: [
      (
        "title: x\r\n# c\nexpect: { verdict: refused } # x\n",
        "title: x\r\n# c\nexpect: { unreviewed: true, verdict: accepted }  # x\n"
      ),
      ("title: x\r\nexpect: { content: bye }", "title: x\r\nexpect: { unreviewed: true, content: hello }"),
      (
        "title: x\r\nexpect:\n  content: bye\nserver: {}",
        "title: x\r\nexpect:\r\n  unreviewed: true\r\n  content: hello\nserver: {}"
      ),
      (
        "request: http://api.example/\r\n",
        "request: http://api.example/\r\n"
          + "expect: { unreviewed: true, verdict: refused, layer: ats, because: [ats.insecure-http] }\r\n"
      ),
    ])
  func lineEnds(old: String, new: String) throws {
    let text = try blessing(old).text
    #expect(Array(text.utf8) == Array(new.utf8), "\(text.debugDescription)")
  }

  @Test(
    "a byte order mark stays, for a replaced word and for a new entry",
    arguments: ["expect: { content: bye }\n", "expect: { content: bye }\r\n", "request: http://api.example/\n"])
  func byteOrderMark(rest: String) throws {
    let text = "title: x\n" + rest
    let (plain, marked) = (try blessing(text), try blessing("\u{feff}" + text))
    #expect(plain.blessed == ["test"])
    #expect(Array(marked.text.utf8) == [0xef, 0xbb, 0xbf] + Array(plain.text.utf8))
    let held = "\u{feff}title:   x\nexpect:   { verdict: accepted }\n"
    #expect(Array(try blessing(held).text.utf8) == Array(held.utf8))
  }

  @Test("a file that passes stays unchanged, byte for byte")
  func nothing() throws {
    let text = "title:   x\nexpect:   { verdict: accepted }\n"
    #expect(try blessing(text).text == text && (try blessing(text).blessed.isEmpty))
  }

  @Test("expectations of single loads, the server and the goals are written in their own maps")
  func parts() throws {
    let text = """
      title: x
      requests: ["https://api.example/", "https://api.example/"]
      expect: { server: { verdict: refused }, connections: { second: { content: bye } } }

      """
    #expect(
      try blessing(text).text.hasSuffix(
        """
        expect:
          unreviewed: true
          server: { verdict: accepted }
          connections: { second: { unreviewed: true, content: hello } }

        """))
  }

  @Test("loads with their own expectation, and later dates, are written in place")
  func ownParts() throws {
    let text = """
      title: x
      requests:
        - { url: "https://api.example/", expect: { content: hello } }
        - { url: "https://api.example/", expect: { content: bye, path: [api] } }

      """
    let blessing = try blessing(text)
    #expect(blessing.refused.isEmpty, "\(blessing.refused)")
    #expect(
      blessing.text.hasSuffix(
        """
          - { url: "https://api.example/", expect: { content: hello } }
          - { url: "https://api.example/", expect: { unreviewed: true, content: hello, path: [api, Issuing, Root A] } }

        """), "\(blessing.text)")
    let dates = """
      title: x
      expect: { content: hello }
      timeline:
        - date: 2030-01-01
          expect: { verdict: accepted }

      """
    let later = try self.blessing(dates)
    #expect(later.refused.isEmpty, "\(later.refused)")
    #expect(
      later.text.hasSuffix(
        "    expect: { unreviewed: true, verdict: refused, layer: chain, because: [chain.expired] }\n"),
      "\(later.text)")
    #expect(later.text.contains("expect: { content: hello }\n"))
  }

  @Test(
    "a blessing that would hide a problem is refused",
    arguments: [
      (
        "title: x\nserver: { presents: [api] }\ncases: [{ name: old, with: { clock: 2030-01-01 }, expect: { verdict: refused, because: [chain.expired] } }]",
        "main", nil, "test/old"
      ),
      (
        "title: x\nexpect: { path: [api] }\ncases: [{ name: old, with: { clock: 2030-01-01 }, expect: { verdict: refused, because: [chain.no-anchor] } }]",
        "old", nil, "test"
      ),
      (
        "title: x\nnetwork: [{ alter: ServerHello, flip: 99999 }]\nexpect: { verdict: refused }", "main",
        nil, ""
      ),
      (
        "title: x\nnetwork: [eavesdrop]\nexpect: { knowledge: { eavesdropper: { knows: [master_secret] } } }", "main",
        "knowledge.eavesdropper.knows", ""
      ),
      (
        "title: x\nexpect: { content: a }\nsweep: { client.os: [iOS 9] }", "client.os = iOS 9",
        nil, ""
      ),
    ] as [(String, String, String?, String)])
  func refused(text: String, name: String, word: String?, sibling: String) throws {
    let blessing = try blessing(text, only: name)
    #expect(blessing.blessed.isEmpty && blessing.text == text)
    #expect(
      blessing.refused.map(\.word) == [word]
        && blessing.refused.allSatisfy { sibling.isEmpty || $0.reason.contains(sibling) },
      "\(blessing.refused)")
  }

  @Test("a mismatch that cannot be written is named, and everything else is still written")
  func partly() throws {
    // No connection is made, so there is no cipher suite; the row makes one and expects another path.
    let text = """
      title: x
      client: { os: iOS 10 }
      request: http://api.example/
      expect: { cipherSuite: TLS_RSA_WITH_AES_128_CBC_SHA, knowledge: { eavesdropper: { knows: [master_secret] } } }
      cases:
        - name: by https
          with: { request: "https://api.example/" }
          expect: { verdict: accepted, path: [api] }

      """
    let blessing = try blessing(text)
    #expect(blessing.blessed == ["test", "test/by https"])
    #expect(
      blessing.refused.map { "\($0.name) \($0.word ?? "")" } == [
        "test cipherSuite", "test knowledge.eavesdropper.knows",
      ], "\(blessing.refused)")
    // The remaining mismatches still fail: nothing is hidden.
    let results = try Lab.read(blessing.text).cases.map { try Lab.player.play($0).judgement }
    #expect(results.map { $0.mismatches.map(\.path) } == [["cipherSuite", "knowledge.eavesdropper.knows"], []])
    #expect(blessing.text.contains("verdict: refused") && blessing.text.contains("because: [ats.insecure-http]"))
    #expect(blessing.text.contains("cipherSuite: TLS_RSA_WITH_AES_128_CBC_SHA"), "\(blessing.text)")
    // An accepted case that still has a mismatch is not usable as a sibling.
    let leaning = """
      title: x
      request: http://api.example/
      client: { os: iOS 8 }
      expect: { cipherSuite: TLS_RSA_WITH_AES_128_CBC_SHA, content: bye }
      cases: [{ name: nine, with: { client.os: iOS 9 }, expect: { verdict: refused, because: [chain.expired] } }]

      """
    let first = try self.blessing(leaning)
    #expect(first.blessed == ["test"] && first.refused.map(\.word) == ["cipherSuite", nil], "\(first.refused)")
    let other = try self.blessing(leaning.replacing("cipherSuite: TLS_RSA_WITH_AES_128_CBC_SHA, ", with: ""))
    #expect(other.blessed == ["test", "test/nine"] && other.refused.isEmpty, "\(other.refused)")
  }

  @Test("a row without expectations gets none if only a later date has another")
  func laterDate() throws {
    let text = """
      title: x
      expect: { verdict: accepted }
      cases:
        - name: nine
          with: { client.os: iOS 9 }
      timeline:
        - date: 2030-01-01
          expect: { verdict: accepted }

      """
    let blessing = try blessing(text)
    let refused = "expect: { unreviewed: true, verdict: refused, layer: chain, because: [chain.expired] }\n"
    #expect(blessing.text == text.replacing("    expect: { verdict: accepted }\n", with: "    \(refused)"))
    #expect(blessing.blessed == ["test"] && blessing.refused.map(\.name) == ["test/nine"], "\(blessing.refused)")
    #expect(try Lab.read(blessing.text).cases.allSatisfy { try Lab.player.play($0).judgement.result == .passed })
  }

  @Test("a change is shown with the lines around it")
  func difference() {
    let old = (1...12).map(String.init).joined(separator: "\n")
    let new = old.replacing("6", with: "six")
    let shown = LineChange.changes(from: old, to: new, around: 1).map { $0?.text ?? "…" }
    #expect(shown == ["…", "  5", "- 6", "+ six", "  7"])
    #expect(LineChange.changes(from: old, to: old).isEmpty)
  }
}
