import Endpoint
import Explanation
import Oracles
import Simulator
import Testing

/// Handmade traces of key exchanges whose elliptic-curve part a quantum computer breaks.
@Suite("Quantum computers")
struct QuantumTests {
  /// A key agreement on x25519, whose secret is mixed with `other` by HKDF.
  private func trace(mixedWith other: Value...) throws -> Trace {
    let values =
      [
        Value(
          "client_ecdh_private", [1], .generated(by: .client),
          .computed(.quantumCurveLogarithm(curve: "x25519", bits: 255), from: ["client_ecdh_public"])),
        Value("client_ecdh_public", [2], .published), Value("server_ecdh_public", [3], .published),
        Value(
          "ecdh_secret", [4],
          .computed(.keyAgreement(group: "x25519"), from: ["client_ecdh_private", "server_ecdh_public"])),
      ] + other + [
        Value("handshake_secret", [5], .computed(.hkdfExtract, from: ["ecdh_secret"] + other.suffix(1).map(\.id)))
      ]
    var step = Step(.computed(values), at: try #require(Instant("2016-11-01")), from: .client)
    step.values = values
    var trace = Trace()
    trace.record(step)
    return trace
  }

  @Test("a recorded key agreement is opened on the day, and not before")
  func agreement() throws {
    let trace = try trace()
    var knowledge = Knowledge(of: .eavesdropper, in: trace)
    #expect(knowledge.values.sorted() == ["client_ecdh_public", "server_ecdh_public"] && !knowledge.hasQuantumComputer)
    let learnt = knowledge.update(trace, disclosed: [.quantumComputer])
    #expect(learnt == ["client_ecdh_private", "ecdh_secret", "handshake_secret"])
    #expect(knowledge.update(trace, disclosed: [.quantumComputer]).isEmpty)
    let proof = try #require(knowledge.proof(of: "ecdh_secret"))
    #expect(proof.map(\.value).prefix(2) == ["client_ecdh_public", "client_ecdh_private"])
  }

  // RFC 8446 section 2.2: in psk_dhe_ke, the handshake secret depends on the PSK and on the (EC)DHE secret.
  @Test("a secret pre-shared key keeps the connection closed")
  func preSharedKey() throws {
    let trace = try trace(mixedWith: Value("psk", [6], .generated(by: .client)))
    let knowledge = Knowledge(of: .eavesdropper, in: trace, disclosed: [.quantumComputer])
    #expect(knowledge.knows("ecdh_secret") && !knowledge.knows("handshake_secret"))
    #expect(
      Knowledge(of: .eavesdropper, in: trace, disclosed: [.quantumComputer, "psk"]).knows("handshake_secret"))
  }

  // The group X25519MLKEM768: both secrets enter the key schedule, and ML-KEM has no quantum derivation.
  @Test("a key encapsulated with ML-KEM keeps the connection closed")
  func encapsulation() throws {
    let trace = try trace(
      mixedWith: Value("mlkem_seed", [7], .generated(by: .client)), Value("mlkem_public", [8], .published),
      Value("mlkem_ciphertext", [9], .published),
      Value(
        "mlkem_shared_secret", [10], .generated(by: .server),
        .computed(.expression("decapsulation"), from: ["mlkem_seed", "mlkem_ciphertext"])))
    let knowledge = Knowledge(of: .eavesdropper, in: trace, disclosed: [.quantumComputer])
    #expect(knowledge.knows("ecdh_secret"))
    #expect(!knowledge.knows("mlkem_shared_secret") && !knowledge.knows("handshake_secret"))
  }

  @Test("an endpoint uses no quantum computer")
  func endpoint() throws {
    let knowledge = Knowledge(of: .server, in: try trace(), disclosed: [.quantumComputer])
    #expect(!knowledge.knows("client_ecdh_private"))
  }

  // arXiv 1706.06752, tables 1 and 2: 2330, 3484 and 4719 qubits. Curve25519: 9 * 255 + 2 * 8 + 10 = 2321.
  // arXiv 1905.09749: 3n + 0.002n lg n is 3072 + 20.48 for 1024 bits, 6144 + 45.06 for 2048, 9216 + 71.18 for 3072.
  @Test(
    "the number of logical qubits follows the published formulas",
    arguments: [
      (.quantumCurveLogarithm(curve: "P-256", bits: 256), 2330),
      (.quantumCurveLogarithm(curve: "P-384", bits: 384), 3484),
      (.quantumCurveLogarithm(curve: "P-521", bits: 521), 4719),
      (.quantumCurveLogarithm(curve: "x25519", bits: 255), 2321),
      (.quantumFactoring(bits: 1024), 3092), (.quantumFactoring(bits: 2048), 6189),
      (.quantumFactoring(bits: 3072), 9287), (.quantumLogarithm(bits: 2048), 6189),
    ] as [(Method, Int)])
  func qubits(method: Method, count: Int) throws {
    let qubits = try #require(LogicalQubits(for: method))
    #expect(qubits.count == count && qubits.description.contains("\(count)") && qubits.description.contains("arXiv"))
    // Gidney 2025, table 5, has an exact number for 2048 bits.
    #expect(qubits.description.contains("1399") == (method == .quantumFactoring(bits: 2048)))
  }

  @Test("a method without a quantum computer has no number of qubits")
  func classical() {
    #expect(LogicalQubits(for: .factoring(bits: 2048)) == nil)
    #expect(LogicalQubits(for: .recordOpening(cipher: "AES_128_GCM")) == nil)
  }
}
