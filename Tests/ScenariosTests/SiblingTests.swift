import Endpoint
import Explanation
import Simulator
import Testing

@testable import Scenarios

@Suite("Siblings of refused cases")
struct SiblingTests {
  @Test("the sibling of a refusal is the accepted case that is most similar")
  func sibling() throws {
    let text = """
      client: { os: iOS 8 }
      expect: { verdict: accepted }
      cases:
        - name: far
          with: { client.os: iOS 9, client.serverTrust: { pins: [Issuing] } }
          expect: { verdict: accepted }
        - name: refused
          with: { client.os: iOS 9, client.serverTrust: { pins: [Issuing] }, clock: 2030-01-01 }
          expect: { verdict: refused }
      """
    let file = try Lab.read(text)
    let refused = try #require(file.scenario(named: "refused"))
    let sibling = try #require(file.sibling(of: refused))
    #expect(sibling.name.hasSuffix("far") && sibling.differences == ["clock"])
    let far = try #require(file.scenario(named: "far"))
    #expect(file.sibling(of: far) == nil)
  }
}
