import Advice
import Explanation
import Trust
import URLLoading

/// The results of `ats diagnostics`: the transcript of Apple's tool, and an interpretation.
public struct DiagnosticsView: Sendable {
  let diagnostics: AppTransportSecurity.Diagnostics

  /// Creates a view of these results.
  public init(_ diagnostics: AppTransportSecurity.Diagnostics) { self.diagnostics = diagnostics }

  /// The text after the transcript: the interpretation, the reasons of failures, the smallest exception, and
  /// uncertainties.
  public func document() -> Document {
    var document = Document()
    if !diagnostics.interpretations.isEmpty { document.heading("Interpretation") }
    for interpretation in diagnostics.interpretations {
      document.bullet("•", RichText(interpretation.sentence(diagnostics.url.host)))
    }
    addReasons(to: &document)
    document.heading("The smallest exception")
    document += MinimalView(diagnostics.smallestException).answer
    let notes = notes
    if !notes.isEmpty { document.heading("Uncertain results") }
    for note in notes { document.bullet("?", RichText(note)) }
    return document
  }

  /// Adds the reasons why tests fail. Tests with the same reason share one entry.
  private func addReasons(to document: inout Document) {
    var groups: [(numbers: [Int], reason: String)] = []
    for row in diagnostics.rows where !row.load.passes {
      let reason = row.load.reason
      if let index = groups.firstIndex(where: { $0.reason == reason }) {
        groups[index].numbers.append(row.test.number)
      } else {
        groups.append(([row.test.number], reason))
      }
    }
    guard !groups.isEmpty else { return }
    document.heading("Why tests fail (numbered in the order above)")
    for group in groups {
      document.bullet(
        RichText("✗", .bad), RichText("\(group.numbers.ranges): ", .strong) + RichText(group.reason))
    }
  }

  /// Notes about uncertain results, and about unknown properties of Apple's tool.
  var notes: [String] {
    var notes: [(numbers: [Int], note: String)] = []
    for row in diagnostics.rows {
      guard let note = row.load.confidence.note else { continue }
      if let index = notes.firstIndex(where: { $0.note == note }) {
        notes[index].numbers.append(row.test.number)
      } else {
        notes.append(([row.test.number], note))
      }
    }
    return notes.map { "\($0.numbers.count == 1 ? "test" : "tests") \($0.numbers.ranges) (\($0.note))" } + toolNotes
  }

  private var toolNotes: [String] {
    var notes: [String] = []
    let url = diagnostics.url
    let usual: UInt16 = url.isSecure ? 443 : 80
    let odd = [
      url.port == usual ? nil : "a port", url.address == nil ? nil : "an address", url.isSecure ? nil : "plain HTTP",
      url.host.contains(".") || url.address != nil ? nil : "a name without a dot",
    ].compactMap(\.self)
    if !odd.isEmpty {
      notes.append(
        "no public transcript shows the output of nscurl for a URL with \(odd.joined(separator: ", ")); the "
          + "titles and dictionaries in this output contain only the host")
    }
    if diagnostics.os.family == .iOS {
      notes.append("nscurl is a tool of macOS; these are the results that loads would have on \(diagnostics.os)")
    }
    if diagnostics.os.isAtLeast(iOS: (26, 4), macOS: (26, 4)), diagnostics.os.family != .documentation {
      notes.append(
        "since 26.4, nscurl also tests the NIAP keys (Apple's documentation); these tests are omitted, because no "
          + "public transcript shows their titles")
    }
    return notes
  }
}

extension AppTransportSecurity.LoadResult {
  /// The reason of the failure, with the URL if it is the target of a redirect.
  var reason: String {
    let place = hops.count > 1 ? " at \(failingURL.map(\.description) ?? "")" : ""
    let rules = because.map(\.id).joined(separator: ", ")
    let codes = errors.map { $0.name.isEmpty ? "\($0.code)" : "\($0.name) \($0.code)" }
    // A rule about the response does not determine the app's error: every lost response causes the same error.
    let isLost = because.contains { $0.layer == .application }
    return [rules, rules.isEmpty || isLost ? codes.first ?? "" : ""].filter { !$0.isEmpty }.joined(separator: ": ")
      + place
  }
}

