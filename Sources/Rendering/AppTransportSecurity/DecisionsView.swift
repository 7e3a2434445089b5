import Explanation
import Trust
import URLLoading

/// The decisions of App Transport Security about some loads, as text and as JSON.
public struct DecisionsView: Sendable {
  let decisions: [AppTransportSecurity.Decision]

  /// Creates a view of these decisions, grouped by URL.
  public init(_ decisions: [AppTransportSecurity.Decision]) { self.decisions = decisions }

  /// The decisions as JSON: an array with an object for each load and system.
  public func json() -> JSONValue { .array(decisions.map(\.json)) }

  /// The decisions as text: a table of URLs and systems, and the reasons. Identical decisions share their reasons.
  ///
  /// - Parameter width: the maximum number of columns in a line.
  public func document(width: Int = 80) -> Document {
    let groups = groups
    let lists = SuiteLists(decisions)
    var document = table(groups, width: width)
    document.blocks.append(.space)
    document.paragraph(
      RichText([Span("✓", .good), Span(" allowed  "), Span("✗", .bad), Span(" blocked  "), Span("?", .warning)])
        + RichText(
          " unknown; decided before any connection. Numbers refer to the reasons below\(legend)."))
    for (index, group) in groups.enumerated() {
      document.blocks.append(.space)
      let verdict = group.decision.verdict
      document.bullet(
        RichText("\(index + 1)", .strong) + " " + verdict.glyph,
        RichText(verdict.rawValue, verdict.style) + RichText(": \(group.title)"))
      document.facts(group.facts(lists), indent: 4)
    }
    document += lists.document
    document += bases
    return document
  }

  /// The explanation of the marks after the numbers in the table.
  private var legend: String {
    var marks: [String] = []
    if decisions.contains(where: { $0.confidence != .certain }) { marks.append("~ not certain") }
    if decisions.contains(where: \.isShutOutByPins) { marks.append("! refused by its pins after connecting") }
    return marks.isEmpty ? "" : " (\(marks.joined(separator: "; ")))"
  }

  /// The sources of the decisions, by system.
  private var bases: Document {
    var bases: [(basis: String, systems: [OSVersion])] = []
    for decision in decisions {
      let (basis, system) = (decision.profile.basis, decision.load.os)
      if let known = bases.firstIndex(where: { $0.basis == basis }) {
        if !bases[known].systems.contains(system) { bases[known].systems.append(system) }
      } else {
        bases.append((basis, [system]))
      }
    }
    var document = Document([.space])
    document.facts(bases.map { .init(DecisionGroup.names($0.systems), "by \($0.basis)") })
    return document
  }

  private var groups: [DecisionGroup] {
    decisions.reduce(into: []) { groups, decision in
      for index in groups.indices where groups[index].takes(decision) { return }
      groups.append(DecisionGroup(decision))
    }
  }

  /// Returns tables with as many systems as fit next to the URLs.
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
      let doubt = group.decision.confidence == .certain ? "" : "~"
      let refused = group.decision.isShutOutByPins ? "!" : ""
      return group.decision.verdict.glyph + RichText(" \(index + 1)\(doubt)\(refused)", .dim)
    }
    return "–"
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

extension AppTransportSecurity.Decision {
  /// The reason why App Transport Security is in force or not, in a few words.
  var reason: String {
    let isDefault = decider == .byDefault
    switch standing {
    case .inForce:
      if let overridingKey { return "in force: the presence of \(overridingKey.name) disables NSAllowsArbitraryLoads" }
      return isDefault ? "in force, because nothing lifts it" : "in force"
    case .lifted:
      if isDefault, load.isApplesOwn { return "lifted, as for Apple's own apps" }
      return isDefault ? "lifted by an exception that every app has" : "lifted"
    case .notApplicable(let exemption): return "not applied, because \(exemption.words)"
    }
  }

  /// The fixes for a blocked load, one for each violated rule.
  var fixes: [String] { because.map(\.fix) }
}

