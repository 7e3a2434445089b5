import Explanation
import Scenarios
import Trust
import URLLoading

/// The possible meanings of a line in a device's log, for one load of an app if it is known.
public struct LogLineView: Sendable {
  private let line: LogLine
  private let decision: AppTransportSecurity.Decision?
  private let configuration: AppTransportSecurity.Configuration
  private let plist: String?

  /// Creates a view of the errors in `line`. `decision` is the decision of `configuration` about the load; nil if the
  /// load is unknown.
  ///
  /// `plist` is the name of the configuration's file; nil if there is no file.
  public init(
    _ line: LogLine, decision: AppTransportSecurity.Decision?,
    by configuration: AppTransportSecurity.Configuration = .empty, plist: String? = "Info.plist"
  ) {
    self.line = line
    self.decision = decision
    self.configuration = configuration
    self.plist = plist
  }

  /// Returns the errors with their possible meanings for this load, and the excluded meanings.
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
    if !others.isEmpty { document.paragraph("excluded for this plist and host", indent: 2) }
    for (situation, obstacle) in others {
      document.bullet(RichText("·", .dim), RichText(situation.id, .name) + RichText(": \(obstacle)"), indent: 4)
    }
    if let decision, !possible.isEmpty, possible.contains(where: \.isAboutATS) { document += ways(decision) }
    return document
  }

  /// Returns the failed checks that the line names.
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

  /// Returns the heading above the situations; nil if there are none and the line names failed checks.
  private func heading(
    _ possible: [AppError.Situation], _ others: [(AppError.Situation, String)]
  ) -> String? {
    if !possible.isEmpty { return "possible meanings" }
    guard line.causes.isEmpty else { return nil }
    return others.isEmpty
      ? "only the name and the number are known: no report shows when an app gets this error"
      : "no known situation matches"
  }

  /// Returns the view as JSON. `load` is null if no load is known.
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
    case .allowed: "App Transport Security allows this load and every redirect \(by)"
    case .notSecure: "the load is not over https"
    case .proxyResponse: "for an http URL, the app receives the proxy's response"
    case .otherCode: "\(decision.load.os) reports another code"
    case .pinsNotRead: "\(decision.load.os) ignores the plist's pins: they apply since iOS 14 and macOS 11"
    case .notPinned: "the plist has no pins for this host"
    }
  }

  /// Returns the meaning of a situation for this load; empty if the situation itself is specific enough.
  private func restriction(of situation: AppError.Situation) -> String {
    guard situation.id == "blocked-load", let decision, decision.verdict != .blocked else { return "" }
    return "this load itself is allowed, but a redirect leads to a blocked load, whose host is HOST"
  }

  private func standing(_ decision: AppTransportSecurity.Decision) -> String {
    let likeness = decision.load.os.family.isBesideIOS ? decision.profile.releaseDoubt?.note : nil
    let by = "by \(decision.decidedBy)" + (likeness.map { " (\($0))" } ?? "")
    if decision.verdict == .blocked { return "blocks the load, \(by)" }
    return decision.isRequired ? "in force, \(by)" : "not in force, \(by)"
  }

  /// Returns the commands that print the requirements of App Transport Security for this load.
  private func ways(_ decision: AppTransportSecurity.Decision) -> Document {
    var document = Document()
    var url = decision.load.url.description
    if url.contains(" ") { url = "'\(url)'" }
    let file = plist.map { $0.contains(" ") ? "--plist '\($0)' " : "--plist \($0) " } ?? ""
    document.paragraph("next steps", indent: 2)
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
