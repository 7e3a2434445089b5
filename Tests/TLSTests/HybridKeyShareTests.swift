import Cryptography
import Explanation
import Oracles
import Testing

@testable import TLS

@Suite("The group X25519MLKEM768")
struct HybridKeyShareTests {
  private static let client = RandomStreams(seed: .number(1), party: "client")
  private static let server = RandomStreams(seed: .number(1), party: "server")

  private static func share() throws -> HybridKeyShare { try #require(HybridKeyShare(random: client)) }

  @Test("both sides have the same 64 bytes, and the shares the lengths of RFC 10024")
  func agreement() throws {
    let client = try Self.share()
    let server = try HybridServerShare(to: client.publicKey, random: Self.server)
    #expect(client.publicKey.count == 1216 && server.publicKey.count == 1120)
    #expect(server.secret.bytes.count == 64)
    #expect(try client.secret(with: server.publicKey).bytes == server.secret.bytes)
  }

  @Test("the client's X25519 key is that of its share in X25519")
  func sameX25519Key() throws {
    let alone = try #require(KeyShare(.x25519, of: .client, random: Self.client))
    #expect(try Self.share().publicKey.suffix(32) == alone.publicKey[...])
  }

  @Test("both sides name the same values, each with its own derivation")
  func values() throws {
    let names = ValueScope()
    let client = try Self.share()
    let server = try HybridServerShare(to: client.publicKey, random: Self.server)
    let secrets = try client.secret(with: server.publicKey).values(names)
    #expect(secrets.map(\.bytes) == server.secret.values(names).map(\.bytes))
    #expect(secrets.map(\.id.description) == ["mlkem_shared_secret", "ecdh_shared_secret", "shared_secret"])
    #expect(
      secrets[0].derivations == [
        .computed(.mlkemDecapsulation, from: ["client_mlkem_seed", "server_mlkem_ciphertext"])
      ])
    #expect(
      server.secret.values(names)[0].derivations == [
        .computed(.mlkemEncapsulation, from: ["client_mlkem_public", "server_mlkem_randomness"])
      ])
    #expect(secrets[2].derivations == [.computed(.concatenation, from: secrets[0...1].map(\.id))])
    for (side, share, values) in [
      (Side.client, client.publicKey, client.values(party: .client, names)),
      (.server, server.publicKey, server.values(party: .server, names)),
    ] {
      let published = values.filter { $0.derivations.contains(.published) }
      #expect(names.hybridPublic(of: side, share).map(\.bytes) == published.map(\.bytes))
      #expect(names.hybridPublic(of: side, share).map(\.id) == published.map(\.id))
    }
    #expect(names.hybridPublic(of: .server, client.publicKey).isEmpty)
  }

  @Test("a server refuses a share of another length, an unreduced key and an X25519 key of small order")
  func refusals() throws {
    let share = try Self.share().publicKey
    func refusal(_ share: [UInt8]) -> HybridShareError? {
      do throws(HybridShareError) {
        _ = try HybridServerShare(to: share, random: Self.server)
        return nil
      } catch {
        return error
      }
    }
    #expect(refusal(share) == nil)
    #expect(refusal(Array(share.dropLast())) == .length(1215, required: 1216))
    #expect(refusal([]) == .length(0, required: 1216))
    #expect(refusal([0xff, 0xff] + share.dropFirst(2)) == .mlkem(.modulus))
    #expect(refusal(share.prefix(1184) + [UInt8](repeating: 0, count: 32)) == .x25519(.zeroSecret))
  }

  @Test("a client refuses a share of another length and an X25519 key of small order, but no ciphertext")
  func clientRefusals() throws {
    let client = try Self.share()
    var share = try HybridServerShare(to: client.publicKey, random: Self.server).publicKey
    let secret = try client.secret(with: share)
    #expect(throws: HybridShareError.length(1216, required: 1120)) { try client.secret(with: client.publicKey) }
    #expect(throws: HybridShareError.x25519(.zeroSecret)) {
      try client.secret(with: share.prefix(1088) + [UInt8](repeating: 0, count: 32))
    }
    share[0] ^= 1
    let rejected = try client.secret(with: share)
    #expect(rejected.bytes.prefix(32) != secret.bytes.prefix(32))
    #expect(rejected.bytes.suffix(32) == secret.bytes.suffix(32))
  }

  /// The recorded sessions with all ephemeral values of both sides in this group.
  private static let sessions = Sessions13.all.filter {
    $0.expected.group == "X25519MLKEM768" && $0.ephemeral?["client"] != nil
  }

  @Test("recorded sessions, from their ephemeral keys", .needsData(Sessions13.file), arguments: sessions)
  func recorded(_ session: Sessions13.Session) throws {
    func value(_ side: Side, _ name: String) throws -> [UInt8] {
      try #require(session.ephemeral?["\(side)"]?.first { $0.value == name }).hex.bytes
    }
    func x25519(_ side: Side) throws -> KeyAgreementPrivateKey {
      try KeyAgreementPrivateKey(.x25519, rawRepresentation: value(side, "private_x25519"))
    }
    let (offer, answer) = try session.keyShares()
    let client = try HybridKeyShare(seed: value(.client, "mlkem768_seed"), x25519(.client))
    #expect(client.publicKey == offer)
    let server = try HybridServerShare(
      to: offer, randomness: value(.server, "mlkem768_encapsulation_randomness"), x25519(.server))
    #expect(server.publicKey == answer)
    #expect(server.secret.bytes.prefix(32) == (try value(.server, "mlkem768_shared_secret"))[...])
    #expect(server.secret.bytes == session.shared_secret?.bytes)
    #expect(try client.secret(with: answer).bytes == session.shared_secret?.bytes)
  }
}

extension Sessions13.Session {
  /// The shares of both sides in the negotiated group, from the first two hellos without a retry.
  func keyShares() throws -> (client: [UInt8], server: [UInt8]) {
    let contents = try ["c", "s"].map { side in
      try #require(expected.plaintext_records.first { $0.dir.hasPrefix(side) && $0.inner_type == 22 }).content.bytes
    }
    guard case .serverHello(let answer) = try HandshakeMessage(decoding: contents[1], under: nil).body,
      case .clientHello(let offer) = try HandshakeMessage(decoding: contents[0], under: Negotiated(answer)).body
    else { throw MissingHello() }
    let share = try #require(answer.extensions?.keyShare)
    let client = try #require(offer.extensions?.keyShares?.first { $0.group == share.group })
    return (client.keyExchange, share.keyExchange)
  }

  private struct MissingHello: Error {}
}
