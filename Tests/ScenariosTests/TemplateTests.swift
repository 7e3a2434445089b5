import Foundation
import Scenarios
import Testing

@Suite("New scenarios")
struct TemplateTests {
  @Test(
    "a question finds the scenario that is about it",
    arguments: [
      ("why is an expired certificate refused?", "L4-04"), ("a self-signed certificate", "L3-02"),
      ("RSA key exchange under App Transport Security", "L1-15"),
    ])
  func found(question: String, id: String) throws {
    let match = QuestionMatch(question, in: try Lab.library().files())
    #expect(match.candidates.first?.file.id == id, "\(match.candidates.prefix(4).map(\.file.id))")
    #expect(match.candidates.first?.words.isEmpty == false)
  }

  @Test(
    "a question without a match finds nothing",
    arguments: ["what does a purple elephant do", "why is it refused?", "", "?"])
  func none(question: String) throws {
    #expect(QuestionMatch(question, in: try Lab.library().files()).candidates.isEmpty)
  }

  @Test("the smallest scenario is correct and canonical, and its expectations hold")
  func first() throws {
    let text = ScenarioTemplate.first
    #expect(try ScenarioFormat.text(of: Array(text.utf8), path: "x.yaml") == text)
    let file = try Lab.read(text)
    #expect(file.cases.map(\.caseName) == ["main", "the certificate has run out"])
    #expect(try file.cases.allSatisfy { try Lab.player.play($0).judgement.result == .passed })
  }

  @Test(
    "a scenario made from another plays the same, without its lesson's texts",
    arguments: ["L3-02", "L1-15", "L9-22"])
  func from(id: String) throws {
    let path = try #require(try Lab.library().path(ofID: id))
    let bytes = Array(try #require(FileManager.default.contents(atPath: path)))
    let old = try Lab.library().file(at: path)
    let text = try ScenarioTemplate.text(from: old, bytes: bytes)
    let new = try Lab.read(text, path: "mine.yaml")
    #expect(text.hasPrefix("# Made from \(id).\n"))
    #expect(new.cases.map(\.caseName) == old.cases.map(\.caseName))
    #expect(new.cases.first?.about.lesson == nil && new.cases.first?.about.before == nil)
    for scenario in new.cases { #expect(try Lab.player.play(scenario).judgement.result == .passed, "\(scenario.name)") }
  }

  @Test("a question of several lines makes a single-line title, whatever its characters")
  func title() throws {
    let path = try #require(try Lab.library().path(ofID: "L3-02"))
    let bytes = Array(try #require(FileManager.default.contents(atPath: path)))
    let text = try ScenarioTemplate.text(
      from: try Lab.library().file(at: path), bytes: bytes, question: "why: \"no\"?\n# [x]: *y")
    #expect(try Lab.read(text).cases.first?.about.title == "why: \"no\"? # [x]: *y")
  }
}
