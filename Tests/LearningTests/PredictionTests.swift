import Explanation
import Learning
import Scenarios
import Simulator
import Testing

@Suite("Questions about later steps")
struct PredictionTests {
  static let kinds: [Question.Kind] = [.verdict, .reason, .risk, .whoKnows, .order, .compute]

  @Test("exactly one option of every question is right, as another run confirms", arguments: Asking.sample)
  func oneRight(name: String) throws {
    let subject = try Asking.subject(name)
    let result = try Lab.player.play(subject.scenario)
    for student in Asking.students {
      let examiner = Examiner(player: Lab.player, student: student)
      for kind in Self.kinds {
        guard let question = try examiner.question(kind, about: subject) else { continue }
        let right = question.options.filter { Self.isRight($0, kind, result, question) }
        switch question.solution {
        case .option(let place): #expect(right == [question.options[place]], "\(kind) \(question.text)")
        case .order(let places): #expect(Self.isOrder(places.map { question.options[$0].text }, in: result))
        case .number(let number): #expect(try Self.value(question) == "\(number)", "\(question.text)")
        default: Issue.record("\(kind) has no such answer")
        }
        #expect(Set(question.options.map(\.text)).count == question.options.count)
        #expect(try examiner.grade(question.answer, to: question, about: subject).isRight)
        #expect(question.hints.count == 3 && !question.format.isEmpty)
      }
    }
  }

  @Test("no hint contains the answer", arguments: Asking.sample)
  func hints(name: String) throws {
    let examiner = Examiner(player: Lab.player, student: Student("hints"))
    let subject = try Asking.subject(name)
    for kind in Self.kinds {
      guard let question = try examiner.question(kind, about: subject) else { continue }
      var secret = question.answer
      if case .option(let place) = question.solution { secret = question.options[place].text }
      for hint in question.hints where secret.count > 2 {
        let words = hint.split { $0 == " " || $0 == "," || $0 == ":" }
        // Words such as 'possible' also occur in a rule's statement, and reveal nothing there.
        #expect(!words.contains { $0 == secret } || kind == .verdict, "\(kind): \(hint)")
      }
    }
  }

  @Test("the last hint for a multiple choice leaves two options, one of them right", arguments: Asking.sample)
  func narrowing(name: String) throws {
    let subject = try Asking.subject(name)
    for kind in [Question.Kind.reason, .risk, .whoKnows] {
      let question = try Examiner(player: Lab.player).question(kind, about: subject)
      guard let question, case .option(let right) = question.solution, question.options.count > 2 else { continue }
      let struck = question.hints[2].replacing(" and ", with: ", ").split { ", :".contains($0) }.filter {
        $0.count == 1
      }
      #expect(struck.count == question.options.count - 2 && !struck.map { "\($0)" }.contains(Question.letter(right)))
    }
  }

  @Test("hints have one form, for satisfied and for violated rules")
  func form() throws {
    var beginnings: Set<[Substring]> = []
    for name in ["L1-15", "L1-15/iOS 8 has no ATS"] {
      let question = try #require(try Examiner(player: Lab.player).question(.verdict, about: Asking.subject(name)))
      beginnings.insert(question.hints.map { $0.prefix(8) })
      #expect(question.hints.count == 3)
    }
    #expect(beginnings.count == 1, "\(beginnings)")
  }

  @Test("a number that another party has under another name is not asked for")
  func equalNumbers() throws {
    let subject = try Asking.subject("L2-01")
    for number in 0..<20 {
      let examiner = Examiner(player: Lab.player, student: Student("\(number)"))
      let question = try #require(try examiner.question(.whoKnows, about: subject))
      #expect(!question.text.contains("has m,") && !question.text.contains("has N3,"))
    }
  }

