import Foundation
import Oracles
import Rendering
import Testing

/// New self-signed certificates under a trusted name. The expected result is openssl's: error 18,
/// X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, and the alert unknown_ca that belongs to it.
@Suite("Regenerated self-signed certificates", .needs(.openssl))
struct RegeneratedCertificateTests {
  /// A folder of `old.pem` and `new.pem`, both of `name`, and the key and the PKCS #12 file of the new one.
  private func folder(_ name: String) throws -> URL {
    let folder = try Program.folder([:])
    for file in ["old", "new"] {
      let words =
        "req -x509 -newkey rsa:2048 -nodes -keyout \(file).key -out \(file).pem -days 10 -subj /CN=\(name) -addext "
        + "subjectAltName=DNS:\(name) -addext extendedKeyUsage=serverAuth,clientAuth"
      try #require(OtherPrograms.openssl(words.split(separator: " ").map(String.init), in: folder))
    }
    let packing = "pkcs12 -export -in new.pem -inkey new.key -passout pass:test -out new.p12"
    try #require(OtherPrograms.openssl(packing.split(separator: " ").map(String.init), in: folder))
    return folder
  }

  private func run(_ words: [String], in folder: URL) throws -> (run: JSONValue, because: JSONValue?) {
    let result = try Program.run(words + ["--format", "json"], in: folder)
    let run = try JSONValue(reading: Array(result.output.utf8))
    return (run, run["because"])
  }

  @Test("verify and connect accept a new certificate only if it is trusted itself")
  func servers() throws {
    let folder = try folder("api.example")
    let verify = ["verify", "new.pem", "--host", "api.example", "--roots"]
    #expect(try run(verify + ["old.pem"], in: folder).because == ["chain.self-signed"])
    #expect(try run(verify + ["new.pem"], in: folder).because == [])
    #expect(!OtherPrograms.openssl(["verify", "-CAfile", "old.pem", "new.pem"], in: folder))
    let server = try PeerServer(openssl: ["-cert", "new.pem", "-key", "new.key", "-tls1_2"], in: folder)
    let connect = ["connect", "127.0.0.1:\(server.port)", "--server-name", "api.example", "--roots"]
    let (refused, because) = try run(connect + ["old.pem"], in: folder)
    #expect(because == ["chain.self-signed"], "\(refused)")
    #expect("\(refused)".contains("unknown_ca"), "\(refused)")
    #expect(try run(connect + ["new.pem"], in: folder).because == [])
    withExtendedLifetime(server) {}
  }

  @Test("a client certificate with the trusted CA's name is self-signed to both ends")
  func clients() throws {
    let folder = try folder("Members")
    let server = try ServingProgram("L13-05")
    let port = try #require(server.ports["api.example"])
    let words = [
      "connect", "127.0.0.1:\(port)", "--server-name", "api.example", "--roots", server.path("roots.pem"),
      "--identity", "new.p12", "--passphrase", "test",
    ]
    let (refused, because) = try run(words, in: folder)
    #expect(because == ["client-auth.self-signed"], "\(refused)")
    #expect(try server.stop().connections.first?.reasonRules == ["client-auth.self-signed"])
  }
}
