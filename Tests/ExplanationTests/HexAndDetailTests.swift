import Explanation
import Testing

@Suite("Base 16 and details")
struct HexAndDetailTests {
  @Test("base 16 is written and read without loss (RFC 4648 section 10)")
  func hex() {
    let all = (0...255).map(UInt8.init)
    #expect(Hex.bytes(Hex.string(all)) == all)
    #expect(Hex.string(Array("foobar".utf8)) == "666f6f626172")
    #expect(Hex.bytes("66 6F\n6f") == Array("foo".utf8))
    #expect(Hex.bytes("") == [])
  }

  @Test("text that is not base 16 is refused", arguments: ["6", "666", "zz", "0x66", "６６", "6-6", "66\u{0}"])
  func notHex(text: String) { #expect(Hex.bytes(text) == nil) }

  @Test("a detail has its text")
  func words() throws {
    let day = try #require(Instant("2016-11-01"))
    let cases: [(Detail, String)] = [
      (.none, ""), (.absent, "absent"), (.word("TLSv1.2"), "TLSv1.2"), (.words([]), "none"),
      (.words(["a", "b"]), "a, b"), (.number(-1), "-1"), (.bits(1024), "1024 bits"), (.byteCount(3), "3 bytes"),
      (.date(day), "2016-11-01T00:00:00Z"), (.seconds(2 * 86_400), "2 days"),
      (.seconds(61), "1 minute and 1 second"), (.seconds(825 * 86_400 + 3600), "825 days and 1 hour"),
      (.seconds(2 * 86_400 + 3 * 3600 + 4), "2 days, 3 hours and 4 seconds"), (.seconds(0), "0 seconds"),
      (.flag(true), "yes"), (.flag(false), "no"), (.bytes([0, 255]), "00ff"),
      (.atLeast(.bits(2048)), "at least 2048 bits"), (.atMost(.seconds(86_400)), "at most 1 day"),
      (.anyOf([]), "nothing"), (.anyOf(["a", "b"]), "any of a, b"),
      (.period(day, day), "2016-11-01T00:00:00Z to 2016-11-01T00:00:00Z"), (.seconds(1), "1 second"),
    ]
    for (detail, words) in cases { #expect(detail.description == words) }
  }

  @Test("extreme details never trap")
  func extremes() {
    let ends = [Instant(secondsSince1970: .min), Instant(secondsSince1970: .max)]
    for seconds in [Int64.min, .max] { _ = Detail.seconds(seconds).description }
    for number in [Int.min, .max] { _ = Detail.atLeast(.atMost(.number(number))).description }
    for end in ends { _ = Detail.period(end, end).description }
  }
}

@Suite("Findings")
struct FindingTests {
  private let outer = Rule(.chain, "outer", "Outer.", .rfc(5280, "6.1"), implies: ["chain.inner"])
  private let inner = Rule(.chain, "inner", "Inner.", .rfc(5280, "6.1"))
  private let advice = Rule(.chain, "advice", "Advice.", .rfc(5280, "6.1"), decides: false)
  private let leaf = Finding.Subject.certificate(index: 0, name: "leaf")
  private let root = Finding.Subject.certificate(index: 1, name: "root")

  @Test("a violated rule decides instead of the one that it implies, on the same subject")
  func implication() {
    let enforcement = Enforcement.standard
    let both = [enforcement.check(inner, on: leaf, false), enforcement.check(outer, on: leaf, false)]
    #expect(both.deciding == [outer])
    let apart = [enforcement.check(inner, on: root, false), enforcement.check(outer, on: leaf, false)]
    #expect(apart.deciding == [inner, outer])
    let held = [enforcement.check(inner, on: leaf, false), enforcement.check(outer, on: leaf, true)]
    #expect(held.deciding == [inner])
  }

  @Test("overridden and advisory findings are reported and decide nothing")
  func overriding() {
    let enforcement = Enforcement.standard.overriding(outer.id, by: .mutant)
    let findings = [enforcement.check(outer, on: leaf, false), enforcement.check(advice, on: leaf, false)]
    #expect(findings.deciding.isEmpty)
    #expect(findings.map(\.outcome) == [.violated, .violated])
    #expect(findings.map(\.weight) == [.overridden(by: .mutant), .advises])
  }

  @Test("a decider replaces the engine's decision, and the engine's own conclusion is reported")
  func deciders() {
    let lax = Enforcement.standard.deciding(outer.id) { _ in true }
    #expect(lax.check(outer, on: leaf, false).weight == .overridden(by: .mutant))
    #expect(lax.check(outer, on: leaf, false).outcome == .violated)
    let severe = Enforcement.standard.deciding(outer.id) { _ in false }
    #expect(severe.check(outer, on: leaf, true).refuses)
    #expect(!Enforcement.standard.check(outer, on: leaf, true).refuses)
  }

  @Test("a decider gets rule, subject and version, and the required and found values")
  func decidersKnow() {
    let enforcement = Enforcement.standard.deciding(outer.id) { check in
      check.rule == outer && check.subject == leaf && check.version.map { $0 < 0x0303 } == true
        && check.required == .number(1) && check.found == .number(2)
    }
    func finding(_ version: UInt16?) -> Finding {
      enforcement.check(outer, on: leaf, false, version: version, required: .number(1), found: .number(2))
    }
    #expect(finding(0x0302).weight == .overridden(by: .mutant))
    #expect(finding(0x0303).refuses)
    #expect(finding(nil).refuses)
  }

  @Test("a decider's finding contains the conclusion of the engine")
  func decisions() {
    let finding = Enforcement.standard.check(outer, on: leaf, false, decided: true)
    #expect(finding.outcome == .violated)
    #expect(finding.weight == .overridden(by: .mutant))
  }

  @Test("fields shift with all their parts and are found by name")
  func fields() {
    let field = Field("outer", 0..<4, children: [Field("inner", 1..<2)]).shifted(by: 5)
    #expect(field.range == 5..<9)
    #expect(field.first("inner")?.range == 6..<7)
    #expect(field.first("absent") == nil)
  }
}
