import Testing

@testable import Scenarios

@Suite("Expectations that can never be met")
struct ImpossibleExpectationTests {
  static let texts = [
    BadText(
      "a layer without a verdict", "expect: { verdict: not-applicable, layer: ats }", 1, 43,
      "", "remove 'layer'"),
    BadText(
      "a rule without a verdict", "expect: { verdict: not-applicable, because: [ats.insecure-http] }", 1, 45,
      "", "remove 'layer' and 'because'"),
    BadText(
      "a layer of another rule", "expect: { verdict: refused, layer: chain, because: [ats.no-forward-secrecy] }", 1, 36,
      "'ats.no-forward-secrecy' … ats", "layer: ats"),
    BadText(
      "a layer that decides later",
      "expect: { verdict: refused, layer: name, because: [name.mismatch, chain.expired] }",
      1, 36, "'chain.expired' … chain", "layer: chain"),
    BadText(
      "an unknown key", "expect: { decidedBy: NSAllowArbitraryLoads }", 1, 22,
      "no key 'NSAllowArbitraryLoads'",
      "'NSAllowsArbitraryLoads'"),
    BadText(
      "an unknown key of an exception",
      "expect: { decidedBy: NSExceptionDomains.api.example.NSExceptionAllowInsecureHTTPLoads }", 1, 22,
      "no key 'NSExceptionAllowInsecureHTTPLoads'",
      "'NSExceptionDomains.api.example.NSExceptionAllowsInsecureHTTPLoads'"),
  ]

  @Test("an impossible expectation is an error with its place and a fix", arguments: texts)
  func told(_ text: BadText) throws { try text.isTold() }

  @Test(
    "a possible expectation is no error",
    arguments: [
      "{ verdict: not-applicable, because: [] }", "{ verdict: hangs, layer: handshake, because: [] }",
      "{ verdict: refused, layer: ats, because: [ats.no-forward-secrecy] }",
      "{ verdict: refused, layer: chain, because: [name.mismatch, chain.expired] }", "{ decidedBy: default }",
      "{ decidedBy: NSAllowsArbitraryLoads, appReview: [NSAllowsArbitraryLoads] }",
      "{ decidedBy: NSExceptionDomains.api.example }",
      "{ decidedBy: NSExceptionDomains.192.168.0.0/24.NSExceptionAllowsInsecureHTTPLoads }",
    ])
  func possible(_ text: String) throws { #expect(try Lab.diagnostics("expect: \(text)").isEmpty) }
}
