import Rendering
import Scenarios
import Testing
import URLLoading

@Suite("Rules of the checks in log lines")
struct TrustCheckRuleTests {
  @Test("every rule of a check exists in this program, and names are unique")
  func rules() {
    for id in TrustCheck.all.flatMap(\.rules) { #expect(RuleCatalogue.rule(id) != nil, "\(id)") }
    #expect(Set(TrustCheck.all.map(\.name)).count == TrustCheck.all.count)
  }

  @Test(
    "every rule of a group of checks exists in this program",
    arguments: [
      "certificate is not standards compliant", "certificate is expired", "certificate name does not match input",
      "certificate is not trusted", "certificate is not permitted for this usage", "do not meet pinning requirements",
      "certificate is blocked", "certificate as distrusted", "certificate does not meet issuer constraints",
      "ATS violation", "Error Domain=NSOSStatusErrorDomain Code=-67843",
    ])
  func groups(_ text: String) throws {
    let rules = try #require(LogLine(text)).causes.flatMap(\.rules)
    #expect(!rules.isEmpty)
    for id in rules { #expect(RuleCatalogue.rule(id) != nil, "\(id)") }
  }
}
