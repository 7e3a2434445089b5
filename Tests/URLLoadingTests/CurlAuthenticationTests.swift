import Cryptography
import Explanation
import Foundation
import Oracles
import Testing

@testable import URLLoading

/// Compares curl's authentication with this client's.
///
/// curl authenticates to a loopback server with prepared responses, which records the requests. The same challenges and
/// credential must give the same values here.
@Suite("Requests of curl", .needs(.curl, .python))
struct CurlAuthenticationTests {
  /// The Authorization values of curl's requests when the server sends `responses` in order; nil for a request without
  /// one.
  private func requests(
    _ options: String..., to responses: [String], field: String = "authorization", asProxy: Bool = false
  ) throws -> [String?] {
    let script = """
      import json, socket, subprocess, sys
      given = json.load(sys.stdin)
      server = socket.socket()
      server.settimeout(20)
      server.bind(("127.0.0.1", 0))
      server.listen(1)
      url = "http://127.0.0.1:%d/dir/index.html" % server.getsockname()[1]
      way = ["--noproxy", "*", url]
      if given["asProxy"]:
          way = ["--proxy", "http://127.0.0.1:%d" % server.getsockname()[1], "https://api.example/"]
      curl = subprocess.Popen(
          ["curl", "--silent", "--max-time", "20", *given["options"], *way],
          stdout=subprocess.DEVNULL)
      connection, _ = server.accept()
      connection.settimeout(20)
      fields = []
      for response in given["responses"]:
          request = b""
          while not request.endswith(b"\\r\\n\\r\\n"):
              more = connection.recv(65536)
              if not more: break
              request += more
          lines = request.decode("latin-1").split("\\r\\n")
          found = [line.split(": ", 1)[1] for line in lines if line.lower().startswith(given["field"] + ":")]
          fields.append(found[0] if found else None)
          connection.sendall(response.encode("latin-1"))
      if given["asProxy"]: connection.close()
      curl.wait()
      json.dump(fields, sys.stdout)
      """
    let input = try JSONSerialization.data(
      withJSONObject: ["options": options, "responses": responses, "field": field, "asProxy": asProxy])
    let output = Command.output(
      [try #require(Python.interpreter()), "-c", script], input: String(decoding: input, as: UTF8.self))
    let fields = try JSONSerialization.jsonObject(with: Data(try #require(output).utf8)) as? [Any]
    return try #require(fields).map { $0 as? String }
  }

  private static let accepted = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"

  private static func unauthorized(_ challenges: String...) -> String {
    "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n"
      + challenges.map { "WWW-Authenticate: \($0)\r\n" }.joined() + "\r\n"
  }

  private static let alice = UserPassword(user: "alice", password: "se cret")

  private func server(_ scheme: HTTPAuthenticationScheme, _ algorithm: String = "MD5") throws -> HTTPAuthenticator {
    HTTPAuthenticator(
      .init(
        schemes: [scheme], realm: "mobile", users: ["alice": "se cret"],
        algorithms: [try #require(DigestAuthentication.Algorithm(algorithm))]),
      random: DeterministicRandom(seed: .number(5), label: "nonce"))
  }

  private func judge(_ server: inout HTTPAuthenticator, _ field: String?) -> HTTPAuthenticator.Judgement.Answer {
    server.judge(method: "GET", uri: "/dir/index.html", authorization: field).answer
  }

  @Test("Basic, byte for byte")
  func basic() throws {
    let fields = try requests("--basic", "--user", "alice:se cret", to: [Self.accepted])
    #expect(fields == [BasicAuthentication.authorization(Self.alice)])
    var server = try server(.basic)
    #expect(judge(&server, fields[0]) == .allowed(user: "alice"))
  }

  @Test("Digest, byte for byte except the nonce that curl generates", arguments: DigestAuthentication.Algorithm.names)
  func digest(algorithm: String) throws {
    var server = try server(.digest, algorithm)
    guard case .unauthorized(let challenges) = judge(&server, nil), let challenge = challenges.first else {
      Issue.record("the server sends no challenge")
      return
    }
    let fields = try requests(
      "--digest", "--user", "alice:se cret", to: [Self.unauthorized(challenge), Self.accepted])
    let sent = try #require(fields.last.flatMap { $0 })
    let parsed = try #require(HTTPChallengeList([sent]).challenges.first)
    let proof = DigestAuthentication.Proof(
      try #require(.init(parsed["algorithm"])), realm: "mobile", nonce: try #require(parsed["nonce"]),
      cnonce: try #require(parsed["cnonce"]), count: 1)
    #expect(
      DigestAuthentication.authorization(proof, Self.alice, method: "GET", uri: "/dir/index.html") == sent)
    #expect(judge(&server, sent) == .allowed(user: "alice"))
    // This client's value differs only in its own nonce and in the values that depend on it.
    var client = HTTPAuthorization(
      abilities: .init(supportsSHA256: true), date: Instant(secondsSince1970: 0),
      random: DeterministicRandom(seed: .number(5), label: "cnonce"))
    _ = client.receive([challenge])
    client.use(Self.alice)
    let ours = client.authorization(method: "GET", uri: "/dir/index.html")
    func names(_ field: String?) -> [String] {
      HTTPChallengeList([field ?? ""]).challenges.flatMap(\.parameters).map(\.name)
    }
    #expect(names(ours) == names(sent))
  }

  @Test("CONNECT to a proxy, byte for byte except the nonce that curl generates")
  func proxy() throws {
    let field = "proxy-authorization"
    let basic = try requests(
      "--proxy-basic", "--proxy-user", "alice:se cret", to: [Self.accepted], field: field, asProxy: true)
    #expect(basic == [BasicAuthentication.authorization(Self.alice)])
    var policy = HTTPAuthenticator.Policy(schemes: [.digest], realm: "office", users: ["alice": "se cret"])
    policy.isProxy = true
    var server = HTTPAuthenticator(policy, random: DeterministicRandom(seed: .number(5), label: "nonce"))
    func judge(_ field: String?) -> HTTPAuthenticator.Judgement.Answer {
      server.judge(method: "CONNECT", uri: "api.example:443", authorization: field).answer
    }
    guard case .unauthorized(let challenges) = judge(nil), let challenge = challenges.first else {
      Issue.record("the proxy sends no challenge")
      return
    }
    let asking = "HTTP/1.1 407 No\r\nContent-Length: 0\r\nProxy-Authenticate: \(challenge)\r\n\r\n"
    let sent = try #require(
      try requests(
        "--proxy-digest", "--proxy-user", "alice:se cret", to: [asking, Self.accepted], field: field, asProxy: true
      ).last.flatMap { $0 })
    let parsed = try #require(HTTPChallengeList([sent]).challenges.first)
    let proof = DigestAuthentication.Proof(
      try #require(.init(parsed["algorithm"])), realm: "office", nonce: try #require(parsed["nonce"]),
      cnonce: try #require(parsed["cnonce"]), count: 1)
    #expect(
      DigestAuthentication.authorization(proof, Self.alice, method: "CONNECT", uri: "api.example:443") == sent)
    #expect(judge(sent) == .allowed(user: "alice"))
  }

  @Test("NTLM: the first message is read, and the last equals this client's")
  func ntlm() throws {
    var server = try server(.ntlm)
    let options = ["--ntlm", "--user", #"CORP\alice:se cret"#]
    let first = try requests(options[0], options[1], options[2], to: [Self.unauthorized("NTLM"), Self.accepted])
    let negotiate = try #require(first.first.flatMap { $0 })
    guard case .unauthorized(let challenges) = judge(&server, negotiate), let challenge = challenges.first else {
      Issue.record("the server does not continue")
      return
    }
    let fields = try requests(
      options[0], options[1], options[2], to: [Self.unauthorized(challenge), Self.accepted])
    #expect(fields.first.flatMap { $0 } == negotiate)
    let sent = try #require(fields.last.flatMap { $0 })
    #expect(judge(&server, sent) == .allowed(user: "alice"))

    func message(_ field: String) throws -> [UInt8] { try Base64.decode(String(field.dropFirst(5))) }
    let theirs = try #require(NTLMMessage.Authenticate(bytes: message(sent)))
    let second = try #require(NTLMMessage.Challenge(bytes: message(challenge)))
    #expect(theirs.user == "alice" && theirs.domain == "CORP")
    let key = NTLMv2(user: "alice", domain: "CORP", password: "se cret")
    let temp = Array(theirs.ntResponse.dropFirst(16))
    #expect(key.ntResponse(serverChallenge: second.serverChallenge, temp: temp) == theirs.ntResponse)
    // The form of the proved data is the same except date and random number, at bytes 8 to 23.
    let ours = NTLMv2.temp(fileTime: 0, clientChallenge: Array(temp[16..<24]), targetInfo: second.targetInfo)
    #expect(ours[..<8] == temp[..<8] && ours[16...] == temp[16...])
    let lm = key.lmResponse(
      serverChallenge: second.serverChallenge, clientChallenge: Array(theirs.lmResponse.suffix(8)))
    #expect(lm == theirs.lmResponse)
  }

  @Test("curl also chooses the strongest permitted scheme")
  func strongest() throws {
    let fields = try requests(
      "--anyauth", "--user", "alice:se cret",
      to: [
        Self.unauthorized(#"Basic realm="mobile""#, #"Digest realm="mobile", nonce="n", qop="auth""#), Self.accepted,
      ])
    #expect(fields.first == .some(nil))
    #expect(fields.last.flatMap { $0 }?.hasPrefix("Digest ") == true)
  }
}
