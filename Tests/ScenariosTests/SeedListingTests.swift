import Explanation
import Simulator
import Testing
import URLLoading

@testable import Scenarios

/// The results of the five documents' listings with a good server and a bad one. They were worked out from Apple's
/// documentation and the reports that the rules cite, before any was played.
@Suite("The listings of the documents behind the lessons") struct SeedListingTests {
  /// The result of a load: `accepted`, `hangs`, or the layer and the first error.
  struct Row: Sendable, CustomTestStringConvertible {
    let listing: String
    let client: String
    /// The result with a server that the system trusts.
    let good: String
    /// The result with a server under an untrusted root, by the major version of iOS.
    let bad: [Int: String]
    /// The findings on the listing's own behavior with the good server.
    var findings: [String] = []
    var testDescription: String { listing }
  }

  private static func everywhere(_ outcome: String) -> [Int: String] {
    [8: outcome, 9: outcome, 10: outcome, 13: outcome]
  }

  private static func underATS(_ eight: String, _ later: String = "ats -1200") -> [Int: String] {
    [8: eight, 9: later, 10: later, 13: later]
  }

  static let rows: [Row] = [
    Row(
      listing: "seed 000, 29 to 37: synchronously", client: "api: synchronous", good: "accepted",
      bad: underATS("chain -1202", "chain -1200"), findings: ["challenge.no-delegate"]),
    Row(
      listing: "seed 000, 59 to 76: accepts all, and answers twice", client: "delegate: accept-all-twice",
      good: "accepted", bad: underATS("accepted"),
      findings: ["challenge.accepts-all", "challenge.second-answer", "application.never-returns"]),
    Row(
      listing: "seed 000, 127: five steps", client: "delegate: five-steps", good: "accepted",
      bad: everywhere("chain -1012")),
    Row(
      listing: "seed 000, 131: own anchors, and they are the bad server's",
      client: "delegate: { preset: own-anchors, anchors: [Nobody] }", good: "chain -1012", bad: underATS("accepted")),
    Row(
      listing: "seed 000, 131: own anchors, whose file is PEM",
      client: "delegate: { preset: own-anchors, anchors: [Nobody], anchorForm: PEM }", good: "challenge no error",
      bad: everywhere("challenge no error"), findings: ["challenge.anchor-not-der"]),
    Row(
      listing: "seed 003, 12: whole spaces", client: "delegate: seed-003-mode-1", good: "challenge -1012",
      bad: everywhere("challenge -1012"), findings: ["challenge.space-mismatch", "challenge.space-proves-nothing"]),
    Row(
      listing: "seed 003, 14: host, port and protocol", client: "delegate: seed-003-mode-2", good: "hangs challenge",
      bad: everywhere("hangs challenge"), findings: ["challenge.unanswered", "challenge.space-proves-nothing"]),
    Row(
      listing: "seed 003, 18: Basic alone",
      client: "delegate: seed-003-basic, account: { user: alice, password: secret }", good: "hangs challenge",
      bad: everywhere("hangs challenge"), findings: ["challenge.unanswered"]),
    Row(
      listing: "seed 003, 30: the dispatcher", client: "delegate: seed-003-dispatcher", good: "accepted",
      bad: underATS("chain -1202", "chain -1200")),
    Row(
      listing: "seed 004, 87 to 120, as it is written", client: "delegate: seed-004-own-trust", good: "challenge -1012",
      bad: everywhere("challenge -1012"), findings: ["challenge.nil-trust"]),
    Row(
      listing: "seed 004, 87 to 120, as it was meant", client: "delegate: seed-004", good: "accepted",
      bad: everywhere("chain -1012")),
    Row(
      listing: "seed 004, 104: either call will do",
      client: "delegate: { rules: [{ when: { method: ServerTrust }, answer: continueWithoutCredential }] }",
      good: "accepted", bad: underATS("chain -1202", "chain -1200")),
  ]

  private func outcome(_ client: String, os: Int, isGood: Bool) throws -> String {
    let result = try play(client, os: os, isGood: isGood)
    let verdict = result.outcome.verdict
    switch verdict.word {
    case .accepted: return "accepted"
    case .hangs: return "hangs \(verdict.layer?.rawValue ?? "")"
    case .refused, .notApplicable:
      return "\(verdict.layer?.rawValue ?? "") \(result.outcome.errors.first.map { "\($0.code)" } ?? "no error")"
    }
  }

  private func play(_ client: String, os: Int, isGood: Bool) throws -> CaseResult {
    try Lab.play(
      """
      authorities:
        Root A: { trust: system }
        Issuing: { issuer: Root A, pathLength: 0 }
        Nobody: {}
      certificates:
        api: { issuer: Issuing, names: [api.example] }
        bad: { issuer: Nobody, names: [api.example] }
      server: { presents: [bad, Nobody] }
      client: { os: iOS \(os), loader: NSURLConnection, \(client) }
      cases: [{ name: good, with: { server.presents: [api, Issuing] } }]
      """, isGood ? "good" : Scenario.mainCase)
  }

  @Test("each listing meets a good server and a bad one, on four systems", arguments: rows)
  func listings(row: Row) throws {
    for (os, expected) in row.bad.sorted(by: { $0.key < $1.key }) {
      #expect(try outcome(row.client, os: os, isGood: true) == row.good, "iOS \(os), a good server")
      #expect(try outcome(row.client, os: os, isGood: false) == expected, "iOS \(os), a bad server")
      let found = try play(row.client, os: os, isGood: true).outcome.findings.filter { $0.outcome == .violated }.map(
        \.rule.id)
      #expect(row.findings.filter { !found.contains($0) } == [], "iOS \(os): \(found)")
    }
  }
}
