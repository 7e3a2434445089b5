import Explanation
import Scenarios
import Trust
import URLLoading

/// What a line of a device's log can mean, for one load of one app where that is known.
public struct LogLineView: Sendable {
  private let line: LogLine
  private let decision: AppTransportSecurity.Decision?
  private let configuration: AppTransportSecurity.Configuration
  private let plist: String?

  /// The errors of `line`, of a load about which `decision` was taken by `configuration`; nil where no load is known.
  ///
  /// The configuration stands in the file called `plist`; nil where it stands in none.
  public init(
    _ line: LogLine, decision: AppTransportSecurity.Decision?,
    by configuration: AppTransportSecurity.Configuration = .empty, plist: String? = "Info.plist"
  ) {
    self.line = line
    self.decision = decision
    self.configuration = configuration
    self.plist = plist
  }

  /// The errors, what they can mean here, and what they cannot.
  public func document() -> Document {
    var document = Document()
    var facts: [Document.Fact] = line.errors.map { error in
      .init("error", "\(error.description) \(error.name)" + (error.situations.isEmpty ? ": \(error.meaning)" : ""))
    }
    if let decision {
      facts.append(.init("load", "\(decision.load.url.description) on \(decision.load.os.description)"))
      facts.append(.init("ATS", RichText(standing(decision))))
    }
    document.facts(facts, indent: 2)
    document += causes()
    let (possible, others) = sorted
    if let heading = heading(possible, others) { document.paragraph(RichText(heading), indent: 2) }
    for situation in possible {
      document.bullet(RichText("·", .dim), RichText(situation.id, .name), indent: 4)
      document.facts(
        [
          .init("what", "\(situation.description)"), .init("here", RichText(restriction(of: situation))),
          .init("on", "\(situation.systems)"),
          .init("known", "\(situation.confidence.note ?? "certain")"), .init("to do", "\(situation.advice)"),
        ], indent: 8)
    }
    if !others.isEmpty { document.paragraph("cannot be, for this plist and host", indent: 2) }
    for (situation, obstacle) in others {
      document.bullet(RichText("·", .dim), RichText(situation.id, .name) + RichText(": \(obstacle)"), indent: 4)
    }
    if let decision, !possible.isEmpty, possible.contains(where: \.isAboutATS) { document += ways(decision) }
    return document
  }

  /// The checks that failed by the line's own words.
  private func causes() -> Document {
    var document = Document()
    if line.causes.isEmpty { return document }
    document.paragraph("failed", indent: 2)
    for cause in line.causes {
      document.bullet(RichText("·", .dim), RichText(cause.name, .name), indent: 4)
      document.facts(
        [
          .init("what", "\(cause.meaning)"), .init("fix", "\(cause.fix)"),
          .init("rules", "\(cause.rules.joined(separator: ", "))"),
        ], indent: 8)
    }
    return document
  }

  /// What comes above the situations; nil if there are none and the checks say what failed.
  private func heading(
    _ possible: [AppError.Situation], _ others: [(AppError.Situation, String)]
  ) -> String? {
    if !possible.isEmpty { return "can mean" }
    guard line.causes.isEmpty else { return nil }
    return others.isEmpty
      ? "known by name and number: no report says when an app sees it" : "nothing that is known fits"
  }

  /// The same as JSON: `load` is null where no load is known.
  public func json() -> JSONValue {
    let (possible, others) = sorted
    return [
      "trustlab": 1, "errors": .array(line.errors.map(\.json)), "causes": .array(line.causes.map { Self.json($0) }),
      "load": decision.map { decision in
        [
          "url": .string(decision.load.url.description), "os": .string(decision.load.os.description),
          "ats": .string(standing(decision)),
        ]
      } ?? .null,
      "canMean": .array(
        possible.map { situation in
          [
            "id": .string(situation.id), "what": .string(situation.description),
            "here": .string(restriction(of: situation)), "on": .string(situation.systems),
            "known": .string(situation.confidence.note ?? "certain"), "advice": .string(situation.advice),
          ]
        }),
      "cannotBe": .array(others.map { ["id": .string($0.0.id), "because": .string($0.1)] }),
    ]
  }

  private static func json(_ cause: LogLine.Cause) -> JSONValue {
    [
      "name": .string(cause.name), "what": .string(cause.meaning), "rules": .strings(cause.rules),
      "advice": .string(cause.fix),
    ]
  }

  private var sorted: (possible: [AppError.Situation], others: [(AppError.Situation, String)]) {
    var (possible, others): ([AppError.Situation], [(AppError.Situation, String)]) = ([], [])
    for situation in line.situations {
      if let decision, let exclusion = situation.exclusion(under: decision, by: configuration) {
        others.append((situation, Self.words(exclusion, decision)))
      } else {
        possible.append(situation)
      }
    }
    return (possible, others)
  }

  private static func words(
    _ exclusion: AppError.Situation.Exclusion, _ decision: AppTransportSecurity.Decision
  ) -> String {
    let by = "(\(decision.decidedBy))"
    return switch exclusion {
    case .inForce: "App Transport Security is in force for this load \(by)"
    case .notInForce: "App Transport Security is not in force for this load \(by)"
    case .blocked: "App Transport Security blocks this load before anything is sent \(by)"
    case .allowed: "App Transport Security lets this load pass, and any that a redirect leads to \(by)"
    case .notSecure: "the load is not over https"
    case .proxyResponse: "of an http URL the app gets the proxy's response"
    case .otherCode: "\(decision.load.os) shows another code"
    case .pinsNotRead: "\(decision.load.os) reads no pins of the plist: they count since iOS 14 and macOS 11"
    case .notPinned: "the plist pins nothing for this host"
    }
  }

  /// What a situation comes to for this load alone; empty where it is all that it says.
  private func restriction(of situation: AppError.Situation) -> String {
    guard situation.id == "blocked-load", let decision, decision.verdict != .blocked else { return "" }
    return "this load itself passes: what is blocked is one that a redirect leads to, and HOST is its host"
  }

  private func standing(_ decision: AppTransportSecurity.Decision) -> String {
    let likeness = decision.load.os.family.isBesideIOS ? decision.profile.releaseDoubt?.note : nil
    let by = "by \(decision.decidedBy)" + (likeness.map { " (\($0))" } ?? "")
    if decision.verdict == .blocked { return "blocks the load, \(by)" }
    return decision.isRequired ? "in force, \(by)" : "not in force, \(by)"
  }

  /// What App Transport Security demands of this load, which is where to look next.
  private func ways(_ decision: AppTransportSecurity.Decision) -> Document {
    var document = Document()
    var url = decision.load.url.description
    if url.contains(" ") { url = "'\(url)'" }
    let file = plist.map { $0.contains(" ") ? "--plist '\($0)' " : "--plist \($0) " } ?? ""
    document.paragraph("look further", indent: 2)
    for command in [
      "trustlab ats decide \(file)--url \(url) --os \"\(decision.load.os)\"",
      "trustlab ats diagnostics \(url)",
    ] { document.bullet(RichText("·", .dim), RichText(command), indent: 4) }
    return document
  }
}

extension AppError.Situation {
  fileprivate var isAboutATS: Bool {
    ["blocked-load", "trust-under-ats", "no-common-offer", "alert-from-server"].contains(id)
  }
}
