import Advice
import Explanation
import Rendering
import Scenarios
import Simulator
import Trust
import URLLoading

/// The commands that make many runs, each with a different value.
extension Session {
  /// Handles `matrix os iOS 8, iOS 9`, `matrix pins AFNetworking 2.5.1, AFNetworking 3.2` and `matrix timeline`.
  func matrix(_ argument: String) throws -> Output {
    let words = argument.split(separator: " ", maxSplits: 1).map(String.init)
    let named =
      words.count > 1 ? words[1].split(separator: ",").map { $0.split(separator: " ").joined(separator: " ") } : []
    switch words.first {
    case "os": return try matrix(ofSystems: named)
    case "pins": return try matrix(ofPins: named)
    case "timeline" where named.isEmpty: return try matrixOfDates()
    default:
      throw Diagnostics(
        "'matrix' requires a kind", hint: "write matrix os iOS 8, iOS 9 or matrix pins or matrix timeline")
    }
  }

  /// Shows the attackers that the settings of each library release accept, in a separate scenario.
  private func matrix(ofPins named: [String]) throws -> Output {
    let releases = try named.map(LibraryVersion.named)
    let reader = try ScenarioLibrary.curriculum().reader
    let matrix = try PinMatrix(of: releases.isEmpty ? PinMatrix.releases : releases, by: workbench.player, reader)
    let view = PinMatrixView(matrix)
    var output = showTable(view.document())
    output.pictures.insert(("image/svg+xml", view.svg()), at: 0)
    return output
  }

  /// Shows which clients of the open scenario connect on each date.
  private func matrixOfDates() throws -> Output {
    let opened = try requireOpened()
    try refuseCalculation(opened, what: "dates")
    guard let view = PinTimelineView(try workbench.player.play(opened.scenario)) else {
      throw Diagnostics("the scenario has no timeline", hint: "open L12-20, or add a timeline")
    }
    var output = showTable(view.document())
    output.pictures.insert(("image/svg+xml", view.svg()), at: 0)
    return output
  }

  /// Varies the system. Without names, one release of each era is used.
  private func matrix(ofSystems named: [String]) throws -> Output {
    let systems =
      try named.isEmpty ? [OSVersion(.iOS, 8)] + OSVersion.eras : named.map { try OSVersion.named($0, isQuoted: false) }
    let names = systems.map(\.description).joined(separator: ", ")
    let path = ScenarioPath(segments: ["client", "os"])
    return try vary(path, names, title: "os", remarks: Self.doubts(about: systems))
  }

  /// Handles `sweep PATH VALUE, VALUE` and `sweep seed 1..20`.
  func sweep(_ argument: String) throws -> Output {
    guard let (path, values) = try Assignment.split(argument) else {
      throw Diagnostics("'sweep' requires a path and values", hint: "sweep client.os iOS 9, iOS 10")
    }
    guard !values.isEmpty else {
      throw Diagnostics("no values for \(path)", hint: "write sweep \(path) FIRST, SECOND, or a range such as 1..20")
    }
    return try vary(path, values, title: path.description)
  }

  /// Finds the smallest property list exception with which everything loads, on the named systems or those of the open
  /// scenario.
  func minimal(_ argument: String) throws -> Output {
    let opened = try requireOpened()
    try refuseCalculation(opened, what: "property list")
    // The client does not load the data that an attacker replays.
    let connections = opened.scenario.connections.filter { $0.replayed == nil }
    let named = argument.split(separator: ",").map { $0.split(separator: " ").joined(separator: " ") }
    let own = connections.map(\.client.os).reduce(into: [OSVersion]()) { if !$0.contains($1) { $0.append($1) } }
    let search = AppTransportSecurity.ExceptionSearch(
      urls: try connections.map { try LoadURL.written($0.url) },
      systems: try named.isEmpty ? own : named.map { try OSVersion.named($0, isQuoted: false) },
      loader: connections.first?.client.loader ?? .urlSession,
      site: try workbench.player.site(of: opened.scenario))
    return showTable(MinimalView(search.answer(), forAnyHost: nil, asksServers: true).document())
  }

