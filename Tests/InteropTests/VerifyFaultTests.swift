import Foundation
import Oracles
import Testing

@Suite(
  "Faults of chains that openssl made", .needs("openssl makes no such chains", unless: { FaultyChains.folder != nil }))
struct VerifyFaultTests {
  /// A server's certificate, the options of its evaluation, and the deciding rules.
  struct Row: CustomTestStringConvertible, Sendable {
    let leaf: String
    let others: [String]
    let host: String
    let date: String
    let lists: Bool
    let because: [String]
    /// The reason if `openssl verify` has another result.
    let difference: String?
    var testDescription: String { "\(leaf) for \(host) on \(date)" }

    init(
      _ leaf: String, by others: [String] = ["issuing"], host: String = "api.example",
      at date: String = FaultyChains.date,
      lists: Bool = false, _ because: [String], but difference: String? = nil
    ) {
      (self.leaf, self.others, self.host, self.date, self.lists) = (leaf, others, host, date, lists)
      (self.because, self.difference) = (because, difference)
    }
  }

  static let rows = [
    Row("good", []), Row("good", lists: true, []), Row("inside", by: ["constrained"], host: "api.example.org", []),
    Row("expired", ["chain.expired"]), Row("expired", at: "2025-06-01", ["chain.not-yet-valid"]),
    Row("early", ["chain.not-yet-valid"]), Row("good", host: "www.example", ["name.mismatch"]),
    Row("good", by: [], ["chain.no-issuer"]), Row("stray", by: [], ["chain.no-issuer"]),
    Row("stray", by: ["other"], ["chain.no-anchor"]), Row("mail", ["chain.extended-key-usage"]),
    Row("deep", by: ["sub", "issuing"], ["chain.path-length"]),
    Row("outside", by: ["constrained"], ["chain.name-constraints"]),
    Row("revoked", lists: true, ["chain.revoked"]), Row("revoked", []),
    Row("good", at: "2026-12-01", lists: true, ["chain.revocation-unknown"]),
    Row("below", by: ["notca"], ["chain.not-a-ca", "chain.key-usage"]), Row("weak", ["chain.key-size"]),
    Row("sha1", ["chain.weak-signature"]),
    Row("unnamed", ["name.no-san"], but: "RFC 9525 leaves common names alone, which openssl still reads"),
    Row("three", ["chain.expired", "chain.weak-signature", "chain.extended-key-usage"]),
    Row(
      "three", host: "www.example",
      ["chain.expired", "chain.weak-signature", "chain.extended-key-usage", "name.mismatch"]),
  ]

  private func arguments(_ row: Row) -> [String] {
    ["verify"] + ([row.leaf] + row.others).map { "\($0).pem" }
      + ["--roots", "root.pem", "--host", row.host, "--at", row.date] + (row.lists ? ["--crl", "issuing.crl"] : [])
  }

  @Test("each chain names exactly its faults, and openssl refuses it, too", arguments: rows)
  func faults(_ row: Row) throws {
    let folder = try #require(FaultyChains.folder)
    let result = try Program.run(arguments(row) + ["--format", "json"], in: folder)
    #expect(result.status == (row.because.isEmpty ? 0 : 1), "\(result.errors)")
    #expect(result.output.contains("\"because\": [\(row.because.map { "\"\($0)\"" }.joined(separator: ", "))]"))
    let isAccepted = try openssl(row, in: folder)
    #expect(isAccepted == (row.because.isEmpty || row.difference != nil))
  }

  /// Whether openssl, with security level 2 for keys and hashes, accepts the same.
  private func openssl(_ row: Row, in folder: URL) throws -> Bool {
    let others = try row.others.map { try Data(contentsOf: folder.appendingPathComponent("\($0).pem")) }
    let untrusted = "\(UUID().uuidString).pem"
    try Data(others.joined()).write(to: folder.appendingPathComponent(untrusted))
    let formatter = ISO8601DateFormatter()
    let date = try #require(formatter.date(from: "\(row.date)T00:00:00Z"))
    return OtherPrograms.openssl(
      ["verify", "-attime", "\(Int(date.timeIntervalSince1970))", "-CAfile", "root.pem", "-purpose", "sslserver"]
        + ["-auth_level", "2", "-verify_hostname", row.host] + (others.isEmpty ? [] : ["-untrusted", untrusted])
        + (row.lists ? ["-crl_check", "-CRLfile", "issuing.crl"] : []) + ["\(row.leaf).pem"], in: folder)
  }

  @Test("the text has certificate, rule, required, found, clause and fix, in 80 columns")
  func text() throws {
    let folder = try #require(FaultyChains.folder)
    for row in Self.rows {
      let text = try Program.run(arguments(row), in: folder).output
      #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 })
      for rule in row.because { #expect(text.contains("    ✗ \(rule)\n        rule ")) }
    }
    let row = try #require(Self.rows.last { $0.leaf == "three" })
    let text = try Program.run(arguments(row), in: folder).output
    for part in [
      "RFC 5280 section 6.1.3 (a)(2) … 2026-03-01T00:00:00Z … found     2026-06-01",
      "found     ecdsa-with-SHA1\n        fix ", "required  serverAuth\n        found     emailProtection",
      "Host\n  ✗ www.example\n    ✗ name.mismatch",
    ] { #expect(text.shows(part), "\(text)") }
  }
}
