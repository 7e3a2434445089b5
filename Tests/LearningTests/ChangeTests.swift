import Scenarios
import Simulator
import Testing

@testable import Learning

@Suite("Questions about changes")
struct ChangeTests {
  private let examiner = Examiner(player: Lab.player)

  /// A case or two of each lesson, because a choice of lines takes many runs to check.
  static let sample = [
    "L0-06", "L1-02", "L1-15", "L2-02", "L3-01", "L4-02", "L5-01", "L7-01", "L8-01", "L9-04", "L11-02", "L12-01",
  ]

  private func aim(_ question: Question) -> Aim? {
    if case .change(_, let aim) = question.solution { return aim }
    return nil
  }

  @Test(
    "one line changes the result, and any line that changes it is right",
    arguments: ["L1-15", "L0-06", "L4-01", "L2-02", "L3-01", "L1-14"])
  func flip(name: String) throws {
    let subject = try Asking.over(name)
    let question = try #require(try examiner.question(.flip, about: subject))
    let grade = try examiner.grade(question.answer, to: question, about: subject)
    #expect(grade.isRight, "\(question.answer)")
    #expect(grade.remarks.contains { $0.shows("accepted") || $0.shows("refused") })
    let nothing = subject.scenario.calculation == nil ? "client.alpn = [http/1.1]" : "calculation.given.e = 17"
    #expect(try !examiner.grade(nothing, to: question, about: subject).isRight)
  }

  @Test("exactly one of the offered lines reaches the aim", arguments: sample)
  func options(name: String) throws {
    let subject = try Asking.over(name)
    for student in Asking.students {
      let examiner = Examiner(player: Lab.player, student: student)
      guard let question = try examiner.question(.flip, about: subject) else { continue }
      let right = try question.options.indices.filter { place in
        try examiner.grade(Question.letter(place), to: question, about: subject).isRight
      }
      #expect(right.map { question.options[$0].text } == [question.answer], "\(question.options.map(\.text))")
      #expect((2...4).contains(question.options.count))
    }
  }

  /// The texts of a value, with its lists and maps, but without quotation marks.
  private func texts(_ node: Node) -> [String] {
    switch node {
    case .scalar(let text, _, _): [text]
    case .list(let items, _): ["["] + items.flatMap(texts) + ["]"]
    case .map(let entries, _): ["{"] + entries.flatMap { [$0.key] + texts($0.value) } + ["}"]
    }
  }

  @Test("every line that can be offered is read as the same change")
  func readable() throws {
    let cases = Dictionary(grouping: try ScenarioLibrary.curriculum().files().flatMap(\.cases), by: \.id)
    var count = 0
    for siblings in cases.values {
      guard let main = siblings.first else { continue }
      for (base, other) in siblings.dropFirst().flatMap({ [(main, $0), ($0, main)] }) {
        guard let line = Assignment(from: base, to: other) else { continue }
        let read = try Assignment(reading: line.description)
        #expect(read.path == line.path && texts(read.value) == texts(line.value), "\(line)")
        count += 1
      }
    }
    #expect(count > 1000)
  }

  @Test("a limit of the program is no answer", arguments: sample)
  func limits(name: String) throws {
    guard let question = try examiner.question(.flip, about: Asking.over(name)) else { return }
    #expect(question.answer != "server.versions = [TLSv1.0]" || name == "L1-03", "\(question.answer)")
  }

  @Test("a change that works by harm says so first, and where the runs diverge")
  func price() throws {
    let subject = try Asking.over("L0-06")
    let question = try #require(try examiner.question(.flip, about: subject))
    #expect(aim(question) == .accepted)
    let unsafe = try examiner.grade(
      "client.infoPlist = { NSAllowsArbitraryLoads: true }", to: question, about: subject)
    #expect(unsafe.isRight && unsafe.remarks.first?.contains("eavesdropping") == true)
    #expect(unsafe.parting.map { $0.before.count != $0.after.count } == true)
    let safe = try examiner.grade("set request = https://api.example/", to: question, about: subject)
    #expect(safe.isRight && !safe.remarks.contains { $0.contains("eavesdropping") })
  }

