/// ML-KEM-768, a key encapsulation mechanism that withstands quantum computers (FIPS 203).
///
/// All randomness is passed in, so that a seeded run is repeatable. The encapsulation of swift-crypto draws from the
/// system's generator. On macOS, its ML-KEM also needs a later release than this package.
public enum MLKEM768 {
  /// The number of bytes of a seed d ‖ z.
  public static let seedLength = 64
  /// The number of bytes of the randomness m of an encapsulation.
  public static let randomnessLength = 32
  /// The number of bytes of an encapsulation key.
  public static let encapsulationKeyLength = 1184
  /// The number of bytes of a ciphertext.
  public static let ciphertextLength = 1088
  /// The number of bytes of a shared secret.
  public static let sharedSecretLength = 32

  /// The parameters k, d_u and d_v (section 8).
  fileprivate static let (rank, vectorBits, scalarBits) = (3, 10, 4)

  /// The reason why an input is refused.
  public enum InputError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The input has this length, and must have the other one.
    case length(Int, required: Int)
    /// A coefficient of the encapsulation key is not below 3329 (section 7.2).
    case modulus

    /// A description of the reason.
    public var description: String {
      switch self {
      case .length(let found, let required): "an input of \(found) bytes, and ML-KEM-768 requires \(required)"
      case .modulus: "the encapsulation key has a coefficient that is not below 3329"
      }
    }
  }

  fileprivate static func check(_ bytes: [UInt8], length: Int) throws(InputError) {
    guard bytes.count == length else { throw .length(bytes.count, required: length) }
  }

  /// ML-KEM.Encaps_internal (algorithm 17): a shared secret and the ciphertext that carries it, from 32 random bytes m.
  ///
  /// Throws if the key fails the checks of section 7.2, or `randomness` has another length.
  public static func encapsulate(
    to key: [UInt8], randomness: [UInt8]
  ) throws(InputError) -> (ciphertext: [UInt8], sharedSecret: [UInt8]) {
    try check(randomness, length: randomnessLength)
    return try EncapsulationKey(key).encapsulate(randomness)
  }
}

extension MLKEM768 {
  /// An encapsulation key with its matrix.
  struct EncapsulationKey: Sendable {
    /// The encoding of the key: t̂, then the seed ρ of the matrix.
    let bytes: [UInt8]
    private let vector: [Polynomial]
    /// The rows of Â.
    private let matrix: [[Polynomial]]
    private let digest: [UInt8]

    /// Decodes a key and checks its length and its coefficients (section 7.2).
    init(_ bytes: [UInt8]) throws(InputError) {
      try check(bytes, length: encapsulationKeyLength)
      let vector = MLKEM768.vector(bytes, bits: 12)
      guard bytes.starts(with: vector.flatMap { $0.encoded(bits: 12) }) else { throw .modulus }
      let seed = Array(bytes.suffix(32))
      self.init(vector: vector, seed: seed, matrix: Self.matrix(seed))
    }

    fileprivate init(vector: [Polynomial], seed: [UInt8], matrix: [[Polynomial]]) {
      (self.vector, self.matrix) = (vector, matrix)
      bytes = vector.flatMap { $0.encoded(bits: 12) } + seed
      digest = Keccak.sha3256(bytes)
    }

    /// The matrix Â of a seed ρ.
    fileprivate static func matrix(_ seed: [UInt8]) -> [[Polynomial]] {
      (0..<rank).map { row in (0..<rank).map { Polynomial(uniform: seed, $0, row) } }
    }

    /// The ciphertext and the shared secret for a message m (algorithm 17).
    fileprivate func encapsulate(_ message: [UInt8]) -> (ciphertext: [UInt8], sharedSecret: [UInt8]) {
      let output = Keccak.sha3512(message + digest)
      return (encrypt(message, randomness: Array(output.suffix(32))), Array(output.prefix(32)))
    }

