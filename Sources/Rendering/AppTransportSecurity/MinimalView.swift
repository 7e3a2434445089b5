import Advice
import Explanation
import Trust
import URLLoading

/// The smallest App Transport Security exception for some loads, as text and as JSON.
public struct MinimalView: Sendable {
  let result: AppTransportSecurity.ExceptionAnswer
  let forAnyHost: AppTransportSecurity.ExceptionAnswer?
  let asksServers: Bool

  /// Creates a view of a result.
  ///
  /// - Parameters:
  ///   - result: the smallest exception.
  ///   - forAnyHost: the smallest exception for unknown hosts.
  ///   - asksServers: whether servers were queried.
  public init(
    _ result: AppTransportSecurity.ExceptionAnswer, forAnyHost: AppTransportSecurity.ExceptionAnswer? = nil,
    asksServers: Bool = true
  ) {
    self.result = result
    self.forAnyHost = forAnyHost
    self.asksServers = asksServers
  }

  /// The exception as text, with the result of every load on every system with and without it.
  public func document() -> Document {
    var document = answer
    if let forAnyHost, forAnyHost.outcome == .exception, forAnyHost.dictionary != result.dictionary {
      document.heading("For a browser, which loads from any host")
      document += MinimalView(forAnyHost).answer
    }
    document.heading("Before and after")
    document.blocks.append(.table(header: ["", "on", "before", "after"], rows: rows, indent: 2))
    if !asksServers, result.loads.contains(where: \.url.isSecure) {
      document.blocks.append(.space)
      document.paragraph(
        "The result covers only decisions before a connection. To also cover the requirements of servers, such as an "
          + "old version of TLS, add --scenario FILE with these servers.")
    }
    return document
  }

  /// The text about the exception alone.
  var answer: Document {
    switch result.outcome {
    case .notNeeded: notNeeded
    case .exception: exception
    case .impossible: impossible
    }
  }

  private var notNeeded: Document {
    let isOpen = result.loads.contains(where: \.before.isUncertain)
    var document = Document([
      isOpen
        ? .bullet(RichText("?", .warning), "Probably no exception is needed.", indent: 0)
        : .bullet(RichText("✓", .good), "No exception is needed.", indent: 0)
    ])
    addNotes(to: &document)
    return document
  }

  private func addNotes(to document: inout Document) {
    for note in notes { document.bullet("?", RichText(note)) }
  }

  private var exception: Document {
    var document = Document([.preformatted(plist.map { RichText($0) }, indent: 4), .space])
    for reason in result.reasons {
      document.bullet("•", RichText(reason.key.name, .name) + RichText(": \(reason.cost)"))
      document.facts(
        [
          .init("needed", RichText(reason.need)),
          .init("App Review", RichText(reason.isReviewed ? "requires a justification" : "requires no justification")),
        ], indent: 2)
    }
    for host in hostsThatKeepAll {
      document.bullet(
        "•",
        RichText(host, .name)
          + ": its entry is empty, so every requirement stays. The keys for all domains do not weaken a listed domain.")
    }
    if let range = result.coveringRange {
      document.bullet(
        "•",
        RichText("Since iOS 17 and macOS 14, one entry can cover these addresses: ") + RichText(range.text, .name)
          + RichText(". It contains \(range.count) addresses, including some that you did not name."))
    }
    addNotes(to: &document)
    if let surer = result.surer {
      document.bullet("•", "This wider exception depends on fewer uncertain points. Try the one above first:")
      document.blocks += [.space, .preformatted(Self.plist(surer).map { RichText($0) }, indent: 4)]
    }
    return document
  }

  /// The hosts with entries that weaken no protection.
  private var hostsThatKeepAll: [String] {
    let entries = result.dictionary[.exceptionDomains]?.dictionary?.entries ?? []
    return entries.filter { $0.value.dictionary?.entries.isEmpty == true }.map(\.key)
  }

  private var impossible: Document {
    var document = Document()
    document.bullet(
      RichText("✗", .bad),
      result.isOpen
        ? "No exception is known to help: even with NSAllowsArbitraryLoads, a load probably fails."
        : "No exception can help: even with NSAllowsArbitraryLoads, a load fails. App Transport Security is not the "
          + "cause, or not the only one.")
    var seen: [String] = []
    for load in result.hopeless {
      document.bullet(
        "•", RichText("\(load.url) on \(load.os): ") + RichText(load.after.reason, .name))
      for rule in load.after.because where !seen.contains(rule.id) {
        seen.append(rule.id)
        document.facts([.init("fix", RichText(rule.fix))], indent: 2)
      }
    }
    addNotes(to: &document)
    return document
  }

  /// The XML fragment for an Info.plist.
  var plist: [String] { result.outcome == .exception ? Self.plist(result.dictionary) : [] }

  private static func plist(_ dictionary: PropertyList.Dictionary) -> [String] {
    dictionary.xmlLines(asValueOf: AppTransportSecurity.Key.appTransportSecurity.name)
  }

