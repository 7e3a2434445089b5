import Testing

@testable import Web

@Suite("The gate of the web server") struct WebGateTests {
  private static let gate = WebGate(token: "0123456789abcdef")

  private static func head(_ change: (inout WebGate.Head) -> Void = { _ in }) -> WebGate.Head {
    var head = WebGate.Head(
      method: "GET", target: "/curriculum.html", host: ["127.0.0.1:8000"], origin: [],
      cookies: ["a=b; trustlab-8000=0123456789abcdef"], authorization: [])
    change(&head)
    return head
  }

  private static func status(_ change: (inout WebGate.Head) -> Void) -> Int {
    switch gate.check(head(change), port: 8000) {
    case .pass: 200
    case .respond(let response): response.status
    }
  }

  @Test("a request with the token in its cookie or its header passes")
  func passes() {
    #expect(Self.gate.check(Self.head(), port: 8000) == .pass(path: "/curriculum.html"))
    let status = Self.status {
      ($0.cookies, $0.authorization) = ([], ["Bearer 0123456789abcdef"])
    }
    #expect(status == 200)
    #expect(Self.status { $0.origin = ["http://127.0.0.1:8000"] } == 200)
    for host in ["localhost:8000", "LOCALHOST:8000", "[::1]:8000", "192.0.2.7:8000"] {
      #expect(Self.status { $0.host = [host] } == 200, "\(host)")
    }
  }

  @Test("a missing token, a wrong one and one of another port do not pass")
  func token() {
    #expect(Self.status { $0.cookies = [] } == 403)
    #expect(Self.status { $0.cookies = ["trustlab-8000=0123456789abcdee"] } == 403)
    #expect(Self.status { $0.cookies = ["trustlab-8001=0123456789abcdef"] } == 403)
    #expect(Self.status { ($0.cookies, $0.authorization) = ([], ["Basic 0123456789abcdef"]) } == 403)
    #expect(Self.status { ($0.cookies, $0.target) = ([], "/?token=0123456789abcde") } == 403)
  }

  @Test(
    "a foreign Host is refused before the token is looked at",
    arguments: [
      [], ["evil.example:8000"], ["127.0.0.1:8001"], ["127.0.0.1"], ["127.0.0.1.evil.example:8000"],
      ["127.0.0.1:8000", "evil.example:8000"], ["1.2.3:8000"], ["256.0.0.1:8000"], [""],
    ])
  func host(_ host: [String]) {
    #expect(Self.status { $0.host = host } == 421)
    #expect(Self.status { ($0.host, $0.target) = (host, "/?token=0123456789abcdef") } == 421)
  }

  @Test(
    "a foreign Origin is refused",
    arguments: [
      "null", "http://evil.example", "https://127.0.0.1:8000", "http://127.0.0.1:8001", "http://localhost:8000", "",
    ])
  func origin(_ origin: String) { #expect(Self.status { $0.origin = [origin] } == 403) }

  @Test("the token of an address moves into a cookie, and only to a path of this server")
  func entry() throws {
    func fields(_ target: String) throws -> [WebResponse.Field] {
      let result = Self.gate.check(Self.head { ($0.cookies, $0.target) = ([], target) }, port: 8000)
      guard case .respond(let response) = result else { throw Missing() }
      #expect(response.status == 303)
      return response.fields
    }
    let token = "?a=b&token=0123456789abcdef"
    let all = try fields("/curriculum.html" + token)
    #expect(all.contains(.init(name: "Location", value: "/curriculum.html")))
    #expect(
      all.contains(
        .init(name: "Set-Cookie", value: "trustlab-8000=0123456789abcdef; Path=/; HttpOnly; SameSite=Strict")))
    for target in ["//evil.example/", "/%0d%0aSet-Cookie:%20a=b", "/%2Fevil.example"] {
      #expect(try fields(target + token).contains(.init(name: "Location", value: "/")), "\(target)")
    }
  }

  private struct Missing: Error {}

  @Test("only GET, HEAD and POST are allowed")
  func methods() {
    for method in ["HEAD", "POST"] { #expect(Self.status { $0.method = method } == 200) }
    for method in ["PUT", "OPTIONS", "TRACE"] { #expect(Self.status { $0.method = method } == 405) }
  }

  @Test(
    "a path that leads out of the site is refused",
    arguments: [
      "", "*", "http://127.0.0.1:8000/", "/../etc/passwd", "/a/%2e%2e/b", "/a%00", "/%", "/%4", "/%zz", "/a\\b", "/%ff",
    ])
  func paths(_ path: String) { #expect(Self.status { $0.target = path } == 400) }

  @Test("two gates have different tokens of 128 bits")
  func tokens() {
    let (one, other) = (WebGate().token, WebGate().token)
    #expect(one != other)
    #expect(one.count == 32 && one.allSatisfy(\.isHexDigit))
  }
}