extension AppTransportSecurity.Profile {
  /// The sources of the system's profile, in a few words.
  fileprivate var basis: String {
    switch name {
    case .none: "documentation: App Transport Security came with iOS 9 and OS X 10.11"
    case .ios9, .ios10, .ios17: "documentation and observation; the code of these systems is closed"
    case .modern: "Apple's open source; for newer parts, documentation"
    case .documentation: "Apple's documentation, taken literally"
    }
  }
}

extension AppTransportSecurity.Decision.Exemption {
  fileprivate var words: String {
    switch self {
    case .system: "the system is older than App Transport Security"
    case .sdk: "the app is linked against an SDK older than App Transport Security"
    case .loader: "the loader is not part of the URL Loading System"
    case .localName: "the name is local"
    case .address: "the host is an address"
    case .addressOfEarlierSDK: "the host is an address, and the app is linked with an SDK before iOS 17 and macOS 14"
    case .scheme: "the URL does not use the network"
    }
  }
}

extension Finding.Confidence {
  /// The certainty in one word: `certain`, `likely`, `conflicting` or `unknown`.
  var word: String {
    switch self {
    case .certain: "certain"
    case .likely: "likely"
    case .conflicting: "conflicting"
    case .unknown: "unknown"
    }
  }
}

extension AppTransportSecurity.Decision {
  /// The decision as JSON, version 1.
  public var json: JSONValue { .object([.init("trustlab", 1)] + members) }

  /// The names of the JSON members after `trustlab`.
  public static let memberNames =
    ["url", "os", "loader", "verdict", "because", "decidedBy", "atsRequired"] + demands(ofContract: true).map(\.member)
    + ["appReview", "errors", "confidence", "notes", "reason", "basis", "fix", "delegateCannotLoosen"]
    + demands(ofContract: false).map(\.member)

  private static func demands(ofContract isOfContract: Bool) -> [AppTransportSecurity.Demand] {
    AppTransportSecurity.Demand.all.filter { $0.isOfContract == isOfContract }
  }

  /// The documented members in order, without the version. All other content of the text follows them.
  public var members: [JSONValue.Member] {
    [
      .init("url", .string(load.url.description)), .init("os", .string(load.os.description)),
      .init("loader", .string(load.loader.rawValue)), .init("verdict", .string(verdict.rawValue)),
      .init("because", .strings(because.map(\.id))), .init("decidedBy", .string(decidedBy)),
      .init("atsRequired", .boolean(isRequired)),
    ] + demandMembers(ofContract: true) + [
      .init("appReview", .strings(appReview)),
      .init("errors", .array(errors.map(\.json))), .init("confidence", .string(confidence.word)),
      .init("notes", .strings(notes.compactMap(\.note))), .init("reason", .string(reason)),
      .init("basis", .string(profile.basis)),
      .init("fix", .strings(fixes)), .init("delegateCannotLoosen", .strings(loosening.rulesThatStay.map(\.id))),
    ] + demandMembers(ofContract: false)
  }

  private func demandMembers(ofContract isOfContract: Bool) -> [JSONValue.Member] {
    Self.demands(ofContract: isOfContract).map { demand in
      let value: JSONValue =
        switch demand.content {
        case .version(let path): .optional(self[keyPath: path]?.description)
        case .cipherSuites(let path): self[keyPath: path].map { .strings($0.map(\.name)) } ?? .null
        case .flag(_, let path): .boolean(self[keyPath: path])
        case .niapPackage(let path): .optional(self[keyPath: path]?.rawValue)
        case .pins(let path): self[keyPath: path]?.json ?? .null
        }
      return .init(demand.member, value)
    }
  }
}

extension AppTransportSecurity.PinnedIdentities {
  /// The SHA-256 hashes of the keys in hexadecimal; null for a list without requirements.
  fileprivate var json: JSONValue {
    func list(_ hashes: [[UInt8]]?) -> JSONValue { hashes.map { .strings($0.map(Hex.string)) } ?? .null }
    return ["leaf": list(leaf), "authorities": list(authorities), "keys": .strings(keyPaths)]
  }
}
