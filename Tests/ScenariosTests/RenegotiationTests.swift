import Captures
import Endpoint
import Explanation
import Oracles
import Simulator
import TLS
import Testing

@testable import Scenarios

/// A renegotiation is protected by the keys of the handshake before it, and other parties cannot read it.
@Suite("Renegotiation")
struct RenegotiationTests {
  private func run(_ text: String) throws -> CaseResult {
    try Lab.play("title: x\nexpect: { verdict: accepted }\n" + text)
  }

  private static let both = "client: { os: iOS 8, renegotiation: secure }\n"

  private func text(_ suite: String, versions: String = "[TLSv1.2]", secret: String) -> String {
    """
    client: { os: iOS 8, renegotiation: secure }
    server: { renegotiates: on-request, versions: \(versions), cipherSuites: [\(suite)] }
    network: [eavesdrop, { leak: \(secret), after: 1 hour }]
    """
  }

  @Test(
    "the first handshake's secret opens the second's hellos, and its data under RSA key exchange",
    arguments: [
      ("TLS_RSA_WITH_AES_128_CBC_SHA", "[TLSv1.2]"), ("TLS_RSA_WITH_AES_128_CBC_SHA", "[TLSv1.0]"),
      ("TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256", "[TLSv1.2]"), ("TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA", "[TLSv1.1]"),
    ])
  func opened(_ suite: String, _ versions: String) throws {
    let isRSA = suite.hasPrefix("TLS_RSA")
    let simulation = try run(text(suite, versions: versions, secret: isRSA ? "api.key" : "premaster_secret")).simulation
    let known = Knowledge(
      of: .eavesdropper, in: simulation.trace, disclosed: [.secret(isRSA ? "api.key" : "premaster_secret")])
    #expect(!Knowledge(of: .eavesdropper, in: simulation.trace).knows("renegotiated.client_random"))
    #expect(known.knows("renegotiated.application_data.server.1") == isRSA)
    let names =
      ["client_random", "server_random"] + (isRSA ? ["application_data.server.1"] : ["server_ecdh_public"])
    for name in names.map({ Value.ID("renegotiated.\($0)") }) {
      // Carried out on bytes, step by step: the record, the message in it, the random number in the message.
      let execution = try #require(
        Execution(
          of: name, as: .eavesdropper, in: simulation, limit: Execution.quickSearchLimit, knowing: known))
      #expect(execution.holds, "\(name): \(String(describing: execution.steps.last))")
    }
  }

  @Test("both endpoints know the data, and the key log has a secret per handshake")
  func ends() throws {
    let simulation = try run(Self.both + "server: { renegotiates: on-request }").simulation
    for party in [Party.client, .server] {
      let known = Knowledge(of: party, in: simulation.trace)
      for name in ["client_random", "server_random", "premaster_secret", "application_data.server.1"] {
        #expect(known.knows("renegotiated.\(name)"), "\(party): \(name)")
      }
    }
    let hellos = simulation.trace.steps.filter { $0.message == .handshake(.clientHello) }
    #expect(hellos.map(\.isProtected) == [false, true])
    let published = simulation.trace.values.values.filter { $0.id.scope.handshake > 0 }
      .filter { $0.derivations.contains(.published) }.map(\.id)
    #expect(published.allSatisfy { $0.kind == .record })
    #expect(KeyLog(simulation).lines.count == 2)
  }

  @Test("a server renegotiates for its paths and the paths below them, once per connection")
  func paths() throws {
    let server =
      "server: { renegotiates: [/account], content: { 'GET /account': a, 'GET /account/x': b, 'GET /accounts': c } }"
    for (path, renegotiates) in [("account", true), ("account/x", true), ("accounts", false)] {
      let simulation = try run(Self.both + server + "\nrequest: https://api.example/\(path)").simulation
      #expect((simulation.trace.values["renegotiated.master_secret"] != nil) == renegotiates, "\(path)")
      #expect(simulation.trace.steps.count { $0.message == .handshake(.helloRequest) } == (renegotiates ? 1 : 0))
    }
  }

  @Test("fragments keep the negotiated length after renegotiation; a server may not support the extension")
  func fragments() throws {
    for (server, isKept) in [("renegotiates: on-request", true), ("maxFragmentLength: false", false)] {
      let text = "client: { maxFragmentLength: 512, renegotiation: secure }\nserver: { \(server) }"
      let steps = try run(text).simulation.trace.steps.filter { $0.kind == .message }
      let hello = try #require(steps.firstIndex { $0.message == .handshake(.serverHello) })
      let lengths = steps[hello...].flatMap(\.recordLengths)
      // RFC 5288 section 3: eight bytes of nonce, sixteen of authentication tag.
      #expect(lengths.allSatisfy { $0 <= 512 + 24 } == isKept)
    }
  }
}

extension Step {
  /// The lengths in the headers of its records.
  fileprivate var recordLengths: [Int] {
    var lengths: [Int] = []
    var rest = bytes[...]
    while rest.count >= 5 {
      let length = Int(rest[rest.startIndex + 3]) << 8 | Int(rest[rest.startIndex + 4])
      lengths.append(length)
      rest = rest.dropFirst(5 + length)
    }
    return lengths
  }
}