    /// K-PKE.Encrypt (algorithm 14).
    private func encrypt(_ message: [UInt8], randomness: [UInt8]) -> [UInt8] {
      let noise = (0...2 * rank).map { Polynomial(noise: randomness, number: $0) }
      let y = noise.prefix(rank).map(\.transformed)
      let u = (0..<rank).map { column in
        Polynomial.product(matrix.map { $0[column] }, y).inverseTransformed + noise[rank + column]
      }
      let v =
        Polynomial.product(vector, y).inverseTransformed + noise[2 * rank] + Polynomial(decoding: message, bits: 1)
      return u.flatMap { $0.encoded(bits: vectorBits) } + v.encoded(bits: scalarBits)
    }
  }

  /// The first three polynomials of an encoding.
  fileprivate static func vector(_ bytes: [UInt8], bits: Int) -> [Polynomial] {
    let length = Polynomial.length(bits: bits)
    return (0..<rank).map { Polynomial(decoding: bytes.dropFirst($0 * length).prefix(length), bits: bits) }
  }

  /// A decapsulation key.
  public struct PrivateKey: Sendable {
    let secret: [Polynomial]
    let publicKey: EncapsulationKey
    /// The value z, which implicit rejection uses.
    let rejectionSeed: [UInt8]
  }
}

extension MLKEM768.PrivateKey {
  /// ML-KEM.KeyGen_internal (algorithm 16) from a seed d ‖ z, with K-PKE.KeyGen (algorithm 13).
  public init(seed: [UInt8]) throws(MLKEM768.InputError) {
    try MLKEM768.check(seed, length: MLKEM768.seedLength)
    let rank = MLKEM768.rank
    let output = Keccak.sha3512(seed.prefix(32) + [UInt8(truncatingIfNeeded: rank)])
    let (matrixSeed, noiseSeed) = (Array(output.prefix(32)), Array(output.suffix(32)))
    let matrix = MLKEM768.EncapsulationKey.matrix(matrixSeed)
    let noise = (0..<2 * rank).map { Polynomial(noise: noiseSeed, number: $0).transformed }
    secret = Array(noise.prefix(rank))
    let vector = zip(matrix, noise.suffix(rank)).map { [secret] row, error in Polynomial.product(row, secret) + error }
    publicKey = .init(vector: vector, seed: matrixSeed, matrix: matrix)
    rejectionSeed = Array(seed.suffix(32))
  }

  /// The encapsulation key, as the peer receives it.
  public var encapsulationKey: [UInt8] { publicKey.bytes }

  /// ML-KEM.Decaps_internal (algorithm 18): the shared secret in a ciphertext.
  ///
  /// Throws only if the ciphertext has another length. A ciphertext that was not made with this key results in a secret
  /// that its sender does not have (implicit rejection).
  public func sharedSecret(of ciphertext: [UInt8]) throws(MLKEM768.InputError) -> [UInt8] {
    try MLKEM768.check(ciphertext, length: MLKEM768.ciphertextLength)
    let encapsulated = publicKey.encapsulate(decrypt(ciphertext))
    let rejected = Keccak.shake256(rejectionSeed + ciphertext, count: MLKEM768.sharedSecretLength)
    let isEqual = ConstantTime.isZero(ConstantTime.difference(encapsulated.ciphertext, ciphertext))
    return zip(encapsulated.sharedSecret, rejected).map { $0 & isEqual | $1 & ~isEqual }
  }

  /// K-PKE.Decrypt (algorithm 15).
  private func decrypt(_ ciphertext: [UInt8]) -> [UInt8] {
    let u = MLKEM768.vector(ciphertext, bits: MLKEM768.vectorBits).map(\.transformed)
    let v = Polynomial(
      decoding: ciphertext.suffix(Polynomial.length(bits: MLKEM768.scalarBits)), bits: MLKEM768.scalarBits)
    return (v - Polynomial.product(secret, u).inverseTransformed).encoded(bits: 1)
  }
}
