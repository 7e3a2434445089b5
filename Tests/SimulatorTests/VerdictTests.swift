import Explanation
import Simulator
import TLS
import Testing

@Suite("Verdicts")
struct VerdictTests {
  private let enforcement = Enforcement.standard
  private let chain = Rule(.chain, "outer", "Outer.", .rfc(5280, "6.1"), implies: ["chain.inner"])
  private let inner = Rule(.chain, "inner", "Inner.", .rfc(5280, "6.1"))
  private let name = Rule(.name, "other", "Other.", .rfc(9525, "6.1"))
  private let ats = Rule(.ats, "offer", "Offer.", .apple("ATS"))

  @Test("nothing violated and content received is accepted")
  func accepted() {
    let verdict = Verdict([enforcement.check(chain, on: .connection, true)], hasContent: true)
    #expect(verdict == Verdict([], hasContent: true))
    #expect(verdict.word == .accepted && verdict.layer == nil && verdict.because.isEmpty)
  }

  @Test("nothing violated and no content hangs in the application")
  func hangs() {
    let verdict = Verdict([], hasContent: false)
    #expect(verdict.word == .hangs && verdict.layer == .application)
  }

  @Test("the layer is the first that decides, whatever the order of the findings")
  func layers() {
    let findings = [name, chain, ats].map { enforcement.check($0, on: .connection, false) }
    let verdict = Verdict(findings, hasContent: false)
    #expect(verdict.word == .refused && verdict.layer == .ats)
    #expect(Set(verdict.because) == [name, chain, ats])
    #expect(Verdict(Array(findings.prefix(2)), hasContent: false).layer == .chain)
    #expect(Verdict(findings, hasContent: true).word == .refused)
  }

  @Test("what is only not played yet is a limit of ours, and no reason that a standard gives")
  func limits() {
    let limit = enforcement.check(.versionNotImplemented, on: .connection, false)
    #expect(Verdict([limit], hasContent: false).isLimit)
    let other = enforcement.check(ats, on: .connection, false)
    #expect(!Verdict([limit, other], hasContent: false).isLimit && !Verdict([], hasContent: true).isLimit)
  }

  @Test("a rule that another implies is no reason of its own")
  func implied() {
    let findings = [inner, chain].map { enforcement.check($0, on: .connection, false) }
    #expect(Verdict(findings, hasContent: false).because == [chain])
  }

  @Test("an overridden violation refuses nothing")
  func overridden() {
    let finding = enforcement.check(chain, on: .connection, false).overridden(by: .user)
    #expect(Verdict([finding], hasContent: true).word == .accepted)
    #expect(Verdict([finding.advising], hasContent: true).word == .accepted)
  }
}