  /// Notes about uncertainties of the exception, and of the loads without it.
  var notes: [String] {
    result.loads.flatMap { load -> [String] in
      let after = load.after.confidence.note
      let before = load.before.confidence.note
      return [
        after.map { "\(load.os): \($0)" }, before == after ? nil : before.map { "\(load.os), without it: \($0)" },
      ].compactMap(\.self)
    }.reduce(into: []) { notes, note in
      if !notes.contains(note) { notes.append(note) }
    }
  }

  private var rows: [[RichText]] {
    result.loads.map { load in
      let after = result.outcome == .impossible ? "–" : load.after.cell
      return [RichText(load.url.description), RichText(load.os.description), load.before.cell, after]
    }
  }
}

extension AppTransportSecurity.LoadResult {
  /// A glyph that shows whether the load passes.
  var cellGlyph: RichText {
    if passes && isUncertain { return RichText("?", .warning) }
    return passes ? RichText("✓", .good) : RichText("✗", .bad)
  }

  /// Whether the load passes, and the reason if it does not.
  var words: String {
    if passes { return isUncertain ? "probably passes" : "passes" }
    let rules = because.map(\.id).filter { !reason.contains($0) }
    let why = reason + (rules.isEmpty ? "" : " (\(rules.joined(separator: ", ")))")
    return (isUncertain ? "probably fails: " : "fails: ") + why
  }

  /// The glyph with the reason.
  fileprivate var cell: RichText {
    if passes {
      return isUncertain
        ? RichText("?", .warning) + " probably passes" : RichText("✓", .good) + " passes"
    }
    return RichText("✗", .bad) + RichText(" \(reason)\(isUncertain ? " ?" : "")")
  }
}

extension AppTransportSecurity.ExceptionAnswer.Reason {
  /// The failures that occur without the key.
  var need: String {
    let rules = because.isEmpty ? "" : ": \(because.map(\.id).joined(separator: ", "))"
    let forTheEntry =
      "on \(systemsForTheEntry.map(\.description).joined(separator: ", ")) only because the entry replaces the "
      + "settings that let the load pass without an exception"
    guard !systems.isEmpty else {
      if !systemsForTheEntry.isEmpty { return forTheEntry + rules }
      if !carries.isEmpty {
        return "allows the loads on \(carries.map(\.description).joined(separator: ", ")): this key disables "
          + "NSAllowsArbitraryLoads there, which would otherwise allow all loads"
      }
      return "no load needs this key, but it disables NSAllowsArbitraryLoads on systems that know the key, so that App "
        + "Transport Security applies to more loads"
    }
    return "without an exception, a load fails on \(systems.map(\.description).joined(separator: ", "))\(rules)"
      + (systemsForTheEntry.isEmpty ? "" : "; \(forTheEntry)")
  }
}

extension MinimalView {
  /// The result as JSON, version 1.
  public func json() -> JSONValue {
    let other: JSONValue = forAnyHost.map { .object(MinimalView($0).members) } ?? .null
    return .object(
      [.init("trustlab", 1)] + members + [.init("forAnyHost", other), .init("asksServers", .boolean(asksServers))])
  }

  /// The JSON members of a result in order, without the version.
  var members: [JSONValue.Member] {
    [
      .init("outcome", .string(result.outcome.rawValue)),
      .init("dictionary", PropertyList.dictionary(result.dictionary).json),
      .init("plist", plist.isEmpty ? .null : .string(plist.joined(separator: "\n"))),
      .init("keys", .array(result.reasons.map(\.json))), .init("appReview", .strings(result.appReview)),
      .init("range", .optional(result.coveringRange?.text)),
      .init("surer", result.surer.map { PropertyList.dictionary($0).json } ?? .null),
      .init("loads", .array(result.loads.map(\.json))), .init("unknown", .strings(notes)),
    ]
  }
}

extension AppTransportSecurity.ExceptionAnswer.Reason {
  fileprivate var json: JSONValue {
    [
      "keyPath": .strings(keyPath), "value": value.json, "weakens": .string(cost),
      "because": .strings(because.map(\.id)), "systems": .strings(systems.map(\.description)),
      "systemsForTheEntry": .strings(systemsForTheEntry.map(\.description)),
      "appReview": .boolean(isReviewed),
    ]
  }
}

extension AppTransportSecurity.ExceptionAnswer.Load {
  fileprivate var json: JSONValue {
    [
      "url": .string(url.description), "os": .string(os.description), "before": before.json, "after": after.json,
    ]
  }
}

extension AppTransportSecurity.LoadResult {
  var json: JSONValue {
    [
      "passes": .boolean(passes), "because": .strings(because.map(\.id)),
      "errors": .array(errors.map(\.json)),
      "failingURL": .optional(failingURL?.description), "confidence": .string(confidence.note ?? "certain"),
    ]
  }
}
