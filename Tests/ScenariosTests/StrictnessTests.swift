import Advice
import Oracles
import Scenarios
import Testing

/// A text and its expected error: the place, and values that message and hint must show.
struct BadText: Sendable, CustomTestStringConvertible {
  let name: String
  let text: String
  let line: Int
  let column: Int
  let message: String
  let hint: String
  var testDescription: String { name }

  init(_ name: String, _ text: String, _ line: Int, _ column: Int, _ message: String, _ hint: String = "") {
    self.name = name
    self.text = text
    self.line = line
    self.column = column
    self.message = message
    self.hint = hint
  }

  /// Checks that reading the text gives this error at this place, with this hint.
  func isTold() throws {
    let found = try Lab.diagnostics(text)
    let isTold = found.contains { diagnostic in
      diagnostic.mark?.line == line && diagnostic.mark?.column == column && diagnostic.shows(message, hint)
    }
    #expect(isTold, "\(found)")
  }
}

@Suite("The language is strict")
struct StrictnessTests {
  static let texts = [
    BadText("typo key", "title: x\nclent: { os: iOS 9 }", 2, 1, "'clent'", "'client'"),
    BadText(
      "two words for the user",
      "authorities: { Root A: { trust: user, trustSettings: never }, Issuing: { issuer: Root A } }", 1, 54,
      "'trust: user'", "system"),
    BadText(
      "a missing extension", "certificates: { api: { issuer: Issuing, extensions: [], keyUsage: [] } }", 1,
      67, "'api' … keyUsage", "keyUsage"),
    BadText("typo key inside", "client:\n  oss: iOS 9", 2, 3, "'oss'", "'os'"),
    BadText("wrong type", "server: [a]", 1, 9, "server", "host"),
    BadText("map for text", "title: { a: b }", 1, 8, "title"),
    BadText("word for list", "server: { presents: api }", 1, 21, "server.presents", "[api]"),
    BadText(
      "word for list with a quote", "network: eavesdrop", 1, 10, "network", "[eavesdrop]"),
    BadText("number out of range", "level: 99", 1, 8, "level … 1 … 9 … '99'"),
    BadText("the nearest number", "level: 99", 1, 8, "1 … 9", "9"),
    BadText("a number with a letter", "client: { proxy: { port: 8O80 } }", 1, 26, "'8O80'", "8080"),
    BadText("a number in words", "server: { authentication: { lockAfter: three } }", 1, 40, "'three'", "3"),
    BadText("a number with a quote", "level: \"3\"", 1, 8, "level", "3"),
    BadText(
      "a stolen identity with a passphrase", "client: { identity: { stolen: alice, passphrase: x } }", 1, 50,
      "'passphrase'", "{ stolen: alice }"),
    BadText("an unknown disposition", "expect: { answers: [cancle] }", 1, 21, "'cancle'", "'cancel'"),
    BadText("a German date", "clock: 31.10.2016", 1, 8, "'31.10.2016'", "2016-10-31"),
    BadText("a date with slashes", "clock: 10/31/2016", 1, 8, "", "2016-11-01"),
    BadText("an ambiguous date", "clock: 3/4/2016", 1, 8, "", "2016-04-03"),
    BadText("a time of day", "clock: 2016-11-01 9:30", 1, 8, "", "2016-11-01T09:30:00Z"),
    BadText("a day too many", "clock: 2016-02-30", 1, 8, "'2016-02-30'", "2016-02-29"),
    BadText(
      "a month", "network: [{ leak: api.key, after: 2 months }]", 1, 35, "", "60 days"),
    // Removing an entry that does not exist tests nothing.
    BadText(
      "a misspelt word that a row removes", "cases: [{ name: a, with: { client.infoplist: null } }]", 1, 28,
      "'infoplist'", "'infoPlist'"),
    BadText(
      "an unknown name that a row removes", "cases: [{ name: a, with: { certificates.apo: null } }]", 1, 28,
      "'apo'", "'api'"),
    BadText(
      "a misspelt word that the file removes", "client: { infoplist: null }", 1, 11, "'infoplist'",
      "'infoPlist'"),
    // RFC 8422 appendix A: the names by NIST and X9.62 for the curves of the registry.
    BadText("a curve of the NIST", "server: { groups: [P-256] }", 1, 20, "'P-256'", "'secp256r1'"),
    BadText("a curve of X9.62", "server: { groups: [prime256v1] }", 1, 20, "unknown group", "'secp256r1'"),
    BadText("a curve of RFC 7748", "server: { groups: [curve25519] }", 1, 20, "unknown group", "'x25519'"),
    BadText("another program's verdict", "expect: { verdict: rejected }", 1, 20, "unknown verdict", "'refused'"),
    BadText("a verdict alone", "expect: accepted", 1, 9, "expect", "{ verdict: accepted }"),
    BadText("a capability alone", "attackers: [passive]", 1, 12, "attackers", "{ capability: passive }"),
    BadText(
      "several loads", "request: [https://api.example/]", 1, 10, "request",
      "requests: [https://api.example/]"),
    BadText("an everyday verb", "network: [mitm]", 1, 11, "'mitm'", "'intercept'"),
    BadText(
      "an everyday party", "expect: { knowledge: { attacker: { knows: [api.key] } } }", 1, 24,
      "'attacker'", "'eavesdropper'"),
    BadText(
      "a row's change next to its name", "cases: [{ name: a, client: { os: iOS 9 } }]", 1, 20, "'client'",
      "with: { client: { os: iOS 9 } }"),
    BadText(
      "a key without its hyphen", "certificates: { api: { issuer: Issuing, key: RSA2048 } }", 1, 46,
      "'RSA2048'", "'rsa-2048'"),
    BadText(
      "OpenSSL's word for names", "certificates: { api: { issuer: Issuing, san: [a.example] } }", 1, 41,
      "'san'", "'names'"),
    BadText(
      "a word of the timeline", "timeline: [{ date: 2017-01-01, with: {} }]", 1, 32, "'with'", "'changes'"),
    BadText(
      "an Info.plist where its dictionary belongs",
      "client:\n  infoPlist: { NSAppTransportSecurity: { NSAllowsArbitraryLoads: true } }", 2, 16,
      "client.infoPlist … 'NSAppTransportSecurity'",
      "infoPlist: { NSAllowsArbitraryLoads: true }"),
    BadText(
      "an end before the usual beginning",
      "clock: 2016-11-01\ncertificates: { api: { issuer: Issuing, names: [api.example], notAfter: 2015-01-01 } }", 2,
      73,
      "'api' … 2016-10-02", "notBefore: 2014-01-01"),
    BadText(
      "an end before a given beginning",
      "certificates: { api: { issuer: Issuing, notBefore: 2015-01-02, notAfter: 2015-01-01 } }", 1, 74,
      "'api'", "notAfter … notBefore"),
    BadText(
      "an item that a list does not have", "cases: [{ name: a, with: { \"server.presents[7]\": Issuing } }]", 1, 28,
      "'server.presents' … 2", "server.presents[1]"),
    BadText(
      "an item of a word that is no list", "sweep: { \"client.os[0]\": [iOS 9] }", 1, 10, "'client.os'"),
    BadText("huge number", "level: 99999999999999999999999", 1, 8, "level"),
    BadText(
      "negative seed", "seed: -1", 1, 7,
      "seed … 2^64 - 1 … 64 … 'counting'"),
    BadText(
      "seed of 8 digits", "seed: abababab", 1, 7,
      "seed … 2^64 - 1 … 64"),
    BadText(
      "seed of 64 characters that are no digits", "seed: \(String(repeating: "xy", count: 32))", 1, 7, "64"),
    BadText("no date", "clock: yesterday", 1, 8, "'yesterday'", "2016-11-01"),
    BadText(
      "unknown CA", "certificates:\n  api: { issuer: Isuing, names: [api.example] }", 2, 18,
      "'Isuing'", "'Issuing'"),
    BadText(
      "issuer cycle",
      "authorities:\n  A: { issuer: B }\n  B: { issuer: A }\ncertificates:\n  api: { issuer: A, names: [api.example] }\n"
        + "server: { presents: [api] }", 2, 3, "", ""),
    BadText(
      "unused CA",
      "authorities:\n  Root A: { trust: system }\n  Issuing: { issuer: Root A }\n  Spare: {}", 4, 3,
      "'Spare'"),
    BadText(
      "unused certificate",
      "certificates:\n  api: { issuer: Issuing, names: [api.example] }\n  other: { issuer: Issuing, names: [o.example] }",
      3, 3, "'other'"),
    BadText("duplicate key", "title: a\nlesson: L1\ntitle: b\n", 3, 1, "'title'"),
    BadText("duplicate key of three", "a: 1\nb: 1\na: 2\na: 3", 3, 1, "'a'"),
    BadText("duplicate key in one line", "client: { os: iOS 8, os: iOS 9 }", 1, 22, "'os'"),
    BadText(
      "duplicate quoted key", "client:\n  \"os\": iOS 8\n  loader: URLSession\n  \"os\": iOS 9", 4, 3,
      "'os'"),
    BadText("duplicate key, quoted once", "client:\n  os: iOS 8\n  \"os\": iOS 9", 3, 3, "'os'"),
    BadText("duplicate key after a letter of two UTF-16 units", "{ title: é𝄞, seed: 1, seed: 2 }", 1, 23, "'seed'"),
    BadText("duplicate key, Windows line ends", "title: a\r\nseed: 1\r\nseed: 2\r\n", 3, 1, "'seed'"),
    BadText("empty", "", 1, 1, "", "list words"),
    BadText("only a comment", "# nothing\n", 1, 1, ""),
    BadText("a list", "- a\n- b", 1, 1, ""),
    BadText("a word", "hello", 1, 1, ""),
    BadText(
      "two documents", "title: a\n---\ntitle: b", 2, 1, ""),
    BadText("a tab", "client:\n\tos: iOS 9", 2, 1, "YAML", ""),
    BadText("an open bracket", "network: [eavesdrop", 1, 10, ""),
    BadText(
      "an open brace", "client: { os: iOS 9,\n  loader: URLSession\n", 1, 9, ""),
    BadText("an open quote", "title: \"a\nseed: 1\n", 1, 8, ""),
    BadText(
      "two ends of a certificate",
      "certificates:\n  api: { issuer: Issuing, names: [api.example], days: 90, notAfter: 2017-01-01 }", 2, 59,
      "'days' … 'notAfter' … 'api'"),
    BadText(
      "a timeline that runs backwards",
      "timeline:\n  - { date: 2017-03-01 }\n  - { date: 2017-01-01 }\n", 3, 7,
      "2017-01-01 … 2017-03-01"),
    BadText(
      "a timeline with a moment twice",
      "timeline:\n  - { date: 2017-03-01 }\n  - { date: 2017-03-01 }\n", 3, 7, "2017-03-01"),
    BadText(
      "a timeline that begins before the clock", "timeline: [{ date: 2016-01-01 }]", 1, 14,
      "2016-01-01 … 2016-11-01"),
    BadText("an unknown anchor", "title: *a", 1, 8, ""),
    BadText("a map as key", "{ { a: b }: c }", 1, 3, ""),
    BadText(
      "suite without its end", "server: { cipherSuites: [TLS_RSA_WITH_AES_128_GCM] }", 1, 26, "",
      "TLS_RSA_WITH_AES_128_GCM_SHA256"),
    BadText(
      "unknown suite", "server: { cipherSuites: [TLS_RSA_WITH_AES_128_GCM_SHA257] }", 1, 26, "",
      "'TLS_RSA_WITH_AES_128_GCM_SHA256'"),
    BadText("unknown version", "server: { versions: [TLS1.2] }", 1, 22, "'TLS1.2'", "'TLSv1.2'"),
    BadText("unknown group", "server: { groups: [x25591] }", 1, 20, "unknown group", "'x25519'"),
    BadText("unknown OS", "client: { os: Android 9 }", 1, 15, "'Android 9'", "iOS 10"),
    BadText("unknown loader", "client: { loader: NSURLSession }", 1, 19, "unknown loader", "'URLSession'"),
    BadText(
      "unknown rule", "expect: { verdict: refused, because: [chain.expird] }", 1, 39, "'chain.expird'",
      "'chain.expired'"),
    BadText("unknown layer", "expect: { verdict: refused, layer: at }", 1, 36, "unknown layer", "'ats'"),
    BadText("unknown verdict", "expect: { verdict: refuse }", 1, 20, "unknown verdict", "'refused'"),
    BadText("unknown error", "expect: { verdict: refused, errors: [-1200] }", 1, 38, "'-1200'"),
    BadText("unknown goal", "expect: { goals: { eavesdroping: later } }", 1, 20, "unknown key", "'eavesdropping'"),
    BadText("unknown state", "expect: { goals: { tampering: maybe } }", 1, 31, "'maybe'"),
    BadText("unknown certificate", "server: { presents: [ap, Issuing] }", 1, 22, "'ap'", "'api'"),
    BadText(
      "unknown certificate in a path", "expect: { path: [api, Isuing] }", 1, 23, "'Isuing'",
      "'Issuing'"),
    BadText("unknown secret", "network: [{ leak: ap.key }]", 1, 19, "'ap.key'", "'api.key'"),
    BadText(
      "unknown value", "expect:\n  knowledge:\n    eavesdropper: { lacks: [master_secrte] }", 3, 29,
      "'master_secrte'", "'master_secret'"),
    BadText(
      "unknown party", "expect: { knowledge: { evesdropper: { lacks: [master_secret] } } }", 1, 24,
      "'evesdropper'", "'eavesdropper'"),
    BadText(
      "value of a missing connection",
      "requests:\n  - url: https://api.example/\n    expect: { knowledge: { client: { knows: [second.client_random] } } }",
      3, 28, "'second.client_random'", "'first.client_random'"),
    BadText("accepted for a reason", "expect: { verdict: accepted, layer: ats }", 1, 9, "accepted", "overridden"),
    BadText("unknown verb", "network: [evesdrop]", 1, 11, "unknown verb", "'eavesdrop'"),
    BadText("attacker without settings", "network: [intercept]", 1, 11, "'intercept'", "presents"),
    BadText(
      "two ways to alter", "network: [{ alter: Alert, flip: 1, field: level, to: 00 }]", 1, 11, "", "flip"),
    BadText("unknown message", "network: [{ drop: Goodbye }]", 1, 19, "'Goodbye'"),
    BadText("no verb", "network: [{ from: client }]", 1, 11, "", "intercept"),
    BadText("no hex", "network: [{ alter: ServerHello, field: random, to: xy }]", 1, 52, "'xy'"),
    BadText(
      "key that the attacker lacks", "network: [{ intercept: { presents: [api] } }]", 1, 11,
      "'api.key'", "holds: [api.key]"),
    BadText("bug of another party", "server: { mutant: goto-fail }", 1, 19, "'goto-fail'", "list mutants"),
    BadText("impostor of another server", "network: [{ reroute: b.example }]", 1, 22, "'b.example'"),
    BadText(
      "bad quality", "client: { random: { premaster_secret: poor } }", 1, 39, "'poor'", "16 bits"),
    BadText("bad value", "client: { random: { server_random: 8 bits } }", 1, 21, "'server_random'"),
    BadText(
      "unknown recording", "connections: [{ name: a, replays: b }]", 1, 35, "'b'"),
    BadText("unknown identity", "client: { identity: alise }", 1, 21, "'alise'", "known"),
    BadText(
      "server that trusts no client", "server: { clientAuthentication: required }", 1, 33, "",
      "clientAuthorities: [Root A]"),
    BadText(
      "unknown CA for clients", "server: { clientAuthentication: optional, clientAuthorities: [Root B] }", 1, 63,
      "'Root B'", "'Root A'"),
    BadText(
      "way of client authentication", "server: { clientAuthentication: always }", 1, 33,
      "'always'"),
    BadText("delegate", "client: { serverTrust: accept }", 1, 24, "'accept'", "accept-all"),
    BadText(
      "anchor", "client: { serverTrust: { anchors: [Root B] } }", 1, 36,
      "'Root B'"),
    BadText("anchors only", "client: { serverTrust: { pins: [api], anchorsOnly: true } }", 1, 52, ""),
    BadText("nothing trusted", "client: { serverTrust: { anchorsOnly: perhaps } }", 1, 39, ""),
    BadText(
      "accept all, and pins", "client: { serverTrust: { delegate: accept-all, pins: [api] } }", 1, 24, "accept-all"),
    BadText(
      "identity",
      "client: { infoPlist: { NSPinnedDomains: { a: { NSPinnedLeafIdentities: [{ SPKI-SHA256-BASE64: spki(apj) }] } } } }",
      1, 95, "'apj'", "'api'"),
    BadText("direct", "client: { direct: maybe }", 1, 19, ""),
    BadText("timestamps", "certificates: { api: { issuer: Issuing, timestamps: many } }", 1, 53, ""),
    BadText("redirect without a target", "server: { content: { GET /: {} } }", 1, 29, ""),
    BadText("redirect to nothing", "server: { content: { GET /: { redirect: page } } }", 1, 41, ""),
    BadText(
      "no redirect", "server: { content: { GET /: { redirect: /a, status: 304 } } }", 1, 53, "304"),
    BadText(
      "redirect to a missing server", "server: { content: { GET /: { redirect: 'http://other.example/' } } }", 1, 41,
      "'other.example'"),
    BadText("SDK", "client: { linkedSDK: 8 }", 1, 22, "'8'"),
    BadText("typo on a date", "timeline:\n  - { date: 2017-01-01, changes: { cliend.os: iOS 9 } }", 2, 36, "cliend"),
    BadText("two ways to load", "request: a\nrequests: [b]", 2, 1, ""),
    BadText("nothing to load", "request: null", 1, 1, ""),
    BadText("no load", "requests: []", 1, 11, ""),
    BadText("case without a name", "cases:\n  - { with: { client.os: iOS 9 } }", 2, 5, ""),
    BadText(
      "two cases with one name", "cases: [{ name: a }, { name: a, expect: {} }]", 1, 30, "'a'"),
    BadText("no path in a row", "cases: [{ name: a, with: { a..b: c } }]", 1, 28, "'a..b'"),
    BadText("list for a row", "cases: [{ name: a, with: [b] }]", 1, 26, ""),
    BadText(
      "sweep in a row", "cases: [{ name: a, with: { sweep: { client.os: [iOS 8] } } }]", 1, 28,
      "'sweep'", ""),
    BadText(
      "sweep next to a row's changes", "cases: [{ name: a, sweep: { client.os: [iOS 8] } }]", 1, 20,
      "'sweep'",
      ""),
    BadText(
      "expectation in a row's changes", "cases: [{ name: a, with: { expect.verdict: refused } }]", 1, 28,
      "'expect'", "'with'"),
    BadText("sweep of a word", "sweep: { client.os: iOS 9 }", 1, 10, ""),
    BadText("sweep of a list", "sweep: [iOS 9]", 1, 8, ""),
    BadText("own sibling", "expect: { verdict: refused }\nsibling: main", 2, 10, ""),
    BadText(
      "certificate and CA of one name", "certificates: { Root A: { names: [api.example] } }", 1, 17, ""),
    BadText("bad key size", "certificates: { api: { key: rsa-128 } }", 1, 29, "'rsa-128'", "rsa-2048"),
    BadText("bad request line", "server: { content: { FETCH /: a } }", 1, 22, "", "GET /path"),
    BadText("endless leak", "network: [{ leak: api.key, after: 9e9 years }]", 1, 35, "", "30 days"),
  ]

