import Scenarios
import Testing

@Suite("Names are unique, and loads are defined once")
struct NameTests {
  static let texts = [
    BadText(
      "two connections with one name",
      "connections:\n  - { name: a, request: https://api.example/ }\n  - { name: a, request: https://api.example/ }", 3,
      13,
      "'a'", ""),
    BadText(
      "two loads with one name",
      "requests:\n  - { name: a, url: https://api.example/ }\n  - { name: a, url: https://api.example/ }", 3, 13,
      "'a'"),
    BadText(
      "a connection with the default name of the next one",
      "connections:\n  - { name: second, request: https://api.example/ }\n  - { request: https://api.example/ }", 3, 5,
      "'second'"),
    BadText(
      "a connection with the reserved name of the upstream server",
      "connections:\n  - { name: upstream, request: https://api.example/ }\n  - { request: https://api.example/ }", 2,
      13,
      "'upstream' cannot be the name", "choose another name"),
    BadText(
      "a load with the name of a later handshake", "request: { name: a.renegotiated, url: https://api.example/ }", 1,
      18,
      "'a.renegotiated' cannot be the name"),
    BadText(
      "a certificate with the reserved name of the upstream server", "certificates: { upstream: { issuer: Issuing } }",
      1, 17,
      "'upstream' cannot be the name"),
    BadText(
      "two ways to load, and a typo in one of them",
      "title: t\nrequests:\n  - { url: https://api.example/, expct: {} }\nrequest: https://api.example/", 4, 1,
      "'request' … 'requests'", ""),
    BadText(
      "a typo in one of two ways to load",
      "title: t\nrequests:\n  - { url: https://api.example/, expct: {} }\nrequest: https://api.example/", 3, 34,
      "'expct'", "'expect'"),
    BadText(
      "another way to load in a row", "cases: [{ name: a, with: { requests: [https://api.example/] } }]", 1, 28,
      "'request' … 'requests'"),
    BadText(
      "nothing to load in a row", "title: t\ncases: [{ name: a, with: { request: null } }]", 2, 28, ""),
    BadText(
      "a value that is swept twice", "sweep: { client.os: [iOS 8, iOS 8] }\nexpect: { verdict: accepted }", 1, 29,
      "'iOS 8' … client.os", "remove one"),
    BadText(
      "a row with the name of a swept case",
      "cases: [{ name: client.os = iOS 8 }]\nsweep: { client.os: [iOS 8] }\nexpect: { verdict: accepted }", 2, 22,
      "'client.os = iOS 8'"),
  ]

  @Test("duplicate names and duplicate loads are errors at the second place", arguments: texts)
  func ambiguous(bad: BadText) throws { try bad.isTold() }

  static let lacking = [
    BadText(
      "no server", "title: t\nserver:\nexpect: { verdict: refused }", 2, 1, "'api.example'"),
    BadText(
      "a server of another host", "title: t\nserver: { host: b.example }", 2, 1, "", "b.example"),
    BadText(
      "servers of other hosts", "title: t\nservers: { b.example: { presents: [api, Issuing] } }", 2, 1,
      "'api.example'"),
    BadText(
      "no server in a row", "title: t\ncases: [{ name: a, with: { server: null } }]", 2, 28, ""),
    BadText(
      "no authorities", "title: t\nauthorities:\nexpect: { verdict: refused }", 2, 1,
      "'Issuing' … 'api'", "'Issuing'"),
    BadText(
      "no authorities, at the presented chain", "title: t\nauthorities:\nexpect: { verdict: refused }", 2, 1,
      ""),
    BadText(
      "no certificates", "title: t\ncertificates:\nexpect: { verdict: refused }", 2, 1,
      ""),
  ]

  @Test("an entry that the baseline's connection needs is reported where the file removes it", arguments: lacking)
  func mended(bad: BadText) throws {
    try bad.isTold()
    let places = try Lab.diagnostics(bad.text).compactMap(\.mark)
    #expect(places.allSatisfy { $0.file == "test.yaml" }, "\(places)")
  }

  @Test("CAs and certificates that the baseline's connection does not need may be removed")
  func unneeded() throws {
    let own = "certificates:\nauthorities: { Own: { trust: system } }\nserver: { presents: [Own] }"
    #expect(try Lab.read(own).cases.first?.authorities.map(\.name) == ["Own"])
    #expect(try Lab.read("server: { alpn: null }").cases.count == 1)
  }

  @Test(
    "connections with names of their own, or with none, all exist",
    arguments: [
      (
        "connections: [{ name: a, request: https://api.example/ }, { name: b, request: https://api.example/ }]",
        ["a", "b"]
      ),
      ("requests: [https://api.example/, https://api.example/]", ["first", "second"]),
      (
        "requests: [{ name: upstream.a, url: https://api.example/ }, { name: renegotiated2, url: https://api.example/ }]",
        ["upstream.a", "renegotiated2"]
      ),
      ("requests: [https://api.example/, { name: first load, url: https://api.example/ }]", ["first", "first load"]),
    ])
  func named(text: String, names: [String]) throws {
    #expect(try Lab.read(text).cases.first?.connections.compactMap(\.name) == names)
  }

  @Test("a row may replace one kind of load by another; a sweep plays all values")
  func ways() throws {
    let row = "cases: [{ name: a, with: { request: null, requests: [https://api.example/, https://api.example/] } }]"
    #expect(try Lab.read(row).cases.map(\.connections.count) == [1, 2])
    #expect(try Lab.read("sweep: { client.os: [iOS 8, iOS 9] }").cases.count == 3)
  }
}
