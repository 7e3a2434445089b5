import Explanation
import Foundation
import Oracles
import PKIX
import Rendering
import Scenarios
import Testing
import Trust
import URLLoading

@Suite("Verdicts on real chains")
struct VerifyTests {
  /// The chain of a scenario of the curriculum and its root, evaluated `days` after the scenario's clock.
  private func view(
    _ host: String?, of lesson: String = "L1-01", trusted: Bool = true, days: Int = 0,
    os: OSVersion? = OSVersion(.iOS, 10)
  ) throws -> VerifyView {
    let scenario = try #require(Curriculum.result(lesson)).scenario
    let certificates = try ScenarioLibrary.player(keys: Curriculum.keys).certificates(of: scenario).map(\.certificate)
    let chain = Array(certificates.reversed())
    return VerifyView(
      .init(
        chain: chain, host: host,
        evaluator: TrustEvaluator(
          TrustRequirements(
            os: os, purpose: .server, date: scenario.clock.adding(days: days),
            store: TrustStore(system: trusted ? chain.suffix(1) : [])),
          diagnostics: TrustDiagnostics(names: .distinct(chain))), isNow: false))
  }

  @Test("a good chain is accepted, and the keys have the documented order")
  func accepted() throws {
    let json = try view("api.example").json()
    #expect(json.members?.prefix(6).map(\.name) == ["trustlab", "verdict", "result", "path", "candidates", "findings"])
    #expect(json["verdict"] == "accepted")
    #expect(json["result"] == "kSecTrustResultUnspecified")
    #expect(json["errors"] == [])
  }

  @Test("problems come first, with the certificate, the source and the fix")
  func refused() throws {
    let view = try view("www.example", days: 4000)
    #expect(!view.isAccepted)
    let text = view.document().text()
    #expect(text.hasPrefix("✗ refused  "))
    for part in ["chain.expired", "name.mismatch", "RFC 5280 section 6.1.3 (a)(2)", "fix ", "errSecHostNameMismatch"] {
      #expect(text.contains(part), "\(part)")
    }
  }

  @Test("an unknown that could cause a refusal is named, unless the chain is refused anyway")
  func doubts() throws {
    let accepted = try view("api.example")
    #expect(accepted.document().text().contains("chain.revoked"))
    #expect(accepted.json()["unknown"] == ["chain.revoked"])
    let modern = try view("api.example", of: "L4-11", os: OSVersion(.iOS, 18, 4))
    #expect(modern.isAccepted)
    #expect(modern.document().text().contains("chain.certificate-transparency ("))
    #expect(modern.json()["unknown"] == ["chain.revoked", "chain.certificate-transparency"])
    let refused = try view("www.example")
    #expect(!refused.document().text().contains("chain.revoked (") && refused.json()["unknown"] == [])
  }

  @Test("an app's result is shown only under the profile of Apple's systems")
  func profiles() throws {
    #expect(try view("api.example").document().text().contains("SecTrust"))
    let text = try view("api.example", os: nil).document().text()
    #expect(!text.contains("SecTrust"))
    #expect(text.contains("Other checks"))
  }

  /// Evaluates the same chain under one root of the system or of the app, with the app's `settings`.
  private func view(
    system: Bool, app: Bool, _ settings: PropertyList, os: OSVersion = OSVersion(.iOS, 10)
  ) throws -> VerifyView {
    let scenario = try #require(Curriculum.result("L1-01")).scenario
    let certificates = try ScenarioLibrary.player(keys: Curriculum.keys).certificates(of: scenario).map(\.certificate)
    let chain = Array(certificates.reversed())
    let root = Array(chain.suffix(1))
    var question = VerifyView.Question(
      chain: chain, host: "api.example",
      evaluator: TrustEvaluator(
        TrustRequirements(
          os: os, purpose: .server, date: scenario.clock,
          store: TrustStore(system: system ? root : [], app: app ? root : [])),
        diagnostics: TrustDiagnostics(names: .distinct(chain))), isNow: false)
    question.ats = AppTransportSecurity.decide(
      .init(try LoadURL("https://api.example/"), os: os),
      by: .init(infoPlist: ["NSAppTransportSecurity": settings]))
    return VerifyView(question)
  }

  @Test("roots of the app alone are refused under App Transport Security, and accepted without it")
  func appRoots() throws {
    let refused = try view(system: false, app: true, [:])
    #expect(refused.verdict.because.map(\.id) == ["ats.trust-loosening"] && !refused.isAccepted)
    // The app's own evaluation succeeds; the loader sees -1200, as for all trust under App Transport Security.
    let json = refused.json()["errors"]?.text(pretty: false) ?? ""
    #expect(json.contains("-1200") && json.components(separatedBy: "\"code\"").count == 2, "\(json)")
    #expect(refused.document().text().contains("✗ ats.trust-loosening"))
    #expect(try view(system: false, app: true, ["NSAllowsArbitraryLoads": true]).isAccepted)
    let entry: PropertyList = ["api.example": ["NSExceptionAllowsInsecureHTTPLoads": true]]
    #expect(try view(system: false, app: true, ["NSExceptionDomains": entry]).isAccepted)
    // App Transport Security does not exist before iOS 9.
    #expect(try view(system: false, app: true, [:], os: OSVersion(.iOS, 8)).isAccepted)
    #expect(try view(system: true, app: false, [:]).isAccepted)
    let nobody = try view(system: false, app: false, [:])
    #expect(!nobody.isAccepted && !nobody.verdict.because.map(\.id).contains("ats.trust-loosening"))
  }

  @Test("without anchors the text says so and names the option")
  func noAnchors() throws {
    let text = try view(nil, trusted: false).document().text()
    #expect(text.contains("--roots FILE"))
    #expect(try !view(nil).document().text().contains("--roots"))
  }

  @Test("no line is wider than 80 columns, and without colour every state has a glyph")
  func width() throws {
    for view in [try view("www.example", days: 4000), try view("a.b.c.d.e.example"), try view(nil, trusted: false)] {
      for width in [40, 80] {
        let text = view.document().text(TextStyle(width: width))
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= max(width, 80) })
      }
      #expect(view.document().text(TextStyle(isASCII: true)).utf8.allSatisfy { $0 < 0x80 })
    }
  }

  @Test(
    "every result conforms to its schema", .needs(.jsonschema))
  func schema() throws {
    let answers = [try view("api.example"), try view("www.example", days: 4000), try view(nil, trusted: false)]
    #expect(JSONTests.isValid(answers.map { $0.json().text(pretty: false) }, "verify"))
    #expect(!JSONTests.isValid([#"{"trustlab":1}"#], "verify"))
  }

  @Test(
    "the listing of exported files conforms to its schema",
    .needs(.jsonschema))
  func exportSchema() throws {
    let player = ScenarioLibrary.player(keys: Curriculum.keys)
    let lists = try Curriculum.sample.prefix(8).map {
      PKIExportView(try player.export(of: $0.scenario), in: "a b").json().text(pretty: false)
    }
    #expect(JSONTests.isValid(lists, "pki-export"))
    #expect(!JSONTests.isValid([#"{"trustlab":1}"#], "pki-export"))
  }
}