  @Test("an error has its place and a suggestion", arguments: texts)
  func places(bad: BadText) throws {
    try bad.isTold()
    #expect(try Lab.diagnostics(bad.text).allSatisfy { !$0.message.hasSuffix(".") })
  }

  @Test("an error shows its line with a caret under the word")
  func caret() throws {
    let error = try #require(try Lab.diagnostics("client:\n  oss: iOS 9").first)
    #expect(
      error.description
        == "test.yaml:2:3: error: \(error.message)\n    oss: iOS 9\n    ^\nhint: \(error.hint)")
    #expect(error.shows("'oss'", "'os'"))
  }

  @Test("all errors of a file are reported at once, in its order")
  func several() throws {
    let all = try Lab.diagnostics("titel: a\nclient: { os: Android, loader: curl }\nlevel: x")
    #expect(all.map { $0.mark?.line } == [1, 2, 2, 3])
  }

  @Test("a refusal without an accepted sibling is worth a warning, not an error")
  func lonely() throws {
    let file = try Lab.read("request: http://api.example/\nexpect: { verdict: refused }")
    #expect(file.warnings.map(\.severity) == [.warning])
    #expect(try Lab.read("expect: { verdict: refused }\nsibling: L1-01").warnings.isEmpty)
  }

  @Test("a byte order mark may precede the text, and columns are counted after it")
  func byteOrderMark() throws {
    #expect(try Lab.diagnostics("\u{feff}title: a\nseed: 1\n").isEmpty)
    #expect(try Lab.diagnostics("\u{feff}titel: a\n").first?.mark == SourceMark(file: "test.yaml", line: 1, column: 1))
    #expect(try !Lab.diagnostics("title: a\n\u{feff}seed: 1\n").isEmpty)
  }

  @Test("a row may set notAfter instead of days")
  func ends() throws {
    let text = """
      certificates: { api: { issuer: Issuing, names: [api.example], days: 90 } }
      cases: [{ name: later, with: { certificates.api.notAfter: 2017-06-01 } }]
      """
    #expect(try Lab.diagnostics(text).isEmpty)
  }

  @Test("unknown keys of a property list are allowed, and quoted YES stays a text")
  func propertyLists() throws {
    let text = "client: { infoPlist: { NSAllowsArbitraryLodas: YES, NSAllowsArbitraryLoads: \"YES\" } }"
    #expect(try Lab.diagnostics(text).isEmpty)
  }
}
