import Explanation
import Simulator
import TLS
import Testing

@testable import Scenarios

@Suite("Mutation")
struct MutationTests {
  /// A certificate for clients only, with the accepted sibling.
  private static let purpose = """
    certificates: { api: { issuer: Issuing, names: [api.example], break: client-auth-only } }
    expect: { because: [chain.extended-key-usage] }
    cases: [{ name: for servers, with: { certificates.api.break: null }, expect: { verdict: accepted } }]
    """

  /// A client certificate of version 1, which the server refuses.
  static let clientVersion = [
    "authorities: { Root A: { trust: system }, Issuing: { issuer: Root A }, Members: {} }",
    "certificates:",
    "  api: { issuer: Issuing, names: [api.example] }",
    "  alice: { issuer: Members, extendedKeyUsage: [clientAuth], break: version-1 }",
    "server: { presents: [api, Issuing], clientAuthentication: required, clientAuthorities: [Members] }",
    "client: { identity: alice }",
    "expect: { because: [client-auth.version] }",
  ].joined(separator: "\n")

  private static func report(
    _ texts: [String], _ mutants: [String], jobs: Int = 2
  ) throws -> [MutationReport.Entry] {
    let files = try texts.enumerated().map { try Lab.read($0.element, path: "file\($0.offset).yaml") }
    let named = try mutants.map { name in try #require(Mutant.everyMutant.first { $0.name == name }) }
    return try MutationRun(files, named, player: Lab.player).report(jobs: jobs).entries
  }

  private static func entry(_ texts: [String], _ mutant: String) throws -> MutationReport.Entry {
    try #require(try report(texts, [mutant]).first)
  }

  @Test("a mutant that changes a verdict is killed, and the report names the case and the expectation")
  func killed() throws {
    let entry = try Self.entry([Self.purpose], "eku-ignored")
    #expect(entry.state == .killed && entry.reached == 1 && entry.isComplete)
    let kill = try #require(entry.kills.first)
    #expect(entry.kills.count == 1 && kill.name == "file0" && kill.path == "verdict")
    #expect(kill.expected == "refused" && kill.found == "accepted" && !kill.isOverStrict)
    #expect(entry.dependsOnOneFile && entry.files == ["file0"])
    let both = try Self.entry([Self.purpose, Self.purpose], "chain.extended-key-usage")
    #expect(both.files == ["file0", "file1"] && !both.dependsOnOneFile)
  }

  @Test("a mutant that only changes the reasons is noticed, and is no kill")
  func noticed() throws {
    let text = """
      certificates: { api: { issuer: Issuing, names: [api.example], break: client-auth-only } }
      server: { host: other.example }
      request: https://other.example/
      expect: { because: [chain.extended-key-usage, name.mismatch] }
      """
    let entry = try Self.entry([text], "eku-ignored")
    #expect(entry.state == .noticed && entry.kills.isEmpty)
    #expect(entry.notices.first?.path == "because")
  }

  @Test("a mutant that changes nothing survives, and one that no case reaches is not reached")
  func survived() throws {
    let text = """
      certificates: { api: { issuer: Issuing, names: [api.example], break: client-auth-only } }
      server: { host: other.example }
      request: https://other.example/
      expect: { verdict: refused }
      """
    #expect(try Self.entry([text], "eku-ignored").state == .survived)
    let idle = try Self.entry([text], "md5-accepted")
    #expect(idle.state == .notReached && idle.reached == 0)
  }

  @Test("a mutant that no case can kill is equivalent and does not count; a missing feature counts")
  func equivalent() throws {
    let entries = try Self.report(
      [Self.purpose], ["chain.self-signed", "handshake.recorded-secret", "chain.extended-key-usage"])
    #expect(entries.map(\.state) == [.equivalent, .notReached, .killed])
    #expect(entries[0].reason?.kind == .implied && entries[1].reason?.kind == .missing)
    let score = MutationReport.Score(entries)
    #expect(score.killed == 1 && score.counted == 2 && score.percent == 50)
    #expect(score.equivalent == ["chain.self-signed"])
  }

  @Test("a mutant that a goal of one file reveals is noticed with more files too")
  func moreFiles() throws {
    let robot = try #require(Mutant.named("robot"))
    for ids in [["L1-01"], ["L1-01", "L7-04"]] {
      let files = try ids.map { try Lab.library().file(at: #require(Lab.library().path(ofID: $0))) }
      let report = try MutationRun(files, [robot], player: Lab.player).report(jobs: 2)
      #expect(report.entries.map(\.state) == [.noticed], "\(ids)")
    }
  }

  @Test("a run that never ends with a fault is a kill")
  func endless() throws {
    let text = """
      server: { content: { GET /: { redirect: /again }, GET /again: { redirect: / } } }
      expect: { because: [application.redirect-loop] }
      """
    let kill = try #require(try Self.entry([text], "application.redirect-loop").kills.first)
    #expect(kill.path == "end")
  }

  @Test("a mutant that refuses an accepted case is killed too, and marked as too strict")
  func overStrict() throws {
    let text = """
      clock: 2017-06-01T00:00:00Z
      certificates:
        api: { issuer: Issuing, names: [api.example], notBefore: 2016-06-01, notAfter: 2017-06-01 }
      """
    let kill = try #require(try Self.entry([text], "chain.expired-1").kills.first)
    #expect(kill.isOverStrict)
  }

  @Test("a comparison is off by one only at its limit")
  func limits() throws {
    func text(_ clock: String, _ expectation: String) -> String {
      """
      clock: \(clock)
      certificates:
        api: { issuer: Issuing, names: [api.example], notBefore: 2016-06-01, notAfter: 2017-06-01 }
      expect: { \(expectation) }
      """
    }
    let last = text("2017-06-01T00:00:00Z", "verdict: accepted")
    let after = text("2017-06-01T00:00:01Z", "because: [chain.expired]")
    let later = text("2017-06-01T00:00:02Z", "because: [chain.expired]")
    #expect(try Self.report([last], ["chain.expired-1", "chain.expired+1"]).map(\.state) == [.killed, .notReached])
    #expect(try Self.report([after], ["chain.expired-1", "chain.expired+1"]).map(\.state) == [.notReached, .killed])
    #expect(
      try Self.report([later], ["chain.expired-1", "chain.expired+1"]).map(\.state) == [.notReached, .notReached])
  }

  @Test("a path length is off by one only with as many intermediates as its limit")
  func pathLengths() throws {
    let text = [
      "authorities:",
      "  Root A: { trust: system }",
      "  Top: { issuer: Root A, pathLength: 0 }",
      "  Issuing: { issuer: Top }",
      "certificates: { api: { issuer: Issuing, names: [api.example] } }",
      "server: { presents: [api, Issuing, Top] }",
      "expect: { because: [chain.path-length] }",
      "cases: [{ name: one, with: { authorities.Top.pathLength: 1 }, expect: { verdict: accepted } }]",
    ].joined(separator: "\n")
    let entries = try Self.report([text], ["chain.path-length+1", "chain.path-length-1"])
    #expect(entries.map(\.state) == [.killed, .killed])
    #expect(entries.map { $0.kills.map(\.isOverStrict) } == [[false], [true]])
  }

  @Test("a key whose default is read as its opposite changes the loads that lack the key")
  func keys() throws {
    let text = """
      request: http://api.example/
      expect: { because: [ats.insecure-http] }
      cases:
        - name: with an exception
          with: { client.infoPlist: { NSExceptionDomains: { api.example: { NSExceptionAllowsInsecureHTTPLoads: true } } } }
          expect: { verdict: accepted }
      """
    let entries = try Self.report(
      [text],
      ["global.NSAllowsArbitraryLoads", "global.NSExceptionDomains", "exception-domain.NSExceptionMinimumTLSVersion"])
    #expect(entries.map(\.state) == [.killed, .killed, .survived])
    #expect(entries[0].kills.map(\.name) == ["file0"])
    #expect(entries[1].kills.map(\.name) == ["file0/with an exception"])
  }

  @Test("a server's check of client certificates is a party of its own")
  func clientCertificates() throws {
    let entries = try Self.report([Self.clientVersion], ["client-auth.version", "chain.version"])
    #expect(entries.map(\.state) == [.killed, .notReached])
  }

  @Test("a rule of both ends can be switched off at one end alone, and the other end still refuses")
  func ends() throws {
    let text = """
      server: { cipherSuites: [TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256] }
      network: [{ drop: Certificate, from: server }]
      expect: { because: [handshake.unexpected-message] }
      """
    let entries = try Self.report(
      [text],
      ["handshake.unexpected-message", "handshake.unexpected-message@client", "handshake.unexpected-message@server"])
    #expect(entries.map(\.state) == [.killed, .killed, .notReached])
  }

  @Test("faults reach the import of an identity, the proxy and calculations")
  func reach() throws {
    let proxy = """
      client: { os: iOS 10, proxy: { authentication: { schemes: [Basic], realm: office, users: { ann: secret } } } }
      expect: { because: [http-auth.proxy-unauthorized] }
      """
    #expect(try Self.entry([proxy], "http-auth.proxy-unauthorized").reached == 1)
    let sum = """
      calculation: { given: { a: 2 }, steps: [{ check: a == 3 }] }
      expect: { because: [application.equation-fails] }
      """
    #expect(try Self.entry([sum], "application.equation-fails").state == .killed)
  }

  @Test("a case that fails without a mutant ends the report")
  func failingBaseline() throws {
    let error = #expect(throws: Diagnostics.self) {
      try Self.report(["expect: { because: [chain.expired] }"], ["eku-ignored"])
    }
    #expect(error?.description.contains("fails without a mutant") == true)
  }

  @Test("the report does not depend on the number of threads")
  func threads() throws {
    let names = ["eku-ignored", "chain.extended-key-usage", "chain.expired"]
    let reports = try [1, 4].map { jobs in try Self.report([Self.purpose, Self.purpose], names, jobs: jobs) }
    #expect(reports[0].map(\.kills) == reports[1].map(\.kills))
    #expect(reports[0].map(\.mutant.name) == names)
  }

  @Test("mutants have unique names, and reasons belong to mutants")
  func names() {
    let names = Mutant.everyMutant.map(\.name)
    #expect(Set(names).count == names.count)
    #expect(Set(Equivalence.all.keys).isSubset(of: names))
    #expect(Mutant.fifteen.count == 15 && Mutant.fifteen.isSubset(of: Mutant.all.map(\.name)))
    let deciding = RuleCatalogue.all.filter { $0.decides && Layer.deciding.contains($0.layer) }.map(\.id)
    #expect(Mutant.everyMutant.filter { $0.group == .rules }.map(\.name) == deciding)
  }

  @Test("a mutant that is claimed twice is an error at the second place")
  func repeatedClaim() throws {
    let found = try Lab.diagnostics("kills: [eku-ignored, goto-fail, eku-ignored]")
    #expect(found.map(\.severity) == [.error] && found.first?.mark?.column == 33)
    #expect(try Lab.diagnostics("kills: [eku-ignored, goto-fail]").isEmpty)
  }

  @Test("a claim is true if a verdict changes and the sibling keeps its verdict; a false claim fails the main case")
  func claims() throws {
    func claims(_ text: String) throws -> [Judgement.Mismatch] {
      let file = try Lab.read(text)
      return TestRun([file], player: Lab.player).falseClaims(of: file)
    }
    #expect(try claims("kills: [eku-ignored]\n" + Self.purpose).isEmpty)
    let wrong = "kills: [eku-ignored, md5-accepted]\n" + Self.purpose
    #expect(try claims(wrong).map(\.expected) == ["a verdict that md5-accepted changes"])
    let entries = TestRun([try Lab.read(wrong)], player: Lab.player).entries()
    #expect(entries.map(\.result) == [.failed, .passed])
    #expect(entries.first?.judgement?.mismatches.map(\.path) == ["kills"])
    let mutated = ScenarioLibrary.player(keys: Lab.keys, mutant: Mutant.named("robot"))
    #expect(TestRun([try Lab.read(wrong)], player: mutated).entries().map(\.result) == [.passed, .passed])
  }
}

extension MutationTests {
  /// A historical bug, a case whose verdict it changes, and an accepted sibling.
  struct Bug: Sendable, CustomTestStringConvertible {
    let mutant: String
    let text: String
    /// The changes that make the sibling.
    let sibling: String
    var testDescription: String { mutant }
  }

  static let bugs = [
    Bug(
      mutant: "accept-all",
      text: """
        certificates: { api: { issuer: self } }
        server: { presents: [api] }
        client: { os: iOS 8 }
        expect: { verdict: refused }
        """, sibling: "client.serverTrust: accept-all"),
    Bug(
      mutant: "logjam",
      text: """
        client: { os: iOS 8 }
        server: { cipherSuites: [TLS_DHE_RSA_WITH_AES_128_CBC_SHA], dhGroup: export-512 }
        expect: { because: [handshake.short-dh-group] }
        """, sibling: "server.dhGroup: null"),
  ]

  @Test("a new historical bug changes the verdict of its case and keeps the sibling", arguments: bugs)
  func bug(_ bug: Bug) throws {
    let text = bug.text + "\ncases: [{ name: sibling, with: { \(bug.sibling) }, expect: { verdict: accepted } }]"
    let entry = try Self.entry([text], bug.mutant)
    #expect(entry.kills.map(\.name) == ["file0"])
  }
}