  @Test("if only the eavesdropper reads, a leaked secret is right, a broken identity wrong")
  func overheard() throws {
    let subject = try Asking.over("L1-14")
    let students = Asking.students + (0..<12).map { Student("\($0)") }
    let questions = students.lazy.compactMap { student in
      try? Examiner(player: Lab.player, student: student).question(.flip, about: subject)
    }
    let question = try #require(questions.first { aim($0) == .overheard })
    #expect(try examiner.grade(question.answer, to: question, about: subject).isRight)
    let plain = "client = { os: iOS 8 }"
    #expect(try !examiner.grade(plain, to: question, about: subject).isRight)
  }

  @Test("an unreadable answer is not wrong, and gets the correct form as hint")
  func unreadable() throws {
    let subject = try Asking.over("L1-15")
    let flip = try #require(try examiner.question(.flip, about: subject))
    for answer in ["", "z", "client.os", "client..os = iOS 8", "client.os = {", "client.oss = iOS 8", "x = [", "= ="] {
      #expect(throws: Diagnostics.self, "\(answer)") { try examiner.grade(answer, to: flip, about: subject) }
    }
    let verdict = try #require(try examiner.question(.verdict, about: Asking.subject("L1-15")))
    for answer in ["", "z", "a 4", "a b c", "ab", "accept"] {
      #expect(throws: Diagnostics.self, "\(answer)") { try examiner.grade(answer, to: verdict, about: subject) }
    }
    #expect(try examiner.grade("refused 3", to: verdict, about: subject).confidence == 3)
  }

  @Test("the smallest exception is judged by playing", arguments: ["L1-15", "L0-06"])
  func minimal(name: String) throws {
    let subject = try Asking.over(name)
    let question = try #require(try examiner.question(.minimal, about: subject))
    func remark(_ answer: String) throws -> (Bool, String) {
      let grade = try examiner.grade(answer, to: question, about: subject)
      return (grade.isRight, grade.remarks.first ?? "")
    }
    #expect(try remark(question.answer).0)
    let open = try remark("{ NSAllowsArbitraryLoads: true }")
    #expect(!open.0 && !open.1.isEmpty && !open.1.contains("NSIncludesSubdomains"))
    #expect(try remark("{}").0 == false)
    let key = name == "L1-15" ? "NSExceptionRequiresForwardSecrecy: false" : "NSExceptionAllowsInsecureHTTPLoads: true"
    let double = "{ NSExceptionDomains: { api.example: { NSIncludesSubdomains: true, \(key) } } }"
    let doubled = try remark(double)
    #expect(!doubled.0 && doubled.1.contains("NSIncludesSubdomains"))
  }

  @Test("the examples for rows and orders are not the answers", arguments: Asking.sample)
  func letters(name: String) throws {
    let subject = try Asking.subject(name)
    for kind in [Question.Kind.versions, .order] {
      guard let question = try examiner.question(kind, about: subject) else { continue }
      #expect(!question.format.contains("answer \(question.answer)"))
    }
  }

  @Test("each system's verdict is that of a played run", arguments: ["L1-15", "L0-06", "L9-04"])
  func versions(name: String) throws {
    let subject = try Asking.subject(name)
    let question = try #require(try examiner.question(.versions, about: subject))
    let path = try #require(ScenarioPath("client.os"))
    let mark = subject.scenario.tree.mark
    let row = try VersionsQuestion.systems.map { system in
      let changed = try subject.scenario.changing(path, to: .scalar(system, quoted: false, mark))
      return try Lab.player.play(changed).outcome.verdict.word
    }
    #expect(question.solution == .row(row))
    #expect(try examiner.grade(question.answer, to: question, about: subject).isRight)
    let wrong = String(question.answer.map { $0 == "a" ? "r" : "a" })
    #expect(try examiner.grade(wrong, to: question, about: subject).remarks == ["0 of 5 letters are right."])
  }
}
