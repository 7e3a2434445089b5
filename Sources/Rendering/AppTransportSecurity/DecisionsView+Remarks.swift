import Advice
import Explanation
import Scenarios
import Trust
import URLLoading

extension AppTransportSecurity.Decision {
  /// The objections to the decision, at which a CI run can fail.
  ///
  /// There are four kinds: a blocked load, a load that its own pins refuse, an uncertain decision, and keys that App
  /// Review asks about.
  public var objections: [(rule: Rule, severity: Remark.Severity)] {
    var found: [(rule: Rule, severity: Remark.Severity)] = []
    // The rule about plain HTTP, with the fix for this host.
    let unsettled = Rule.atsInsecureHTTP.helping(load, profile)
    if verdict != .allowed { found += (because.isEmpty ? [unsettled] : because).map { ($0, .error) } }
    if isShutOutByItsPins { found.append((.pinMismatch, .error)) }
    // A load that is not allowed is one objection, even if the decision is uncertain. Its text states the doubt.
    if verdict == .allowed, confidence != .certain { found.append((unsettled, .warning)) }
    if !appReview.isEmpty { found.append((.plistAppReview, .note)) }
    return found
  }

  private var isShutOutByItsPins: Bool { verdict == .allowed && isShutOutByPins }

  /// The key paths that require pins: entries of `NSPinnedDomains`, or the key that requires an entry.
  public var pinKeyPaths: [String] {
    lacksRequiredPins ? [AppTransportSecurity.Key.pinningRequired.name] : pinnedIdentities?.keyPaths ?? []
  }

  /// Returns the text of an objection, without a final period and without the systems.
  fileprivate func words(for rule: Rule, _ severity: Remark.Severity) -> String {
    switch (rule, severity) {
    case (.plistAppReview, _): "App Review requires a justification for \(appReview.joined(separator: ", "))"
    case (_, .warning): "the decision is not certain: \(confidence.note ?? reason)"
    case (.pinMismatch, _) where lacksRequiredPins:
      "every chain is refused, because pins are required and the host has none"
    case (.pinMismatch, _): "every chain is refused, because no usable identity is pinned"
    case _ where verdict == .unknown: "no public source documents the decision"
    default: "the load is blocked: App Transport Security is \(reason)\(doubt)"
    }
  }

  /// The uncertainty about a blocked load. The load fails nevertheless.
  private var doubt: String {
    confidence.note.map { "; TrustLab treats the load as blocked, but this is not certain: \($0)" } ?? ""
  }

  /// Returns the path of the key that causes an objection; empty if the settings as a whole cause it.
  fileprivate func keyPath(for rule: Rule) -> String {
    let path = decider == .byDefault ? "" : decidedBy
    return rule == .pinMismatch ? pinKeyPaths.first ?? path : path
  }
}

extension DecisionsView {
  /// All rules that objections can name.
  public static let rules = Rule.urlLoading + [.plistAppReview, .pinMismatch]

  /// Returns the objections in formats for other programs, each at the key that determined the decision.
  ///
  /// - Parameters:
  ///   - file: the property list with the settings.
  ///   - isFailing: whether an objection makes the build fail; nil hides the objection.
  public func report(
    on file: InfoPlistFile, isFailing: (AppTransportSecurity.Decision, Rule, Remark.Severity) -> Bool?
  ) -> RemarkReport {
    var groups: [Objection] = []
    for decision in decisions {
      for (rule, severity) in decision.objections {
        guard let isFailing = isFailing(decision, rule, severity) else { continue }
        let objection = Objection(
          url: decision.load.url.description, rule: rule, severity: severity,
          words: decision.words(for: rule, severity),
          keyPath: decision.keyPath(for: rule), systems: [decision.load.os], isFailing: isFailing)
        if let same = groups.firstIndex(where: { $0.isSame(as: objection) }) {
          groups[same].systems.append(decision.load.os)
          groups[same].isFailing = groups[same].isFailing || isFailing
        } else {
          groups.append(objection)
        }
      }
    }
    return RemarkReport(
      files: [.init(path: file.path, lines: file.lines, remarks: groups.map { $0.remark(in: file) }, obstacle: nil)],
      rules: Self.rules)
  }

  /// Returns the loads as JUnit XML, with a suite for each URL and a check for each system.
  ///
  /// A check fails if an objection makes the build fail.
  public func junit(isFailing: (AppTransportSecurity.Decision, Rule, Remark.Severity) -> Bool) -> String {
    var suites: [(url: String, cases: [JUnitReport.Case])] = []
    for decision in decisions {
      let url = decision.load.url.description
      if suites.last?.url != url { suites.append((url, [])) }
      let objections = decision.objections
      let said = objections.map { rule, severity in "[\(rule.id)] \(decision.words(for: rule, severity))" }
      let failing = objections.first { isFailing(decision, $0.rule, $0.severity) }
      let text = said.joined(separator: "\n")
      suites[suites.count - 1].cases.append(
        .init(
          name: decision.load.os.description,
          ending: failing.map {
            .failed(message: decision.words(for: $0.rule, $0.severity), type: $0.rule.id, text: text)
          } ?? .passed(said: (["\(decision.verdict.rawValue): \(decision.reason)"] + said).joined(separator: "\n"))))
    }
    return JUnitReport(suites: suites.map { .init(name: $0.url, cases: $0.cases) }).document
  }

  /// An objection to a load, and the systems on which it occurs.
  private struct Objection {
    let url: String
    let rule: Rule
    let severity: Remark.Severity
    let words: String
    let keyPath: String
    var systems: [OSVersion]
    var isFailing: Bool

    func isSame(as other: Objection) -> Bool {
      (url, rule, severity) == (other.url, other.rule, other.severity)
        && (words, keyPath) == (other.words, other.keyPath)
    }

    func remark(in file: InfoPlistFile) -> Remark {
      let message = "\(url) on \(DecisionGroup.names(systems)): \(words)"
      let advice = rule.fix.hasSuffix(".") ? String(rule.fix.dropLast()) : rule.fix
      return Remark(
        rule: rule, severity: severity, spot: file.spot(of: keyPath), message: message, advice: advice,
        text: "\(message). \(advice).", related: [], isFailing: isFailing)
    }
  }
}
