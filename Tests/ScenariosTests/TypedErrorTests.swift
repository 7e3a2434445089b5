import Oracles
import Testing

@testable import Scenarios

@Suite("Errors for typed input")
struct TypedErrorTests {
  /// A typo, the place of its one error, and the content of the hint.
  struct Slip: Sendable, CustomTestStringConvertible {
    let text: String
    let place: String
    let hint: String
    var testDescription: String { text }

    init(_ text: String, at place: String, _ hint: String) {
      self.text = text
      self.place = place
      self.hint = hint
    }
  }

  static let slips = [
    Slip("os: iOS 9", at: "1:1", "client: { os: iOS 9 }"),
    Slip("client: { os: iOS 99 }", at: "1:15", "'iOS 26' … iOS 2 … 18 … 26"),
    Slip("client: { os: iOS 8.14 }", at: "1:15", "iOS 8 … 8.4 … 'iOS 18.4'"),
    Slip("client: { os: macOS 3 }", at: "1:15", "'macOS 10'"),
    Slip("client: { os: tvOS 17 }", at: "1:15", "tvOS (9 to 18 and 26)"),
    Slip("client: { fetchesIssuers: \"false\" }", at: "1:27", "false"),
    Slip(
      "server: { cipherSuites: [ECDHE-RSA-AES128-GCM-SHA256] }", at: "1:26",
      "is OpenSSL's name: write TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"),
    Slip("server: { cipherSuites: [AES256-SHA] }", at: "1:26", "TLS_RSA_WITH_AES_256_CBC_SHA"),
    Slip("expect: { cipherSuite: DES-CBC3-SHA }", at: "1:24", "TLS_RSA_WITH_3DES_EDE_CBC_SHA"),
    Slip("clock: 2016-11-01T00:00:00+02:00", at: "1:8", "2016-10-31T22:00:00Z"),
    Slip("clock: 2016-12-31T20:30-05:30", at: "1:8", "2017-01-01T02:00:00Z"),
    Slip("clock: 9999-12-31T23:59:59+23:59", at: "1:8", "9999-12-31T00:00:59Z"),
    Slip("clock: 9999-12-31T23:59:59-23:59", at: "1:8", "2016-11-01T00:00:00Z or 2016-11-01"),
    Slip("clock: 2016-11-01 00:00:00", at: "1:8", "2016-11-01T00:00:00Z"),
    Slip("clock: 2016-02-30", at: "1:8", "2016-02-29"),
    Slip(
      "certificates: { api: { issuer: Issuing, names: [api.example], days: 1 year } }", at: "1:69", "days: 365"),
    Slip("network: [{ leak: master_key }]", at: "1:19", "'master_secret'"),
    Slip(
      "expect: { knowledge: { client: { knows: [premaster_secret, master_key] } } }", at: "1:60",
      "'master_secret'"),
    Slip("expect: { neverOnWire: [master_key] }", at: "1:25", "'master_secret'"),
    Slip("network: [{ intercept: { presents: [apy] } }]", at: "1:37", "'api'"),
    Slip("network: [{ reroute: apy.example }]", at: "1:22", "'api.example'"),
    Slip("server: { host: api.example, host: b.example }", at: "1:30", "line 1"),
    Slip("title: a\nlesson: L1\ntitle: b", at: "3:1", "line 1"),
  ]

  @Test("a typo is reported at its place, with the correct words", arguments: slips)
  func slip(_ slip: Slip) throws {
    let found = try Lab.diagnostics(slip.text)
    let error = try #require(found.first { $0.severity == .error })
    #expect("\(error.mark?.line ?? 0):\(error.mark?.column ?? 0)" == slip.place, "\(error)")
    #expect(error.hint.shows(slip.hint), "\(error)")
  }

  @Test(
    "an unquoted host in a path is an error with the quoted host as hint",
    arguments: [
      (
        "client.infoPlist.NSExceptionDomains.api.example.NSExceptionRequiresForwardSecrecy",
        "client.infoPlist.NSExceptionDomains.\"api.example\".NSExceptionRequiresForwardSecrecy"
      ),
      (
        "client.infoPlist.NSExceptionDomains.www.api.example",
        "client.infoPlist.NSExceptionDomains.\"www.api.example\""
      ), ("servers.api.example.versions", "servers.\"api.example\".versions"),
    ])
  func host(path: String, meant: String) throws {
    for text in ["cases: [{ name: a, with: { \(path): [] } }]", "sweep: { \(path): [[]] }"] {
      let errors = try Lab.diagnostics(text).filter { $0.severity == .error }
      #expect(errors.map(\.hint).show([meant]), "\(errors)")
      #expect(errors.first?.message.contains("quoted") == true && errors.first?.mark?.line == 1)
    }
    do throws(Diagnostics) {
      _ = try Assignment(reading: "\(path) = {}")
      Issue.record("'\(path)' was read")
    } catch { #expect(error.all.first?.hint == "write \(meant)") }
    #expect(try Assignment(reading: "\(meant) = {}").path.unquotedHost == nil)
  }

  @Test("a misspelt word below a server with a one-label name is no unquoted host")
  func slipBelowServer() throws {
    let text = "cases: [{ name: a, with: { servers.api.contnt.\"GET /\": hello } }]"
    let errors = try Lab.diagnostics(text).filter { $0.severity == .error }
    #expect(errors.contains { $0.message.contains("'contnt'") }, "\(errors)")
    #expect(!errors.contains { $0.message.contains("without quotes") }, "\(errors)")
  }

  @Test("a quoted host is valid, and a key with one label needs no quotes")
  func quoted() throws {
    for path in ["\"api.example\".NSIncludesSubdomains", "localhost.NSIncludesSubdomains", "localhost.nsSlip"] {
      let text = "cases: [{ name: a, with: { client.infoPlist.NSExceptionDomains.\(path): true } }]"
      #expect(try Lab.diagnostics(text).isEmpty, "\(path)")
    }
  }

  @Test("an identity without its bracket is an error at its place, not a hash")
  func identity() throws {
    func pinning(_ identity: String) -> String {
      "client: { infoPlist: { NSPinnedDomains: { a: { NSPinnedLeafIdentities: [{ SPKI-SHA256-BASE64: \(identity) }] } } } }"
    }
    for slip in ["spki(api", "SPKI(api)", "\"spki(api\""] {
      try BadText(slip, pinning(slip), 1, 95, slip.filter { $0 != "\"" }, "spki(api)").isTold()
    }
    #expect(try Lab.diagnostics(pinning("spki(api)")).isEmpty)
  }

  @Test("a path to a certificate that does not exist suggests the existing one")
  func path() throws {
    let text = "cases: [{ name: a, with: { certificates.apy.days: 3 } }]"
    let error = try #require(try Lab.diagnostics(text).first { $0.severity == .error })
    #expect(error.message.contains("'apy'") && error.hint.shows("'api'"), "\(error)")
  }
}
