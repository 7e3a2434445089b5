import Explanation
import Testing

@Suite("Methods of derivations")
struct MethodTests {
  private static let all: [Method] =
    Method.PseudoRandomLabel.allCases.map { .pseudoRandom($0) } + [
      .keyBlockPart(0..<16), .messagePart(6..<38), .resumedSession, .resumingSession, .rsaDecryption,
      .publicKey(group: "x25519"),
      .keyAgreement(group: "x25519"), .recordOpening(cipher: "AES_128_GCM"), .signature(scheme: "rsa_pkcs1_sha256"),
      .premasterSearch(bits: 16), .seedSearch(bits: 8), .keySearch(bits: 4), .ephemeralKeySearch(bits: 4),
      .factoring(bits: 1024), .discreteLogarithm(bits: 1024), .sharedPrime, .constant, .repetition, .nextOutput,
      .quantumFactoring(bits: 2048), .quantumLogarithm(bits: 2048), .quantumCurveLogarithm(curve: "x25519", bits: 255),
      .paddingOracle, .blockPadding, .expression("n = p * q"), .hkdfExtract, .hkdfExpandLabel(.key), .finishedMAC,
      .mlkemPublicKey, .mlkemCiphertext, .mlkemEncapsulation, .mlkemDecapsulation, .concatenation,
    ]

  @Test("only a query to a server takes more than computation")
  func capability() {
    #expect(Self.all.filter { $0.capability != .passive } == [.paddingOracle, .blockPadding])
    #expect(Method.paddingOracle.capability == .asksServer)
  }

  @Test("only attackers use a quantum computer, and only for Shor's algorithm")
  func quantum() {
    let needy = Self.all.filter(\.needsQuantumComputer)
    #expect(needy.map(\.id) == ["quantum-factoring", "quantum-logarithm", "quantum-curve-logarithm"])
    #expect(needy.allSatisfy { $0.isAttack })
  }

  @Test("the words are the RFC's, and the ids differ if the methods do")
  func words() {
    #expect(
      Method.pseudoRandom(.masterSecret).description
        == "PRF(premaster_secret, \"master secret\", client_random + server_random)")
    let old = Method.PseudoRandomLabel.allCases.map { Method.pseudoRandom($0, isSSL3: true).description }
    #expect(old.allSatisfy { !$0.contains("PRF") && $0.contains("MD5") })
    #expect(Method.keyBlockPart(32..<48).description == "key_block[32..<48]")
    let others = Self.all.dropFirst(Method.PseudoRandomLabel.allCases.count)
    #expect(Set(others.map(\.id)).count == others.count)
  }
}
