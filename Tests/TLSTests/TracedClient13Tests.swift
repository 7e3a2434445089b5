import Cryptography
import Explanation
import Oracles
import Testing

@testable import TLS

/// The client of RFC 8448: with its random values and keys, TrustLab's client sends the same bytes.
@Suite("The client of RFC 8448")
struct TracedClient13Tests {
  private func hello(_ bytes: [UInt8]) throws -> ClientHello {
    let message = try HandshakeMessage(decoding: bytes, under: .form13)
    guard case .clientHello(let hello) = message.body else { throw WireErrorInTest() }
    return hello
  }

  private struct WireErrorInTest: Error {}

  /// The configuration of the client that sent the trace's first message.
  private func configuration(_ trace: Traces13.Trace) throws -> ClientConfiguration {
    let first = try #require(trace.steps.first { $0.from == "client" })
    let hello = try hello(Array(first.record.bytes.dropFirst(5)))
    let extensions = hello.extensions ?? []
    let keys = trace.ephemeral_keys["client"] ?? []
    var random = RandomStreams(seed: .number(0), party: "client")
    random.overrides = [
      ValueName(.random, of: .client): .drawn(hello.random),
      ValueName(.legacySessionID): .drawn(hello.sessionID),
    ]
    for (index, key) in keys.enumerated() {
      random.overrides[ValueName(.ecdhPrivate, of: .client, number: index == 0 ? nil : index + 1)] = .drawn(
        key.private.bytes)
    }
    var client = ClientConfiguration(
      host: extensions.serverName ?? "", versions: .tls12 ... .tls13, cipherSuites: hello.cipherSuites,
      groups: extensions.supportedGroups ?? [], random: random)
    client.keyShareGroups = keys.prefix(1).compactMap { NamedGroup(name: $0.group) }
    client.usesCompatibilityMode = !hello.sessionID.isEmpty
    client.recordSizeLimit = extensions.recordSizeLimit
    client.layout = ClientHelloTemplate(
      extensions: extensions.map { item in
        if case .tls13(.keyShares) = item { return .tls13(.keyShares([])) }
        return item
      }, isPadded: true)
    return client
  }

  // In section 5, NSS puts the cookie after signature_algorithms; the RFC lets a client choose the place.
  @Test("sends the records of RFC 8448", .needsData(Traces13.file), arguments: Traces13.all)
  func records(_ trace: Traces13.Trace) throws {
    guard ["rfc8448-section-3", "rfc8448-section-7"].contains(trace.id) else { return }
    var client = Connection(try configuration(trace))
    var sent: [[UInt8]] = []
    let answer = CertificateAnswer.accepted(try #require(Traces13.serverKey))
    func take(_ effects: [ConnectionEffect]) {
      for case .send(let message) in effects { sent.append(message.bytes) }
      for case .evaluateCertificate in effects { take(client.certificateEvaluated(answer)) }
    }
    take(client.start())
    for step in trace.steps where step.from == "server" && step.plaintext.bytes != [1, 0] {
      take(client.receive(step.record.bytes))
    }
    #expect(client.isConnected)
    for step in trace.steps where step.from == "client" && step.messages?.isEmpty != false {
      if step.plaintext.bytes.count == 50 { take(client.send(step.plaintext.bytes)) }
    }
    take(client.close())
    #expect(sent == trace.steps.filter { $0.from == "client" }.map(\.record.bytes))
  }
}
