import Testing
import Trust

@testable import URLLoading

@Suite("Checks of Security's trust evaluation in log lines")
struct TrustCheckTests {
  private func causes(_ line: String) throws -> [LogLine.Cause] { try #require(LogLine(line)).causes }

  @Test("the names in brackets are the failed checks, with their certificate")
  func names() throws {
    let both = try causes("Trust evaluate failure: [leaf AnchorTrusted SSLHostname]")
    #expect(both.map(\.name) == ["AnchorTrusted (leaf)", "SSLHostname (leaf)"])
    #expect(both.first?.rules.contains("chain.self-signed") == true)
    let two = try causes("Trust evaluate failure: [leaf TemporalValidity] [ca1 KeyUsage]")
    #expect(two.map(\.name) == ["TemporalValidity (leaf)", "KeyUsage (ca1)"])
    #expect(try causes("x [root AnchorTrusted]").first?.rules == TrustCheck.named("AnchorTrusted")?.rules)
    // An ordinary word is a check only in a list.
    #expect(LogLine("Revocation of KeyUsage by Email") == nil)
    #expect(try causes("kSecPolicyCheckRevocation failed").map(\.rules) == [["chain.revoked"]])
  }

  @Test(
    "a text means its check or its group",
    arguments: [
      ("Certificate 0 “x” has errors: SSL hostname does not match name(s) in certificate;", "name.mismatch"),
      ("“x” certificate is not standards compliant", "chain.lifetime"),
      ("Certificate exceeds maximum temporal validity period", "chain.lifetime"),
      ("“x” certificate is expired", "chain.expired"), ("Root is not trusted", "chain.no-anchor"),
      ("SubjectKeyID/AuthorityKeyID mismatch in chain", "chain.key-identifier"),
      ("Error Domain=NSOSStatusErrorDomain Code=-67602 \"x\"", "name.mismatch"),
      ("error ATS violation", "ats.no-forward-secrecy"),
    ])
  func texts(_ line: String, _ rule: String) throws {
    #expect(try causes(line).contains { $0.rules.contains(rule) })
  }

  @Test(
    "the text of extendedKeyUsage is not that of keyUsage",
    arguments: [
      ("Extended key usage does not match certificate usage", "chain.extended-key-usage"),
      ("Key usage does not match certificate usage", "chain.key-usage"),
    ])
  func usages(_ line: String, _ rule: String) throws {
    #expect(try causes(line).map(\.rules) == [[rule]])
  }

  @Test(
    "a code is read as a separate word, not as a group of a UUID",
    arguments: [
      ("nw_coretls_read_one_record tls_handshake_process: [-9801]", -9801),
      ("The operation couldn’t be completed. (OSStatus error -9806.)", -9806),
      ("Error Domain=kNWErrorDomainTLS Code=-9808", -9808), ("connect failed with errSSLBadCert today", -9808),
      (
        "Cannot start load of Task <00C0FFEE-1111-4917-8222-0000C0FFEE01>.<1> since it does not conform to ATS policy",
        -1022
      ),
    ])
  func codes(_ line: String, _ code: Int) throws { #expect(LogLine(line)?.errors.map(\.code) == [code]) }

  @Test("text that contains no code has none")
  func noCodes() {
    for line in ["Task <00C0FFEE-1111-9801-8222-0000C0FFEE01> done", "2026-01-01 10:00 -1200 all is well", "a -50 b"] {
      #expect(LogLine(line) == nil, "\(line)")
    }
  }

  @Test("the system's own refusal is that of trust under App Transport Security")
  func systemTrust() {
    #expect(LogLine("System Trust failed for [1:0x6000]")?.errors == AppError.Situation.trustUnderATS.errors)
  }
}
