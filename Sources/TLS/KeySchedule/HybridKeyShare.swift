import Cryptography
import Explanation

/// The reason why a share in X25519MLKEM768 is refused.
enum HybridShareError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The share has this length, and must have the other one.
  case length(Int, required: Int)
  /// ML-KEM refuses its part.
  case mlkem(MLKEM768.InputError)
  /// X25519 refuses its part.
  case x25519(KeyAgreementError)

  /// A description of the reason.
  var description: String {
    switch self {
    case .length(let found, let required): "a share of \(found) bytes instead of \(required)"
    case .mlkem(let error): error.description
    case .x25519(let error): error.description
    }
  }
}

/// The client's ephemeral keys in the group X25519MLKEM768 (RFC 10024): an ML-KEM-768 key and an X25519 key.
///
/// The X25519 key is from the same random stream as that of `KeyShare`. A client with a share in each group therefore
/// sends one X25519 key twice, as draft-ietf-tls-hybrid-design section 3.2 allows.
struct HybridKeyShare: Sendable {
  /// The client's share: the encapsulation key, then the X25519 key.
  var publicKey: [UInt8] { decapsulationKey.encapsulationKey + x25519.publicKey }
  private let seed: [UInt8]
  private let decapsulationKey: MLKEM768.PrivateKey
  private let x25519: KeyAgreementPrivateKey

  /// Generates the keys from the random streams `client_mlkem_seed` and `client_ecdh_private`.
  init?(random: RandomStreams) {
    let seed = random.bytes(for: ValueName(.mlkemSeed, of: .client), count: MLKEM768.seedLength)
    guard let x25519 = KeyShare.key(.x25519, ValueName(.ecdhPrivate, of: .client), random) else { return nil }
    try? self.init(seed: seed, x25519)
  }

  /// Creates the keys from the seed d ‖ z of the ML-KEM key and from the X25519 key.
  init(seed: [UInt8], _ x25519: KeyAgreementPrivateKey) throws(MLKEM768.InputError) {
    decapsulationKey = try MLKEM768.PrivateKey(seed: seed)
    (self.seed, self.x25519) = (seed, x25519)
  }

  /// The private and the public keys as values.
  func values(party: Party, _ names: ValueScope) -> [Value] {
    [
      names.value(.ecdhPrivate, of: .client, x25519.rawRepresentation, .generated(by: party)),
      names.ecdhPublic(of: .client, x25519.publicKey, .x25519),
      names.value(.mlkemSeed, of: .client, seed, .generated(by: party)),
      names.value(
        .mlkemPublic, of: .client, decapsulationKey.encapsulationKey,
        .computed(.mlkemPublicKey, from: [names.name(.mlkemSeed, of: .client)]), .published),
    ]
  }

  /// The secret of these keys and the server's share.
  ///
  /// Every ciphertext has a secret: if it was not made for this key, the server has another one, and Finished fails.
  func secret(with share: [UInt8]) throws(HybridShareError) -> HybridSecret {
    let parts = try HybridSecret.parts(share, of: .server)
    let secret: [UInt8]
    do throws(MLKEM768.InputError) {
      secret = try decapsulationKey.sharedSecret(of: parts.mlkem)
    } catch {
      throw .mlkem(error)
    }
    return try HybridSecret(of: .client, mlkem: secret, x25519, parts.x25519)
  }
}

/// The server's share in X25519MLKEM768 (RFC 10024), which answers the client's, with the secret.
struct HybridServerShare: Sendable {
  /// The server's share: the ciphertext, then the X25519 key.
  var publicKey: [UInt8] { ciphertext + x25519.publicKey }
  /// The secret that the client computes from the share.
  let secret: HybridSecret
  private let randomness, ciphertext: [UInt8]
  private let x25519: KeyAgreementPrivateKey

  /// Answers the client's share from the random streams `server_mlkem_randomness` and `server_ecdh_private`.
  init(to share: [UInt8], random: RandomStreams) throws(HybridShareError) {
    let randomness = random.bytes(
      for: ValueName(.mlkemRandomness, of: .server), count: MLKEM768.randomnessLength)
    guard let x25519 = KeyShare.key(.x25519, ValueName(.ecdhPrivate, of: .server), random) else {
      throw .x25519(.invalidPrivateKey)
    }
    try self.init(to: share, randomness: randomness, x25519)
  }