extension [Int] {
  /// The numbers, with consecutive ones as ranges: `1, 3–6`.
  fileprivate var ranges: String {
    var runs: [ClosedRange<Int>] = []
    for number in self {
      if let last = runs.last, last.upperBound == number - 1 {
        runs[runs.count - 1] = last.lowerBound...number
      } else {
        runs.append(number...number)
      }
    }
    return runs.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)–\($0.upperBound)" }
      .joined(separator: ", ")
  }
}

extension AppTransportSecurity.Interpretation {
  /// Returns the interpretation of the pattern of results for `host`.
  func sentence(_ host: String) -> String {
    switch self {
    case .nothingIsNeeded: "The default passes: the app needs no exception for this URL."
    case .perhapsNothingIsNeeded:
      "The default probably passes, so this URL probably needs no exception. The uncertain points are below."
    case .notTheCause:
      "Allow All Loads fails too: App Transport Security is not the cause, and none of its keys will help."
    case .perhapsNotTheCause:
      "Allow All Loads probably fails too, but this is uncertain (see below): App Transport Security may or may not "
        + "be the cause."
    case .weakKey:
      "Only tests without forward secrecy pass. The others fail because the server's key is too short. According to "
        + "the documentation, NSExceptionRequiresForwardSecrecy = NO also lifts the check of the key size. According "
        + "to Apple's open source, it does not. Use a longer key."
    case .weakHash:
      "Only tests that allow plain HTTP pass: App Transport Security requires a server certificate signed with SHA-256 "
        + "or better. Only a key that allows plain HTTP lifts this requirement. Have the certificate signed with "
        + "SHA-256."
    case .noForwardSecrecy:
      "Only tests without forward secrecy pass: the server accepts none of the ECDHE suites that the system offers. It "
        + "lacks the suites, or the groups and signature algorithms that they need."
    case .newestVersion(let version):
      "Only exceptions for \(version) or older pass: this is the newest version that the server supports."
    case .plainHTTP: "Only tests that allow plain HTTP pass: the load or one of its redirects uses http://."
    case .beyondTheHost(let other):
      "Only Allow All Loads passes: the load fails at \(other), the target of a redirect. The tests' entries cover "
        + "only \(host)."
    case .noEntryLifts(let rules):
      "Only Allow All Loads passes: no key of an entry for \(host) lifts the violated rules"
        + (rules.isEmpty ? "." : ", \(rules.map(\.id).joined(separator: ", ")).")
    }
  }
}

extension DiagnosticsView {
  /// The results as JSON, version 1.
  public func json() -> JSONValue {
    [
      "trustlab": 1, "url": .string(diagnostics.url.description), "os": .string(diagnostics.os.description),
      "passes": .boolean(diagnostics.passes), "tests": .array(diagnostics.rows.map(\.json)),
      "interpretation": .array(
        diagnostics.interpretations.map { interpretation in
          [
            "says": .string(interpretation.word),
            "text": .string(interpretation.sentence(diagnostics.url.host)),
          ]
        }), "minimal": .object(MinimalView(diagnostics.smallestException).members), "unknown": .strings(notes),
    ]
  }
}

extension AppTransportSecurity.Diagnostics.Row {
  fileprivate var json: JSONValue {
    [
      "number": .integer(test.number), "section": .string(test.section), "title": .string(test.title),
      "dictionary": PropertyList.dictionary(test.dictionary).json, "result": .string(word),
      "confidence": .string(load.confidence.note ?? "certain"), "because": .strings(load.because.map(\.id)),
      "errors": .array(load.errors.map(\.json)), "failingURL": .optional(load.failingURL?.description),
      "hops": .array(load.hops.map(\.json)),
    ]
  }
}

extension AppTransportSecurity.LoadResult.Hop {
  var json: JSONValue {
    [
      "url": .string(url.description), "passes": .boolean(passes), "atsRequired": .boolean(decision.isRequired),
      "decidedBy": .string(decision.decidedBy), "version": .optional(negotiated?.version.description),
      "cipherSuite": .optional(negotiated?.cipherSuite.name),
      "overridden": .strings(
        findings.filter { $0.outcome == .violated && $0.weight.word == "overridden" }.map(\.rule.id)),
    ]
  }
}
