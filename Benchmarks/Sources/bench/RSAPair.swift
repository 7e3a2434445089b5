import Cryptography
import Peers

/// The same RSA key here and in the peers.
final class RSAPair {
  let ours: RSAPrivateKey
  let input: Natural
  private let bytes: [UInt8]
  private var output: [UInt8]
  private let peer: OpaquePointer

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
      throw PeerError(description: "OpenSSL does not accept the key")
    }
    peer = made
  }

  deinit { peer_key_free(peer) }

  var privateContenders: [Contender] {
    [
      Contender("TrustLab") { [self] in _ = try ours.rsasp1(input) },
      Contender("C on GMP, the same work", target: 0.95) { [self] in peer_gmp_private(peer, bytes, &output, 1) },
      Contender("C on GMP, result not checked") { [self] in peer_gmp_private(peer, bytes, &output, 0) },
      Contender("OpenSSL", target: ours.publicKey.bits == 2048 ? 0.45 : nil) { [self] in
        try PeerError.check(peer_openssl_private(peer, bytes, &output), "OpenSSL")
      },
    ]
  }

  var publicContenders: [Contender] {
    [
      Contender("TrustLab") { [self] in _ = try ours.publicKey.rsaep(input) },
      Contender("C on GMP", target: 0.95) { [self] in peer_gmp_public(peer, bytes, &output) },
      Contender("OpenSSL") { [self] in
        try PeerError.check(peer_openssl_public(peer, bytes, &output), "OpenSSL")
      },
    ]
  }

  /// Throws unless all contenders have the same result.
  func agree() async throws {
    let expected = try ours.rsasp1(input)
    for contender in privateContenders.dropFirst() {
      try await contender.run()
      guard Natural(bigEndian: output) == expected else {
        throw PeerError(description: "\(contender.name) has another result")
      }
    }
    for contender in publicContenders.dropFirst() {
      try await contender.run()
      guard try Natural(bigEndian: output) == ours.publicKey.rsaep(input) else {
        throw PeerError(description: "\(contender.name) has another result")
      }
    }
  }
}
