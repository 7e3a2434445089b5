import Scenarios
import Simulator
import Testing

@Suite("Keys that attackers find, as scenarios describe them")
struct WeakKeyWordsTests {
  private static let short = "client: { psk: { key: 000102030405060708090a0b0c0d0e } }"
  private static let curve = "certificates: { api: { issuer: Issuing, key: ec-p256, smoothPrime: true } }"
  private static let guessed = "certificates: { api: { issuer: Issuing, key: ec-p256, entropy: 6 } }"
  private static let shared =
    "certificates: { old: { issuer: Issuing }, api: { issuer: Issuing, key: ed25519, sharesPrimeWith: old } }"
  private static let twoWeaknesses = "certificates: { api: { issuer: Issuing, entropy: 6, smoothPrime: true } }"
  private static let cross =
    "authorities: { Root A: {}, Root B: {}, B by A: { issuer: Root A, crossSigns: Root B, smoothPrime: true } }"

  @Test(
    "a key that cannot be as described is an error on its line, with a hint",
    arguments: [
      (short, "15 bytes", "at least 32 digits"), (curve, "no RSA key", "rsa-2048"),
      (guessed, "no RSA key", "leave out entropy"), (shared, "no RSA key", "leave out sharesPrimeWith"),
      (twoWeaknesses, "two weaknesses", "only one"), (cross, "cannot describe its own key", "smoothPrime"),
    ])
  func errors(text: String, message: String, hint: String) throws {
    let found = try Lab.diagnostics(text)
    #expect(found.contains { $0.mark?.line == 1 && $0.shows(message, hint) }, "\(found)")
  }

  @Test(
    "a key that can be as described is no error",
    arguments: [
      short.replacing("0e }", with: "0e0f }"), curve.replacing("ec-p256", with: "rsa-512"),
      guessed.replacing("ec-p256", with: "rsa-512"),
      twoWeaknesses.replacing("entropy: 6, ", with: ""),
    ])
  func accepted(text: String) throws { #expect(try Lab.diagnostics(text).isEmpty) }

  @Test("an external key leaks for all connections that use it, and alone it opens them (RFC 8446 section 2.2)")
  func externalKey() throws {
    let key = "psk: { key: 000102030405060708090a0b0c0d0e0f, mode: MODE }"
    for (mode, state) in [("psk_ke", "later"), ("psk_dhe_ke", "prevented")] {
      let goals = "goals: { eavesdropping: \(state) }"
      let lines = [
        "server: { versions: [TLSv1.3], \(key) }", "client: { os: iOS 18, \(key) }",
        "network: [eavesdrop, { leak: external_psk, after: 1 hour }]",
        "requests: [https://api.example/, https://api.example/]",
        "expect: { verdict: accepted, connections: { first: { \(goals) }, second: { \(goals) } } }",
      ]
      let result = try Lab.play(lines.joined(separator: "\n").replacing("MODE", with: mode))
      #expect(result.judgement.result == .passed, "\(result)")
    }
  }
}
