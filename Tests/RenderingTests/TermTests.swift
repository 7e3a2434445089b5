import Learning
import Scenarios
import Testing

@testable import Rendering

@Suite("Terms")
struct TermTests {
  @Test("no term has two entries, and every Chinese word belongs to one")
  func unique() {
    let all = Glossary.terms.flatMap { [$0.name] + $0.others }.map { $0.lowercased().replacing("-", with: " ") }
    #expect(Set(all).count == all.count, "\(Dictionary(grouping: all) { $0 }.filter { $1.count > 1 }.keys.sorted())")
    #expect(Glossary.chinese.keys.allSatisfy(Glossary.names.contains))
  }

  @Test("every word that a lesson introduces is in the glossary")
  func introduced() throws {
    let words = try ScenarioLibrary.curriculum().lessons().flatMap(\.introduces)
    #expect(!words.isEmpty && words.filter { Glossary.term($0) == nil } == [])
  }

  @Test(
    "the words of the lessons are explained",
    arguments: [
      "nonce", "premaster", "session key", "forward secrecy", "wildcard", "anchor", "leaf", "intermediate", "SPKI",
      "pin",
      "exception domain", "redirect", "downgrade", "replay", "HSTS", "entropy", "padding oracle", "self-signed", "OCSP",
      "TLS", "iOS", "IV", "AES", "GCM", "HMAC", "RSADP", "x25519", "TLSv1.2", "plist", "Info.plist", "hangs",
      "accepted",
      "refused", "not-applicable", "URLSession", "URL Loading System", "SecTrustEvaluate", "round trip", "encryption",
      "key", "client", "server", "GREASE", "ALPN", "RC4", "3DES", "ffdhe2048", "BEAST", "record splitting", "ticket",
      "Valid", "delta CRL", "STH", "key_share", "supported_versions", "NewSessionTicket", "compress_certificate",
    ])
  func explained(word: String) throws {
    let text = try #require(ExplainView.document(for: word)).text()
    #expect(text.contains("meaning") && text.contains("source"))
  }
}
