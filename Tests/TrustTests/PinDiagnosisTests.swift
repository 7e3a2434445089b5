import Cryptography
import Explanation
import Oracles
import PKIX
import Testing
import Trust

@Suite("Diagnosis of pins that match no key")
struct PinDiagnosisTests {
  private typealias Pin = PublicKeyPins.Pin

  private func fix(_ pin: (Certificate) -> Pin, of index: Int, at place: PublicKeyPins.Place) throws -> String {
    let chain = try World().issue()
    var evaluator = TrustEvaluator(
      TrustRequirements(os: OSVersion("iOS 17"), date: World.now, store: TrustStore(system: [chain[2]])))
    evaluator.requirements.pins = [PublicKeyPins([pin(chain[index])], at: place)]
    let evaluation = evaluator.evaluate(Array(chain.prefix(2)), host: "api.example")
    #expect(evaluation.because == ["pin.mismatch"])
    let rule = try #require(evaluation.findings.first { $0.refuses }?.rule)
    #expect(rule.clause == .apple("NSPinnedDomains"))
    // The fix contains the hash of every key, whatever the defect.
    for certificate in chain { #expect(rule.fix.contains(Base64.encode(Pin.fingerprint(of: certificate)))) }
    return rule.fix
  }

  @Test("the key of a CA as a leaf identity, and the reverse")
  func wrongList() throws {
    let leaf = try fix({ Pin(keyOf: $0, named: "x") }, of: 1, at: .leaf)
    #expect(leaf.contains("NSPinnedCAIdentities"), "\(leaf)")
    let authority = try fix({ Pin(keyOf: $0, named: "x") }, of: 0, at: .authorities)
    #expect(authority.contains("NSPinnedLeafIdentities"), "\(authority)")
  }

  @Test("the hash of another encoding of the right key, or of the certificate")
  func otherForms() throws {
    func hashed(_ bytes: @escaping (Certificate) -> [UInt8]) throws -> String {
      try fix({ Pin(name: "p", fingerprint: Hash.sha256.digest(bytes($0))) }, of: 0, at: .leaf)
    }
    #expect(try hashed(\.der).contains("its fingerprint"))
    #expect(
      try hashed { Array(PEM.encode("PUBLIC KEY", $0.subjectPublicKeyInfo).utf8) }.shows("PEM … key"))
    #expect(
      try hashed { Array(PEM.encode("CERTIFICATE", $0.der).utf8.dropLast()) }.shows("PEM … certificate"))
    #expect(try hashed { Array(Base64.encode($0.subjectPublicKeyInfo).utf8) }.shows("Base64 … key"))
    let hexadecimal = try fix(
      { Pin(name: Hex.string(Pin.fingerprint(of: $0)), fingerprint: []) }, of: 0, at: .leaf)
    #expect(hexadecimal.shows("hexadecimal … Base64"))
    let prefixed = try fix(
      { Pin(name: "\"sha256/\(Base64.encode(Pin.fingerprint(of: $0)))\"", fingerprint: []) }, of: 0, at: .leaf)
    #expect(prefixed.contains("sha256/"))
  }

  @Test("a hash of nothing in the chain is reported as unknown")
  func unknown() throws {
    let fix = try fix({ _ in Pin(name: "p", fingerprint: Array(repeating: 7, count: 32)) }, of: 0, at: .leaf)
    #expect(!fix.contains("p is "))
  }
}
