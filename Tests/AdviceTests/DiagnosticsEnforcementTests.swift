import Advice
import Explanation
import Testing
import Trust
import URLLoading

@Suite("Overridden rules in diagnostics")
struct DiagnosticsEnforcementTests {
  @Test("every hop is checked against the rules of the site")
  func diagnostics() throws {
    let load = try LoadURL("http://api.example/")
    func passes(_ enforcement: Enforcement) -> Bool {
      let now = Instant(secondsSince1970: 1_480_000_000)
      let evaluator = TrustEvaluator(
        TrustRequirements(os: OSVersion(.iOS, 12), date: now, store: TrustStore(system: [])),
        diagnostics: TrustDiagnostics(enforcement: enforcement))
      let server = ATS.Site.Server(
        terms: ATS.ServerTerms(versions: [.tls12], cipherSuites: [], key: nil), chain: [])
      let site = ATS.Site(servers: ["api.example": server], trust: evaluator)
      return ATS.Diagnostics(load, on: OSVersion(.iOS, 12), site: site).passes
    }
    let lenient = Enforcement.standard.overriding(Rule.atsInsecureHTTP.id, by: .mutant)
    #expect(!passes(.standard) && passes(lenient))
  }
}