  @Test("an event that was already shown is not asked about", arguments: ["L1-15", "L0-01", "L2-02", "L1-06"])
  func spoiled(name: String) throws {
    let examiner = Examiner(player: Lab.player)
    let over = try Asking.over(name)
    for kind in Self.kinds { #expect(try examiner.question(kind, about: over) == nil, "\(kind)") }
    #expect(try examiner.question(.whoKnows, about: Asking.subject(name)) != nil)
  }

  @Test("after a refusal was shown, neither verdict nor reason is asked")
  func decided() throws {
    let examiner = Examiner(player: Lab.player)
    let steps = try Asking.over("L1-15").now.trace.steps.count
    var asked = 0
    for step in 0...steps {
      let subject = try Asking.subject("L1-15", after: step)
      let isDecided = !subject.now.outcome.verdict.because.isEmpty
      for kind in [Question.Kind.verdict, .reason] where try examiner.question(kind, about: subject) != nil {
        #expect(!isDecided && step < steps)
        asked += 1
      }
    }
    #expect(asked > 2)
  }

  @Test("the messages to be ordered stop before a refusal, so they do not reveal it")
  func order() throws { try Self.checkOrder(Asking.sample) }

  static func checkOrder(_ names: [String]) throws {
    let examiner = Examiner(player: Lab.player)
    for name in names {
      let question = try examiner.question(.order, about: Asking.subject(name))
      #expect(question?.options.contains { $0.text.hasSuffix("Alert") } != true)
    }
    #expect(try examiner.question(.order, about: Asking.subject("L1-01"))?.options.count == 5)
    #expect(try examiner.question(.order, about: Asking.subject("L1-15")) == nil)
  }

  @Test("a result that the engine does not know is not asked")
  func unknown() throws {
    // Apple does not document whether current systems still translate the old spelling.
    let text = """
      title: t
      client:
        os: iOS 17
        infoPlist: { NSExceptionDomains: { api.example: { NSTemporaryExceptionAllowsInsecureHTTPLoads: true } } }
      request: http://api.example/
      """
    let file = try Lab.read(text)
    let scenario = try #require(file.cases.first)
    let subject = Subject(scenario, of: file, at: try Lab.player.simulation(of: scenario))
    let outcome = try Lab.player.play(scenario).outcome
    let isUnknown = outcome.findings.contains { finding in
      if case .unknown = finding.confidence { return true }
      return finding.outcome == .unknown
    }
    let examiner = Examiner(player: Lab.player)
    #expect(isUnknown)
    for kind in [Question.Kind.verdict, .reason, .risk, .versions] {
      #expect(try examiner.question(kind, about: subject) == nil, "\(kind)")
    }
  }
}

// Checks of the answers by independent computation.
extension PredictionTests {
  private static func isRight(
    _ option: Question.Option, _ kind: Question.Kind, _ result: CaseResult, _ question: Question
  ) -> Bool {
    let outcome = result.outcome
    switch kind {
    case .verdict: return option.text == outcome.verdict.word.rawValue
    case .reason:
      let because = outcome.verdict.because.map(\.id)
      return option.text == "none" ? because.isEmpty : because.contains(option.text)
    case .risk:
      let goal = Goal.allCases.first { question.text.hasSuffix("(\($0.rawValue))") }
      return goal.map { outcome.goals[$0]?.rawValue == option.text } ?? false
    case .whoKnows:
      // `who has NAME, or can compute it?`, possibly with a kind before the name.
      let name = question.text.split(separator: " ").prefix { $0 != "or" }.last ?? ""
      let value = String(name.filter { !"(),".contains($0) })
      let knowing = result.simulation.parties.filter { result.simulation.knowledge(of: $0).knows(ValueName(value)) }
      let named = option.text.replacing("only ", with: "").replacing(" and ", with: ", ").split(separator: ", ")
      return named.map(String.init) == (knowing.isEmpty ? ["nobody"] : knowing.map(\.name))
    default: return false
    }
  }

  private static func isOrder(_ titles: [String], in result: CaseResult) -> Bool {
    let messages = result.simulation.trace.steps.filter { $0.kind == .message }
    let first = messages.filter { $0.connection == messages.first?.connection }.compactMap { step in
      step.message.map { "\(step.from): \($0)" }
    }
    var rest = (result.simulation.calculation?.moves.map(\.arithmetic.equation) ?? first)[...]
    return titles.allSatisfy { title in
      guard let place = rest.firstIndex(of: title) else { return false }
      rest = rest[(place + 1)...]
      return true
    }
  }

  /// Computes the number that a question of the kind `compute` asks for, with a scenario of that one step.
  private static func value(_ question: Question) throws -> String? {
    let step = question.text.dropFirst("What is ".count).dropLast()
    let given = question.given.map { $0.replacing(" = ", with: ": ") }.joined(separator: ", ")
    let names = question.given.compactMap { $0.split(separator: " ").first }.joined(separator: ", ")
    let text =
      "title: t\ncalculation:\n  given: { \(given) }\n  parties: { client: [\(names)] }\n  steps: ['\(step)']\n"
    let result = try Lab.play(text)
    return result.simulation.calculation?.quantities[ValueName(String(step.prefix { $0 != " " }))]?.description
  }
}
