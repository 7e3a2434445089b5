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

  @Test("received content without a violation is accepted")
  func accepted() {
    let verdict = Verdict([enforcement.check(chain, on: .connection, true)], hasContent: true)
    #expect(verdict == Verdict([], hasContent: true))
    #expect(verdict.word == .accepted && verdict.layer == nil && verdict.because.isEmpty)
  }

  @Test("without a violation and without content, the application hangs")
  func hangs() {
    let verdict = Verdict([], hasContent: false)
    #expect(verdict.word == .hangs && verdict.layer == .application)
  }

  @Test("the layer is the first one that decides, in any order of the findings")
  func layers() {
    let findings = [name, chain, ats].map { enforcement.check($0, on: .connection, false) }
    let verdict = Verdict(findings, hasContent: false)
    #expect(verdict.word == .refused && verdict.layer == .ats)
    #expect(Set(verdict.because) == [name, chain, ats])
    #expect(Verdict(Array(findings.prefix(2)), hasContent: false).layer == .chain)
    #expect(Verdict(findings, hasContent: true).word == .refused)
  }

  @Test("an unsupported feature is a limit of this program, not a standard's reason")
  func limits() {
    let limit = enforcement.check(.versionNotImplemented, on: .connection, false)
    #expect(Verdict([limit], hasContent: false).isLimit)
    let other = enforcement.check(ats, on: .connection, false)
    #expect(!Verdict([limit, other], hasContent: false).isLimit && !Verdict([], hasContent: true).isLimit)
  }

  @Test("a rule that another one implies is not a separate reason")
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
