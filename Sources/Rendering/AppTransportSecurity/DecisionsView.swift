import TLS
import Trust
import URLLoading

/// What App Transport Security decides about some loads, as text and as JSON.
public struct DecisionsView: Sendable {
  private let decisions: [AppTransportSecurity.Decision]

  /// A view of these decisions, the systems of each URL together.
  public init(_ decisions: [AppTransportSecurity.Decision]) { self.decisions = decisions }

  /// The decisions as JSON: an array with an object for each load on each system.
  public func json() -> JSONValue { .array(decisions.map(\.json)) }

  /// A table of URLs by systems, and below it why, once for all loads that are decided alike.
  ///
  /// - Parameter width: how many columns a line may have.
  public func document(width: Int = 80) -> Document {
    let groups = groups
    var document = table(groups, width: width)
    document.blocks.append(.space)
    document.paragraph(
      RichText([Span("✓", .good), Span(" allowed  "), Span("✗", .bad), Span(" blocked  "), Span("?", .warning)])
        + RichText(" unknown; before any connection, each for the reason of its number."))
    let lists = suiteLists(groups)
    for (index, group) in groups.enumerated() {
      document.blocks.append(.space)
      let verdict = group.decision.verdict
      document.bullet(
        RichText("\(index + 1)", .strong) + " " + verdict.glyph,
        RichText(verdict.rawValue, verdict.style) + RichText(": \(group.title)"))
      document.facts(group.facts(suites: lists.first { $0.suites == group.suites }?.caption), indent: 4)
    }
    for list in lists {
      document.blocks.append(.space)
      document.paragraph(RichText("List \(list.name)", .strong) + RichText(", in the order of the offer:"))
      document.paragraph("\(list.suites.map(\.name).joined(separator: ", "))", indent: 4)
      for note in list.notes { document.paragraph("\(note.systems.joined(separator: ", ")): \(note.note)", indent: 4) }
    }
    return document
  }

  private var groups: [DecisionGroup] {
    decisions.reduce(into: []) { groups, decision in
      for index in groups.indices where groups[index].takes(decision) { return }
      groups.append(DecisionGroup(decision))
    }
  }

  /// Blocks of as many systems as fit beside the URLs.
  private func table(_ groups: [DecisionGroup], width: Int) -> Document {
    var systems: [OSVersion] = []
    for decision in decisions where !systems.contains(decision.load.os) { systems.append(decision.load.os) }
    var urls: [String] = []
    for decision in decisions where !urls.contains(decision.load.url.description) {
      urls.append(decision.load.url.description)
    }
    let widest = min(urls.map { DisplayWidth.of($0) }.max() ?? 0, max(20, width / 2))
    var document = Document()
    var rest = systems[...]
    while !rest.isEmpty {
      var used = widest
      let block = rest.prefix { system in
        used += 2 + max(5, system.description.count)
        return used <= width
      }
      let shown = block.isEmpty ? rest.prefix(1) : block
      if !document.blocks.isEmpty { document.blocks.append(.space) }
      let rows = urls.map { url in [RichText(url)] + shown.map { cell(url, $0, groups) } }
      document.blocks.append(.table(header: [""] + shown.map { "\($0.description)" }, rows: rows, indent: 0))
      rest = rest.dropFirst(shown.count)
    }
    return document
  }

  private func cell(_ url: String, _ system: OSVersion, _ groups: [DecisionGroup]) -> RichText {
    for (index, group) in groups.enumerated()
    where group.decisions.contains(where: { $0.load.url.description == url && $0.load.os == system }) {
      return group.decision.verdict.glyph + RichText(" \(index + 1)", .dim)
    }
    return "–"
  }

  private struct SuiteList {
    let name: String
    let suites: [CipherSuite]
    /// How well known it is that these systems have it.
    var notes: [(systems: [String], note: String)] = []
    var caption: String { "\(suites.count), list \(name)" }
  }

  /// The lists that secure loads are offered with, each once: A, B, …
  private func suiteLists(_ groups: [DecisionGroup]) -> [SuiteList] {
    var lists: [SuiteList] = []
    for group in groups {
      guard let suites = group.suites else { continue }
      let letter = UnicodeScalar(UInt8(ascii: "A") + UInt8(min(lists.count, 25)))
      if !lists.contains(where: { $0.suites == suites }) { lists.append(SuiteList(name: "\(letter)", suites: suites)) }
      guard let index = lists.firstIndex(where: { $0.suites == suites }) else { continue }
      for decision in group.decisions {
        guard let note = decision.requirements?.confidence.note else { continue }
        let system = decision.load.os.description
        if let known = lists[index].notes.firstIndex(where: { $0.note == note }) {
          if !lists[index].notes[known].systems.contains(system) { lists[index].notes[known].systems.append(system) }
        } else {
          lists[index].notes.append(([system], note))
        }
      }
    }
    return lists
  }
}

extension AppTransportSecurity.Decision.Verdict {
  var style: Span.Style {
    switch self {
    case .allowed: .good
    case .blocked: .bad
    case .unknown: .warning
    }
  }

  var glyph: RichText {
    switch self {
    case .allowed: RichText("✓", style)
    case .blocked: RichText("✗", style)
    case .unknown: RichText("?", style)
    }
  }
}
