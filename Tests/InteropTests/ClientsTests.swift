import Foundation
import Oracles
import Rendering
import Testing

@Suite("What real clients make of the servers", .needs(.openssl, .curl, .gnuTLS, .python))
struct ClientsTests {
  /// Worked out from the standards: a name that does not fit is refused by everybody (RFC 9525 section 6), a certificate
  /// for clients too, and one that does not say what it is for may be for anything (RFC 5280 section 4.2.1.12), but not by
  /// the web's rules, which demand serverAuth (BR 7.1.2.7.6).
  private static let expected: [(name: String, refusedBy: Set<String>)] = [
    ("L4-01", ["rfc5280", "webpki", "iOS 10", "openssl", "curl", "gnutls-cli", "python3"]),
    ("L4-01/the certificate names both hosts", []),
    ("L3-13", ["rfc5280", "webpki", "iOS 10", "openssl", "curl", "gnutls-cli", "python3"]),
    ("L3-13/for servers", []),
    ("L3-13/it does not say what for, on iOS 12", ["webpki"]),
    ("L3-13/it does not say what for, on iOS 13", ["webpki", "iOS 13"]),
  ]

  @Test("who refuses and who accepts is as the standards say, and each says why")
  func verdicts() throws {
    let result = try Program.run("clients", "L4-01", "L3-13", "--format", "json")
    #expect(result.status == 0, "\(result.errors)")
    let document = try JSONValue(reading: Array(result.output.utf8))
    var schema = try Schema("clients")
    try schema.check(document)
    #expect(schema.violations == [] && schema.unmet == [] && schema.open == [])
    let rows = document["cases"]?.items ?? []
    // Java and Go build paths by themselves, and know of no authority that would not be asked what a certificate is for;
    // they take part where they are installed.
    let present = Set((document["clients"]?.items ?? []).map { $0.text("name") })
    let others = present.intersection(["java", "go"])
    for (name, refusers) in Self.expected {
      let row = try #require(rows.first { $0.text("case") == name }, "\(name)")
      let all = (row["verdicts"]?.items ?? []) + (row["clients"]?.items ?? [])
      let refused = all.filter { $0.text("verdict") == "refused" }
      let expected = refusers.contains("openssl") ? refusers.union(others) : refusers
      #expect(Set(refused.map { $0.text("profile") + $0.text("name") }) == expected, "\(name)")
      #expect(row["differs"] == .boolean(refusers.count % 7 != 0), "\(name)")
      #expect(refused.allSatisfy { !$0.text("says").isEmpty || $0["because"]?.items?.isEmpty == false }, "\(name)")
    }
  }

  @Test("the table names the clients with their versions, and what each says stands below")
  func table() throws {
    let result = try Program.run("clients", "L4-01")
    let heading = result.output.split(separator: "\n").first { $0.contains("rfc5280") } ?? ""
    #expect(heading.contains("rfc5280  webpki  apple  openssl  curl  gnutls-"), "\(result.output)")
    #expect(result.output.contains("curl: (60) SSL: no alternative certificate subject name"))
    #expect(result.output.contains("✓ accepts, ✗ refuses, ≠ not all agree: 0 of 5."))
    #expect(result.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
  }

  @Test("what has no server on TLS is named, and nothing else is an error with a hint")
  func nothing() throws {
    let some = try Program.run("clients", "L0-01", "L2-01", "L1-16", "--format", "json")
    #expect(some.status == 0)
    for id in ["L0-01", "L2-01"] { #expect(some.output.contains("\"\(id): ")) }
    let result = try Program.run("clients", "L2-01")
    #expect(result.status == 2)
    #expect(result.errors.contains("hint: "), "\(result.errors)")
  }
}

extension JSONValue {
  /// The items of a list; nil for anything else.
  fileprivate var items: [JSONValue]? { if case .array(let items) = self { items } else { nil } }
}