  /// Answers the client's share with the randomness m of the encapsulation and the X25519 key.
  init(to share: [UInt8], randomness: [UInt8], _ x25519: KeyAgreementPrivateKey) throws(HybridShareError) {
    let parts = try HybridSecret.parts(share, of: .client)
    let mlkem: (ciphertext: [UInt8], sharedSecret: [UInt8])
    do throws(MLKEM768.InputError) {
      mlkem = try MLKEM768.encapsulate(to: parts.mlkem, randomness: randomness)
    } catch {
      throw .mlkem(error)
    }
    secret = try HybridSecret(of: .server, mlkem: mlkem.sharedSecret, x25519, parts.x25519)
    (self.randomness, ciphertext, self.x25519) = (randomness, mlkem.ciphertext, x25519)
  }

  /// The random and the public values.
  func values(party: Party, _ names: ValueScope) -> [Value] {
    [
      names.value(.ecdhPrivate, of: .server, x25519.rawRepresentation, .generated(by: party)),
      names.ecdhPublic(of: .server, x25519.publicKey, .x25519),
      names.value(.mlkemRandomness, of: .server, randomness, .generated(by: party)),
      names.value(
        .mlkemCiphertext, of: .server, ciphertext, .computed(.mlkemCiphertext, from: names.encapsulationInputs),
        .published),
    ]
  }
}

/// A shared secret in X25519MLKEM768: the ML-KEM secret, then the X25519 secret.
struct HybridSecret: Sendable, Hashable {
  private let side: Side
  private let mlkem, x25519: [UInt8]

  /// The 64 bytes of `shared_secret`.
  var bytes: [UInt8] { mlkem + x25519 }

  /// Adds the X25519 secret of a key of `side` and the peer's `point`.
  fileprivate init(
    of side: Side, mlkem: [UInt8], _ key: KeyAgreementPrivateKey, _ point: [UInt8]
  ) throws(HybridShareError) {
    (self.side, self.mlkem) = (side, mlkem)
    do throws(KeyAgreementError) {
      x25519 = try key.sharedSecret(with: point)
    } catch {
      throw .x25519(error)
    }
  }

  /// The secrets as values, as `side` computes them.
  func values(_ names: ValueScope) -> [Value] {
    let parts = [
      names.value(.mlkemSharedSecret, mlkem, names.mlkemAgreement(of: side)),
      names.value(.ecdhSharedSecret, x25519, names.ecdhAgreement(of: side, .x25519)),
    ]
    return parts + [names.value(.sharedSecret, bytes, .computed(.concatenation, from: parts.map(\.id)))]
  }

  /// Splits a share of `side`.
  fileprivate static func parts(
    _ share: [UInt8], of side: Side
  ) throws(HybridShareError) -> (mlkem: [UInt8], x25519: [UInt8]) {
    let mlkem = side == .client ? MLKEM768.encapsulationKeyLength : MLKEM768.ciphertextLength
    let required = mlkem + KeyAgreementCurve.x25519.publicKeySize
    guard share.count == required else { throw .length(share.count, required: required) }
    return (Array(share.prefix(mlkem)), Array(share.dropFirst(mlkem)))
  }
}

/// The values of X25519MLKEM768, and how they are derived.
extension ValueScope {
  /// The public values in a share of `side`; empty if the share has another length.
  func hybridPublic(of side: Side, _ share: [UInt8]) -> [Value] {
    guard let parts = try? HybridSecret.parts(share, of: side) else { return [] }
    return [
      value(.ecdhPublic, of: side, parts.x25519, .published),
      value(side == .client ? .mlkemPublic : .mlkemCiphertext, of: side, parts.mlkem, .published),
    ]
  }

  /// The derivation of `mlkem_shared_secret` by `side`.
  fileprivate func mlkemAgreement(of side: Side) -> Value.Derivation {
    side == .client
      ? .computed(.mlkemDecapsulation, from: [name(.mlkemSeed, of: .client), name(.mlkemCiphertext, of: .server)])
      : .computed(.mlkemEncapsulation, from: encapsulationInputs)
  }

  fileprivate var encapsulationInputs: [ValueName] {
    [name(.mlkemPublic, of: .client), name(.mlkemRandomness, of: .server)]
  }
}
