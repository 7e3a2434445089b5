import Cryptography
import Explanation
import Oracles
import PKIX
import Scenarios
import Testing

@Suite("The baseline's hierarchy under another implementation")
struct InteropTests {
  @Test("openssl accepts the chain on the scenario's day, and not two years later")
  func verify() throws {
    let simulation = try Lab.play("title: the baseline").simulation
    let openssl = try OpenSSL()
    for name in ["api", "Issuing"] {
      let der = try #require(simulation.trace.values["\(name).certificate"]?.bytes)
      try openssl.write("\(name).pem", try Certificate(der: der).pem)
    }
    let root = try #require(
      simulation.accounts.first?.client.evaluation?.path.last)
    try openssl.write("root.pem", root.pem)
    func verify(_ seconds: Int64) throws -> OpenSSL.Answer {
      try openssl.run(
        "verify", "-x509_strict", "-purpose", "sslserver", "-verify_hostname", "api.example", "-attime", "\(seconds)",
        "-CAfile", "root.pem", "-untrusted", "Issuing.pem", "api.pem")
    }
    let clock = simulation.world.clock.secondsSince1970
    let good = try verify(clock)
    #expect(good.status == 0, "\(good.output)")
    #expect(try verify(clock + 2 * 365 * 86_400).output.contains("expired"))
  }

  @Test("openssl accepts the keys as valid", arguments: ["Root A.key", "Issuing.key", "api.key"])
  func keys(name: String) throws {
    let simulation = try Lab.play("title: the baseline").simulation
    let openssl = try OpenSSL()
    try openssl.write(
      "key.pem", PEM.encode("PRIVATE KEY", try #require(simulation.trace.values[ValueName(name)]?.bytes)))
    let answer = try openssl.run("pkey", "-in", "key.pem", "-check", "-noout")
    #expect(answer.status == 0 && answer.output.contains("valid"), "\(answer.output)")
  }
}
