import Oracles
import Rendering
import Scenarios
import Testing
import Trust

/// The explanations of errors, trust results and keys by `explain`.
@Suite("Explaining errors and keys")
struct ErrorExplanationTests {
  private static func text(_ word: String) throws -> String {
    let lines = try #require(ExplainView.document(for: word)).text().split(separator: "\n")
    return lines.map { $0.split(separator: " ").joined(separator: " ") }.joined(separator: " ")
  }

  @Test(
    "a code, a name and a value are explained",
    arguments: [
      ("-9802", "kCFStreamErrorDomainSSL"), ("-9802", "iOS 9, macOS 10.11"),
      ("-1202", "NSURLErrorServerCertificateUntrusted"),
      ("-1202", "(iOS 13, macOS 10.15"),
      ("errSSLHostNameMismatch", "kCFStreamErrorDomainSSL -9843"),
      ("NSURLErrorSecureConnectionFailed", "-1201 … -1207"),
      ("kSecTrustResultProceed", "value 1"), ("5", "kSecTrustResultRecoverableTrustFailure"),
      ("6", "chain.key-size"), ("3", "rules chain.denied"), ("-9870", "-9870"),
      ("-67654", "kSecTrustResultDeny (3): chain.denied"), ("-67820", "chain.revoked"),
      ("-67820", "chain.distrusted (-67843"),
      ("-67820", "kSecTrustResultFatalTrustFailure (6): chain.revoked"),
      ("-67635", "chain.revocation-unknown"), ("-67819", "-67818"),
      ("-67843", "chain.no-anchor, chain.self-signed, chain.not-trusted-yet"),
      ("-67843", "chain.signature-invalid"),
      ("-67735", "kSecTrustResultFatalTrustFailure (6): chain.key-size"), ("5", "chain.key-size"),
      ("kSecTrustResultInvalid", "rules challenge.not-evaluated"),
      ("chain.weak-signature", "iOS 11, macOS 10.13 … SHA-1 … (HT207459)"),
      ("chain.key-size", "webpki, apple"), ("chain.key-size", "iOS 13, macOS 10.15"),
      ("chain.lifetime", "398 days … 2020-09-01 … (HT211025)"), ("AIA", "authorityInfoAccess"),
      ("pathLenConstraint", "basicConstraints"), ("SecTrustSetVerifyDate", "SecTrustSetVerifyDate"),
      ("-67818", "kSecTrustResultRecoverableTrustFailure (5): chain.expired"),
      ("-9886", "pin.mismatch"),
      ("errSecHostNameMismatch", "name."), ("-1000", "NSURLErrorBadURL"),
      ("-1017", "NSURLErrorCannotParseResponse"),
      ("-1011", "NSURLErrorBadServerResponse"),
      ("application.malformed-message", "errors unknown"),
      ("application.redirect-loop", "errors NSURLErrorDomain -1007 NSURLErrorHTTPTooManyRedirects"),
      ("NSAllowsArbitraryLoads", "interplay … NSExceptionDomains"),
      ("NSThirdPartyExceptionMinimumTLSVersion", "use NSExceptionMinimumTLSVersion"),
      ("NSAllowArbitraryLoads", "NSAllowsArbitraryLoads"),
    ])
  func says(word: String, expected: String) throws {
    let text = try Self.text(word)
    #expect(text.shows(expected), "\(text)")
  }

  @Test("two trust results of eight mean trust", arguments: SecTrustResultType.allCases)
  func trust(result: SecTrustResultType) throws {
    let text = try Self.text("\(result.rawValue)")
    #expect(text.contains(result.description))
    #expect(text.contains("means trust yes") == [.proceed, .unspecified].contains(result))
  }

  @Test("no line is wider than 80 columns", arguments: ["-1200", "-1202", "-9802", "5", "NSExceptionDomains"])
  func width(word: String) throws {
    let text = try #require(ExplainView.document(for: word)).text()
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 })
  }

  @Test("a case exercises the rules, errors, dispositions and keys that it names")
  func exercise() throws {
    func ids(_ word: String) -> Set<String> {
      Set(Curriculum.files.filter { $0.cases.contains { $0.exercises(word) } }.map(\.id))
    }
    #expect(ids("ats.no-forward-secrecy").contains("L1-15"))
    #expect(ids("-1022").contains("L9-03") && ids("NSURLErrorDomain -1022") == ids("-1022"))
    #expect(ids("NSExceptionDomains").isSuperset(of: ["L9-03", "L9-04"]))
    #expect(ids("kSecTrustResultRecoverableTrustFailure").contains("L4-04"))
    #expect(ids("-9853").isEmpty)
  }
}