  private func vary(
    _ path: ScenarioPath, _ text: String, title: String, remarks: Document = Document()
  ) throws -> Output {
    let opened = try requireOpened()
    let values = try Self.values(text, of: path.description)
    guard values.count <= Self.mostRuns else { throw Self.tooMany(values.count) }
    let remarks = remarks + (try Self.unmoved(by: path, in: opened.scenario.tree))
    let outcomes = workbench.player.sweep(
      path, over: values, of: opened.scenario, beside: opened.file.cases, progress: progress,
      isInterrupted: isInterrupted)
    var rows: [ComparisonView.Row] = []
    var failures: [Diagnostics] = []
    for (value, outcome) in zip(values, outcomes) {
      do throws(Diagnostics) { rows.append(.init(value.flowText, try outcome.get())) } catch {
        failures.append(error)
        rows.append(.init(value.flowText, notPlayed: error.all.first?.message ?? ""))
      }
    }
    if let failure = failures.first, failures.count == values.count {
      throw opened.file.showing(failure.showing("set \(path) = \(text)", of: Assignment.place))
    }
    var output = showTable(ComparisonView(title, rows).document() + remarks)
    // The note is printed last and without paging, so that it appears just above the prompt.
    if rows.count < values.count {
      output.text += "interrupted after \(rows.count) of \(values.count)"
      output.isPaged = false
    }
    return output
  }

  /// Returns notes about connections that set the varied value themselves and therefore keep it.
  ///
  /// - Throws: `Diagnostics` if all connections set the value themselves.
  private static func unmoved(by path: ScenarioPath, in tree: Node) throws(Diagnostics) -> Document {
    let items = tree["connections"]?.items ?? []
    guard path.segments.first == "client" else { return Document() }
    let own = items.enumerated().compactMap { place, item in item.value(at: path).map { (place, $0.flowText) } }
    guard let first = own.first else { return Document() }
    guard own.count < items.count else {
      let values = own.map(\.1).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
      throw Diagnostics(
        "every connection has its own \(path) (\(values.joined(separator: ", "))), so nothing would vary",
        hint: "vary one connection: sweep connections[\(first.0)].\(path) VALUE, VALUE")
    }
    let keeping = own.map { "connections[\($0.0)] keeps its own \(path), \($0.1), in every run" }
    return Document(keeping.map { .paragraph(RichText($0, .warning), indent: 0) })
  }

  private static let mostRuns = 1000

  private static func tooMany(_ count: Int) -> Diagnostics {
    Diagnostics(
      "\(count) runs exceed the limit of \(mostRuns)", hint: "sweep at most \(mostRuns) values, as in 1..\(mostRuns)")
  }

  /// Parses a range such as `1..20`, values such as `a, b`, or a single list.
  private static func values(_ text: String, of name: String) throws -> [Node] {
    let ends = text.components(separatedBy: "..").compactMap { Int($0) }
    let mark = SourceMark(file: Assignment.place, line: 1, column: 1)
    if ends.count == 2 {
      guard ends[0] <= ends[1] else {
        throw Diagnostics("the range \(text) is reversed", hint: "write the smaller end first: \(ends[1])..\(ends[0])")
      }
      let (span, isOverflowing) = ends[1].subtractingReportingOverflow(ends[0])
      guard !isOverflowing, span < mostRuns else { throw tooMany(isOverflowing || span == .max ? .max : span + 1) }
      return (ends[0]...ends[1]).map { .scalar(String($0), quoted: false, mark) }
    }
    let column = 5 + name.unicodeScalars.count + 3
    let list = try Assignment.value("[\(text)]", at: column - 1, line: "set \(name) = \(text)").items ?? []
    // A single list contains the values.
    return list.count == 1 ? list.first?.items ?? list : list
  }
}
