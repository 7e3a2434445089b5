import Explanation
import PKIX
import Testing

@testable import Trust

@Suite("Server identity")
struct ServerIdentityTests {
  private func because(_ host: String, _ names: [GeneralName], os: String = "iOS 17") throws -> Set<String> {
    var world = World()
    world.leaf.subjectAlternativeName = names.isEmpty ? nil : SubjectAlternativeName(names)
    let leaf = try world.issue()[0]
    return Set(ServerIdentity(host, os: OSVersion(os)).findings(on: leaf).deciding.map(\.id))
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    let host: String
    let match: ServerIdentity.Match
    var testDescription: String { "\(name) for \(host)" }

    init(_ name: String, _ host: String, _ match: ServerIdentity.Match) {
      self.name = name
      self.host = host
      self.match = match
    }
  }

  @Test(
    "a name matches completely, and a wildcard matches exactly one label",
    arguments: [
      Row("api.example", "api.example", .matches), Row("api.example", "www.api.example", .none),
      Row("example", "api.example", .none), Row("api.example.", "api.example", .none),
      Row("*.google.com", "www.google.com", .matches), Row("*.google.com", "google.com", .wildcardDepth),
      Row("*.google.com", "a.b.google.com", .wildcardDepth), Row("*.google.com", "www.google.org", .none),
      Row("*.google.com", "wwwgoogle.com", .none), Row("www.*.com", "www.google.com", .wildcardForm),
      Row("w*.google.com", "www.google.com", .wildcardForm), Row("*w.google.com", "www.google.com", .wildcardForm),
      Row("*.com", "google.com", .wildcardHeight), Row("*", "com", .wildcardHeight),
      Row("*.*.com", "a.b.com", .wildcardForm),
      Row("", "api.example", .none), Row(".example", "api.example", .none),
    ])
  func names(_ row: Row) { #expect(ServerIdentity.match(row.name, row.host) == row.match) }

  @Test("case and a trailing dot of the host make no difference")
  func spelling() throws {
    #expect(try because("API.Example.", [.dnsName("api.EXAMPLE")]) == [])
    #expect(try because("api.example..", [.dnsName("api.example")]) == ["name.mismatch"])
  }

  @Test("Apple's systems refuse a wildcard before a public suffix; without the list it is uncertain")
  func publicSuffixes() throws {
    let list = PublicSuffixes(
      "// ===BEGIN ICANN DOMAINS===\r\n// a comment\r\nuk\r\nco.uk  words\n*.ck\n!www.ck\nio\n"
        // Public suffixes may be in any script; certificates contain A-labels (RFC 5890 section 2.3.2.1).
        + "公司.cn\n*.b\u{fc}cher.example\n!www.b\u{fc}cher.example\n"
        + "// ===END ICANN DOMAINS===\n// ===BEGIN PRIVATE DOMAINS===\ngithub.io\n")
    func outcome(_ name: String, _ suffixes: PublicSuffixes, _ os: String? = "iOS 17") throws -> Finding.Outcome? {
      var world = World()
      world.leaf.subjectAlternativeName = SubjectAlternativeName([.dnsName("*.\(name)")])
      let identity = ServerIdentity("www.\(name)", os: os.flatMap { OSVersion($0) }, suffixes: suffixes)
      return identity.findings(on: try world.issue()[0]).first { $0.rule.id == "name.wildcard-form" }?.outcome
    }
    for name in ["co.uk", "a.ck", "xn--55qx5d.cn", "a.xn--bcher-kva.example"] {
      #expect(try outcome(name, list) == .violated)
      #expect(try outcome(name, .unavailable) == (name.split(separator: ".").count == 2 ? .unknown : .satisfied))
      #expect(try outcome(name, .notAsked) == .satisfied && outcome(name, list, nil) == .satisfied)
    }
    // GitHub registered this domain, so its pages have one certificate for all of it.
    for name in ["company.co.uk", "company.example", "www.ck", "github.io", "www.xn--bcher-kva.example"] {
      #expect(try outcome(name, list) == .satisfied)
    }
    #expect(try outcome("company.co.uk", .unavailable) == .satisfied)
  }

  @Test("a wildcard with the wrong depth or form has its own rule, not name.mismatch")
  func wildcards() throws {
    let names = [GeneralName.dnsName("*.google.com")]
    #expect(try because("www.google.com", names) == [])
    #expect(try because("google.com", names) == ["name.wildcard-depth"])
    #expect(try because("a.b.google.com", names) == ["name.wildcard-depth"])
    #expect(try because("google.com", names + [.dnsName("google.com")]) == [])
    #expect(try because("www.google.com", [.dnsName("w*.google.com")]) == ["name.wildcard-form"])
    #expect(try because("mail.google.com", [.dnsName("www.google.com")]) == ["name.mismatch"])
  }

  @Test("before iOS 13 and macOS 10.15 the common name replaces a subjectAltName without names")
  func commonName() throws {
    for os in ["iOS 12.4", "macOS 10.14"] { #expect(try because("api.example", [], os: os) == []) }
    for os in ["iOS 13", "macOS 10.15", "doc"] { #expect(try because("api.example", [], os: os) == ["name.no-san"]) }
    #expect(try because("api.example", [.dnsName("other.example")], os: "iOS 12") == ["name.mismatch"])
    #expect(try because("other.example", [], os: "iOS 12") == ["name.mismatch"])
  }

  @Test("an address is compared as bytes with iPAddress")
  func addresses() throws {
    let names = [GeneralName.ipAddress([192, 0, 2, 1]), .ipAddress([UInt8](repeating: 0, count: 15) + [1])]
    for host in ["192.0.2.1", "::1", "[::1]", "0:0:0:0:0:0:0:1", "0::0.0.0.1"] {
      #expect(try because(host, names) == [])
    }
    #expect(try because("192.0.2.2", names) == ["name.mismatch"])
    #expect(try because("192.0.2.1", [.dnsName("*.0.2.1")]) == ["name.mismatch"])
    #expect(try because("192.0.2.1", [.dnsName("192.0.2.1")]) == ["name.mismatch"])
  }

  @Test("until iOS 12 an address in a dNSName matched; RFC 9525 advises against it")
  func addressAsText() throws {
    func outcomes(_ host: String, _ names: [GeneralName], os: OSVersion?) throws -> [Finding.Outcome] {
      var world = World()
      world.leaf.subjectAlternativeName = SubjectAlternativeName(names)
      let findings = ServerIdentity(host, os: os).findings(on: try world.issue()[0])
      #expect(!findings.contains { $0.rule == .addressAsText && $0.weight != .advises })
      return findings.filter { $0.rule == .addressAsText }.map(\.outcome)
    }
    let text = GeneralName.dnsName("192.0.2.1")
    let old = OSVersion("iOS 12")
    #expect(try outcomes("192.0.2.1", [text], os: old) == [.violated])
    #expect(try outcomes("192.0.2.1", [text, .ipAddress([192, 0, 2, 1])], os: old) == [.satisfied])
    #expect(try outcomes("api.example", [.dnsName("api.example")], os: old) == [])
    #expect(try outcomes("192.0.2.1", [text], os: .documentation) == [])
    #expect(try outcomes("192.0.2.1", [text], os: nil) == [])
  }

  /// Names and their A-labels: RFC 3492 section 7.1, (B), (C), (D), (E), (G), (I), (J), (L); and some more.
  static let labels = [
    ("他们为什么不说中文", "xn--ihqwcrb4cv8a8dqg056pqjye"), ("他們爲什麽不說中文", "xn--ihqwctvzc91f659drss3x8bo0yb"),
    ("Pročprostěnemluvíčesky", "xn--proprostnemluvesky-uyb24dma41a"),
    ("למההםפשוטלאמדבריםעברית", "xn--4dbcagdahymbxekheh6e0a7fei0b"),
    ("なぜみんな日本語を話してくれないのか", "xn--n8jok5ay5dzabd5bym9f0cm5685rrjetr6pdxa"),
    ("почемужеонинеговорятпорусски", "xn--b1abfaaepdrnnbgefbadotcwatmq2g4l"),
    ("PorquénopuedensimplementehablarenEspañol", "xn--porqunopuedensimplementehablarenespaol-fmd56a"),
    ("3年B組金八先生", "xn--3b-ww4c5e180e575a65lsy2b"), ("BÜCHER", "xn--bcher-kva"), ("bu\u{308}cher", "xn--bcher-kva"),
    ("straße", "xn--strae-oqa"),
  ]

  @Test("a host in any script is looked up by its A-labels, as certificates contain them", arguments: labels)
  func international(host: String, label: String) throws {
    #expect(RequestedHost("\(host).example") == .name("\(label).example"))
    #expect(RequestedHost("\(label).example.") == .name("\(label).example"))
    #expect(try because("\(host).example", [.dnsName("\(label.uppercased()).example")]) == [])
    #expect(try because("\(host).example", [.dnsName("*.example.org"), .dnsName("a.example")]) == ["name.mismatch"])
  }

  @Test("an ideographic full stop separates labels, and fullwidth letters equal ASCII letters")
  func foldedInternational() throws {
    #expect(RequestedHost("bücher。example") == .name("xn--bcher-kva.example"))
    #expect(RequestedHost("ａｐｉ.example") == .name("api.example"))
    #expect(RequestedHost("１９２.0.2.1") == .address([192, 0, 2, 1], text: "192.0.2.1"))
  }

  @Test(
    "a name that has no A-label is not a host",
    arguments: [
      "-ü.example", "ü b.example", "ü/a", "ü:80", "ü@a", "\u{200D}a.example", "*.ü.example", "ü..a", "a\u{2024}ü",
    ])
  func invalidInternational(_ host: String) { #expect(RequestedHost(host) == .invalid(host)) }

  @Test("a name of a million letters is refused as a host at once")
  func longInternational() {
    let host = String(repeating: "ü", count: 1 << 20)
    #expect(RequestedHost(host) == .invalid(host))
  }

  @Test(
    "a name that is not a host matches nothing",
    arguments: [
      "", ".", "..", "a..b", "*.example", "api example", "bücher.example", "[", "[]", "[::1", "api.example\u{0}",
      "\u{1F600}", "-", "1.2.3", "::g", ":::", "1:2:3:4:5:6:7:8:9",
    ])
  func invalidHosts(_ host: String) throws {
    let names: [GeneralName] = [.dnsName("api.example"), .dnsName("*.example.org"), .ipAddress([1, 2, 3, 4])]
    #expect(try because(host, names) == ["name.mismatch"])
    #expect(try because("api.example", names) == [])
  }
}
