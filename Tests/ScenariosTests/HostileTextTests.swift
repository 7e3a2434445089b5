import Cryptography
import Oracles
import Scenarios
import Testing

@Suite("Hostile texts")
struct HostileTextTests {
  private func random(_ label: String) -> DeterministicRandom { .init(seed: .number(7), label: label) }

  @Test("two mebibytes of garbage are too much")
  func tooLarge() throws {
    let error = try #require(try Lab.diagnostics([UInt8](repeating: 97, count: 2 << 20)).first)
    #expect(error.message.shows("1 MiB"))
  }

  @Test("binary garbage is not a scenario")
  func binary() throws {
    var random = random("garbage")
    #expect(try Lab.diagnostics(random.bytes(4096)).first?.message.shows("UTF-8") == true)
    #expect(try Lab.diagnostics([0, 0, 0]).first?.message.contains("not YAML") == true)
  }

  @Test("an alias bomb is bounded, as a value and as a key", arguments: [9, 30])
  func bomb(depth: Int) throws {
    var text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
    for level in 1...depth {
      let inner = Array(repeating: "*a\(level - 1)", count: 9).joined(separator: ", ")
      text += "a\(level): &a\(level) [\(inner)]\n"
    }
    #expect(try !Lab.diagnostics(text).isEmpty)
    #expect(try !Lab.diagnostics(text + "? *a\(depth)\n: x\n").isEmpty)
    #expect(try !Lab.diagnostics(text + "{ *a\(depth) : 1, *a\(depth) : 2 }").isEmpty)
  }

  @Test("a small alias is allowed")
  func alias() throws {
    let text = "expect: &good { verdict: accepted }\ncases: [{ name: again, expect: *good }]"
    #expect(try Lab.diagnostics(text).isEmpty)
  }

  @Test("deep nesting is an error", arguments: [200, 5000, 100_000])
  func nesting(depth: Int) throws {
    let opened = String(repeating: "[", count: depth)
    #expect(try !Lab.diagnostics("title: " + opened).isEmpty)
    #expect(try !Lab.diagnostics("title: " + opened + String(repeating: "]", count: depth)).isEmpty)
    #expect(try !Lab.diagnostics("title: " + String(repeating: "{ a: ", count: depth)).isEmpty)
    #expect(try !Lab.diagnostics(String(repeating: "- ", count: depth) + "a").isEmpty)
  }

  @Test("random bytes and damaged scenarios never trap")
  func fuzz() throws {
    let library = try Lab.library()
    let files = try library.files().map { $0.lines.joined(separator: "\n") }
    var random = random("fuzz")
    func number(below limit: Int) -> Int {
      let bytes = random.bytes(4)
      return bytes.reduce(0) { $0 << 8 | Int($1) } % max(1, limit)
    }
    for round in 0..<300 {
      var bytes = Array(files[round % files.count].utf8)
      for _ in 0...number(below: 4) {
        let place = number(below: bytes.count)
        switch number(below: 5) {
        case 0: bytes[place] = UInt8(number(below: 256))
        case 1: bytes.removeSubrange(place..<min(bytes.count, place + 1 + number(below: 20)))
        case 2: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + 30)], at: number(below: bytes.count))
        case 3: bytes.insert(Array("\"':,[]{}&*!|>#-?\n".utf8)[number(below: 17)], at: place)
        default: bytes = Array(bytes.prefix(place))
        }
        if bytes.isEmpty { bytes = [10] }
      }
      for error in try Lab.diagnostics(bytes) { #expect(!error.description.isEmpty) }
    }
    for round in 0..<200 { _ = try Lab.diagnostics(random.bytes(round)) }
  }

  @Test(
    "extreme dates and sizes give an error or a result, and never trap",
    arguments: [
      "clock: 0000-01-01", "clock: 9999-12-31", "certificates: { api: { issuer: Issuing, days: 73000 } }",
      "certificates: { api: { issuer: Issuing, names: [\"\"] } }",
      "certificates: { api: { issuer: Issuing, names: [api.example, 10.0.0.1, \"::1\", \"ä.example\"] } }",
      "certificates: { api: { issuer: Issuing, notBefore: 2016-01-02, notAfter: 2016-01-01 } }",
      "certificates: { api: { issuer: Issuing, commonName: \"\", names: [], keyUsage: [], extendedKeyUsage: [] } }",
      "certificates: { api: { issuer: Issuing, key: rsa-512, names: [api.example] } }",
      "network: [{ leak: api.key, after: 36500 days }]", "seed: 18446744073709551615",
      "request: \"https://api.example:99999/\"", "request: \"\"", "request: \"ftp://api.example/\"",
      "request: https://other.example/", "server: { versions: [] }", "server: { cipherSuites: [] }",
      "server: { groups: [] }", "server: { content: null }", "server: { versions: [SSLv3] }",
      "server: { versions: [TLSv1.3] }", "server: { host: \"\" }", "server: { content: { GET /: \"\" } }",
      "client: { infoPlist: { NSExceptionDomains: [] } }", "client: { infoPlist: { NSExceptionDomains: { a: 1 } } }",
      "client: { infoPlist: nowhere.plist }", "client: { os: doc }",
    ])
  func extremes(text: String) throws {
    guard try Lab.diagnostics(text).isEmpty else { return }
    for error in try Lab.playing(text) { #expect(!error.message.isEmpty) }
  }
}
