import Cryptography
import Peers

/// The same RSA key here and with the peers.
final class RSAPair {
  let ours: RSAPrivateKey
  let input: Natural
  private let bytes: [UInt8]
  private var output: [UInt8]
  private let peer: OpaquePointer

  struct PeerError: Error, CustomStringConvertible { let description: String }

  init(bits: Int) throws {
    var random = DeterministicRandom(seed: .number(1), label: "bench")
    ours = try RSAPrivateKey.generate(bits: bits, random: &random)
    let count = ours.publicKey.byteCount
    input = Natural(bigEndian: [0] + random.bytes(count - 1))
    bytes = try input.bigEndianBytes(count: count)
    output = [UInt8](repeating: 0, count: count)
    let key = try ours.disclosedComponents()
    let numbers = try [key.modulus, key.publicExponent, key.privateExponent, key.prime1, key.prime2].map {
      try $0.bigEndianBytes(count: count)
    }
    guard let made = peer_key_new(numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], count) else {
      throw PeerError(description: "OpenSSL does not take the key")
    }
    peer = made
  }

  deinit { peer_key_free(peer) }

  var privateContenders: [Contender] {
    [
      Contender(name: "TrustLab") { [self] in _ = try ours.rsasp1(input) },
      Contender(name: "C on GMP, checked (same work)") { [self] in peer_gmp_private(peer, bytes, &output, 1) },
      Contender(name: "C on GMP, not checked") { [self] in peer_gmp_private(peer, bytes, &output, 0) },
      Contender(name: "OpenSSL") { [self] in
        guard peer_openssl_private(peer, bytes, &output) == 1 else { throw PeerError(description: "OpenSSL failed") }
      },
    ]
  }

  var publicContenders: [Contender] {
    [
      Contender(name: "TrustLab") { [self] in _ = try ours.publicKey.rsaep(input) },
      Contender(name: "C on GMP") { [self] in peer_gmp_public(peer, bytes, &output) },
      Contender(name: "OpenSSL") { [self] in
        guard peer_openssl_public(peer, bytes, &output) == 1 else { throw PeerError(description: "OpenSSL failed") }
      },
    ]
  }

  /// Throws unless all contenders come to the same result.
  func agree() throws {
    let expected = try ours.rsasp1(input)
    for contender in privateContenders.dropFirst() {
      try contender.run()
      guard Natural(bigEndian: output) == expected else {
        throw PeerError(description: "\(contender.name) comes to another result")
      }
    }
    for contender in publicContenders.dropFirst() {
      try contender.run()
      guard try Natural(bigEndian: output) == ours.publicKey.rsaep(input) else {
        throw PeerError(description: "\(contender.name) comes to another result")
      }
    }
  }
}
