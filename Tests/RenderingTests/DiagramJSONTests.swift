import Endpoint
import Explanation
import Oracles
import Rendering
import Scenarios
import Simulator
import Testing

@Suite("The picture of a run in its JSON")
struct DiagramJSONTests {
  @Test("the text diagram of every case can be drawn from its JSON alone")
  func text() throws { try Self.check(Curriculum.tenth.map(Shown.init)) }

  static func check(_ runs: [Shown]) throws {
    for run in runs {
      let json = try run.json()
      let diagram = try #require(Diagram(json: json), "\(run.scenario.name)")
      #expect(run.text(.text).contains(diagram.document().text()), "\(run.scenario.name)")
    }
  }

  @Test("the certificate tree has every candidate path, the best first, with its findings")
  func chain() throws {
    let result = try #require(Curriculum.result("L5-10"))
    let run = RunView(result).json()
    let chain = try #require(run["chain"]?.items)
    #expect(chain.count > 1 && chain.first?["path"] == run["path"])
    #expect(chain.allSatisfy { $0["findings"]?.items?.isEmpty == false })
  }

  @Test("the cost counts bytes, round trips and operations by party")
  func cost() throws {
    let result = try #require(Curriculum.result("L1-01"))
    let cost = try #require(RunView(result).json()["cost"])
    let parties = try #require(cost["parties"]?.members)
    #expect(parties.map(\.name) == ["client", "server"])
    let sum = parties.compactMap { $0.value["bytes"]?.integer }.reduce(0, +)
    #expect(cost["bytes"]?.integer == sum && cost["roundTrips"]?.integer ?? 0 > 0)
  }
}

extension Diagram {
  /// The picture in a run's JSON.
  init?(json run: JSONValue) {
    guard let picture = run["diagram"], let lanes = picture["lanes"]?.items, let rows = picture["rows"]?.items,
      let steps = run["steps"]?.items
    else { return nil }
    self.init(
      lanes: lanes.map { Lane(Party($0["party"]?.string ?? ""), label: $0["label"]?.string ?? "") },
      servers: picture["servers"]?.items?.compactMap(\.string) ?? [],
      rows: rows.compactMap { Row(json: $0, steps) },
      results: run["connections"]?.items?.compactMap { Result(json: $0, on: $0["name"]?.string) }
        ?? [Result(json: run, on: rows.lazy.compactMap { $0["connection"]?.string }.first)].compactMap(\.self),
      isToy: run["toy"] != nil)
  }
}

extension Diagram.Result {
  fileprivate init?(json: JSONValue, on connection: String?) {
    guard let word = json["verdict"]?.string.flatMap(Verdict.Word.init) else { return nil }
    self.init(
      word, because: json["because"]?.items?.compactMap(\.string) ?? [], on: connection)
  }
}

extension Diagram.Row {
  fileprivate init?(json: JSONValue, _ steps: [JSONValue]) {
    if json["kind"] == "heading" {
      self.init(.heading(json["lines"]?.items?.compactMap(\.string) ?? []), in: json["connection"]?.string)
      return
    }
    guard let index = json["step"]?.integer, steps.indices.contains(index),
      let content = Self.content(json, index, steps[index])
    else { return nil }
    self.init(content, in: steps[index]["connection"]?.string)
  }

  private static func content(_ json: JSONValue, _ index: Int, _ step: JSONValue) -> Diagram.Content? {
    let (from, to) = (json["from"]?.integer ?? 0, json["to"]?.integer ?? 0)
    if json["kind"] == "message" {
      return .message(
        .init(
          step: index, from: from, to: to, title: step["title"]?.string ?? "",
          values: json["values"]?.items?.compactMap(\.string) ?? [], words: json["words"]?.string,
          isEncrypted: step["encrypted"] != nil,
          isIntercepted: [step["from"], step["to"]].contains("interceptor")))
    }
    if json["kind"] == "arrival" {
      let interference = step["interference"]
      guard let change = interference?["kind"]?.string.flatMap(Interference.Kind.init) else { return nil }
      return .arrival(
        .init(step: index, from: from, to: to, message: interference?["message"]?.string ?? "", change: change))
    }
    guard let kind = json["kind"]?.string.flatMap(Diagram.Note.Kind.init) else { return nil }
    let mark = json["mark"]?.string.map { Span($0, json["style"]?.string.flatMap(Span.Style.init) ?? .plain) }
    return .note(
      .init(
        kind, step: index, lane: json["lane"]?.integer ?? 0,
        text: json["text"]?.string ?? step["title"]?.string ?? "", actor: json["actor"]?.string, mark: mark))
  }
}

extension JSONValue {
  /// The elements of an array.
  var items: [JSONValue]? { if case .array(let items) = self { items } else { nil } }
  /// A string.
  var string: String? { if case .string(let text) = self { text } else { nil } }
  /// A number.
  var integer: Int? { if case .integer(let number) = self { number } else { nil } }
}
