import Foundation
import Testing

@Suite("Verdicts if a pinning library has no entry for the host")
struct UnpinnedVerdictTests {
  private static func scenario(_ trust: String) -> Data {
    Data(
      """
      title: An entry of another host
      certificates: { api: { issuer: Issuing, names: [api.shop.example] } }
      server: { host: api.shop.example, presents: [api, Issuing] }
      client: { os: iOS 17, serverTrust: \(trust) }
      request: https://api.shop.example/
      """.utf8)
  }

  /// The text under the heading of the verdict.
  private static func verdict(_ trust: String) throws -> Substring {
    let folder = try Program.folder(["a.yaml": scenario(trust)])
    defer { try? FileManager.default.removeItem(at: folder) }
    let output = try Program.run("run", "a.yaml", in: folder).output
    return output.range(of: "Verdict").map { output[$0.lowerBound...].prefix(1500) } ?? ""
  }

  @Test("the verdict names the missing entry, and no entry that covers the host")
  func wildcard() throws {
    let entry = "library: Alamofire 5.4, allHostsMustBeEvaluated: false, evaluators:"
    let unmet = try Self.verdict(#"{ \#(entry) { "*.shop.example": { kind: public-keys, pins: [api] } } }"#)
    #expect(unmet.contains("pin.not-evaluated") && unmet.contains("*.shop.example"), "\(unmet)")
    let met = try Self.verdict("{ \(entry) { api.shop.example: { kind: public-keys, pins: [api] } } }")
    #expect(met.contains("accepted") && !met.contains("pin.not-evaluated"), "\(met)")
  }
}
