import Cryptography
import Oracles
import Testing

@testable import TLS

private let file = "suites/tls12_prf.json"

@Suite("The PRF and the key block, with vectors of NIST and the TLS mailing list")
struct PRF12Tests {
  struct Vectors12: Decodable {
    let prf: [Case]
    let acvp_extended_master_secret: [Session]
  }

  struct Case: Decodable {
    let name: String
    let hash: String
    let secret, seed, output: HexBytes
    let label: String
  }

  struct Session: Decodable {
    let tcId: Int
    let hash: String
    let keyBlockBits: Int
    let clientRandom, serverRandom, sessionHash, preMasterSecret, masterSecret, keyBlock: HexBytes
  }

  private func hash(_ name: String) throws -> Hash {
    try #require(["SHA2-256": Hash.sha256, "SHA2-384": .sha384, "SHA2-512": .sha512][name])
  }

  @Test("every vector has the expected output", .needsData(file))
  func prf() throws {
    let vectors = try Vectors.read(file, as: Vectors12.self)
    #expect(vectors.prf.count + vectors.acvp_extended_master_secret.count >= 8)
    for vector in vectors.prf {
      let output = PRF12.output(
        try hash(vector.hash), secret: vector.secret.bytes, label: vector.label, seed: vector.seed.bytes,
        count: vector.output.bytes.count)
      #expect(output == vector.output.bytes, "\(vector.name)")
    }
  }

  @Test("an extended master secret and its key block", .needsData(file))
  func extendedMasterSecret() throws {
    for session in try Vectors.read(file, as: Vectors12.self).acvp_extended_master_secret {
      let hash = try hash(session.hash)
      let master = PRF12.output(
        hash, secret: session.preMasterSecret.bytes, label: "extended master secret", seed: session.sessionHash.bytes,
        count: KeySchedule12.masterSecretLength)
      #expect(master == session.masterSecret.bytes, "\(session.tcId)")
      let block = PRF12.output(
        hash, secret: master, label: "key expansion", seed: session.serverRandom.bytes + session.clientRandom.bytes,
        count: session.keyBlockBits / 8)
      #expect(block == session.keyBlock.bytes, "\(session.tcId)")
      if hash == .sha256, let suite = CipherSuite(name: "TLS_RSA_WITH_AES_128_CBC_SHA256")?.registration {
        let schedule = KeySchedule12(
          Negotiated(version: .tls12, suite: suite), premasterSecret: session.preMasterSecret.bytes,
          sessionHash: session.sessionHash.bytes)
        #expect(schedule.masterSecret == session.masterSecret.bytes)
        let keys = schedule.keyBlock(
          clientRandom: session.clientRandom.bytes, serverRandom: session.serverRandom.bytes)
        #expect(keys.bytes == Array(session.keyBlock.bytes.prefix(96)))
        #expect(keys.client.macKey + keys.server.macKey + keys.client.key + keys.server.key == keys.bytes)
      }
    }
  }
}
