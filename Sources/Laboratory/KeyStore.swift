import Cryptography
import Explanation
import Synchronization

/// The private keys of CAs and servers, which depend only on the owner's name and the key size.
///
/// The primes come from the random stream `key/OWNER/rsa-BITS`. The same owner has the same key in every scenario, on
/// every machine. A store generates each key once for all threads. With a directory, each key is generated once per
/// machine. `PrecomputedKeys` contains the positions of the primes of the curriculum's keys.
public final class KeyStore: Sendable {
  /// The signatures that were made with these keys.
  public let signatures = IssuedSignatures()
  private let files: KeyFiles?
  private let slots = Mutex<[String: Slot]>([:])

  /// Creates a store that keeps its keys in `directory`, which is created if necessary. If nil, the store writes no
  /// files.
  public init(directory: String? = nil) { files = directory.map { KeyFiles(directory: $0) } }

  /// The RSA key of `owner`, with a modulus of `bits` bits and the public exponent 65537.
  ///
  /// Throws `RSAError.modulusSize` unless `bits` is from 512 to 8192.
  public func rsaKey(owner: String, bits: Int) throws(RSAError) -> RSAPrivateKey {
    let label = "key/\(owner)/rsa-\(bits)"
    return try key(label, bits, isMade: { $0.offsets(random: &$1) != nil }) { (random) throws(RSAError) in
      // Draws from a copy, because the search starts again if the table is wrong.
      var copy = random
      if let offsets = PrecomputedKeys.offsets[label],
        let key = try? RSAPrivateKey.generate(
          bits: bits, at: offsets, random: &copy)
      {
        return key
      }
      return try RSAPrivateKey.generate(bits: bits, random: &random)
    }
  }

  /// The RSA key of an owner whose generator has only `entropy` random bits.
  ///
  /// The key is one of 2^`entropy` keys, which are the same for every owner. The owner's name selects one of them.
  /// Throws `RSAError.modulusSize` unless `bits` is from 512 to 8192.
  public func rsaKey(owner: String, bits: Int, entropy: Int) throws(RSAError) -> RSAPrivateKey {
    try rsaKey(number: Self.number(of: owner, entropy: entropy), bits: bits, entropy: entropy)
  }

  /// The RSA key that a generator with `entropy` random bits creates from `number`.
  ///
  /// Throws `RSAError.modulusSize` unless `bits` is from 512 to 8192.
  public func rsaKey(number: UInt64, bits: Int, entropy: Int) throws(RSAError) -> RSAPrivateKey {
    try rsaKey(owner: "generator of \(entropy) bits/\(number)", bits: bits)
  }

  /// The number of the owner's key among the 2^`entropy` possible keys.
  public static func number(of owner: String, entropy: Int) -> UInt64 {
    let draw = Hash.sha256.digest(Array(owner.utf8)).prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return draw & ((1 << UInt64(max(0, min(entropy, 63)))) - 1)
  }

  /// The RSA key of an owner whose generator repeated one prime of `other`.
  ///
  /// Only the second prime is new. Throws `RSAError` unless `bits` is from 512 to 8192 and equals the size of the other
  /// key.
  public func rsaKey(owner: String, bits: Int, sharingPrimeWith other: RSAPrivateKey) throws(RSAError)
    -> RSAPrivateKey
  {
    guard other.publicKey.bits == bits else { throw .modulusSize(bits: bits) }
    let modulus = Hex.string(Hash.sha256.digest(other.publicKey.modulus.bigEndianBytes()))
    return try key(
      "key/\(owner)/rsa-\(bits) sharing a prime with \(modulus)", bits,
      isMade: { $0.isMade(sharingPrimeWith: other, random: &$1) }
    ) { (random) throws(RSAError) in
      try RSAPrivateKey.generate(bits: bits, sharingPrimeWith: other, random: &random)
    }
  }

  /// The RSA key of an owner with a prime that is easy to find, because p - 1 has only small factors.
  ///
  /// Throws `RSAError.modulusSize` unless `bits` is from 512 to 8192.
  public func rsaKeyWithSmoothPrime(owner: String, bits: Int) throws(RSAError) -> RSAPrivateKey {
    func make(_ random: inout DeterministicRandom) throws(RSAError) -> RSAPrivateKey {
      try RSAPrivateKey.generateWithSmoothPrime(bits: bits, random: &random)
    }
    return try key(
      "key/\(owner)/rsa-\(bits) with a smooth prime", bits,
      isMade: { key, random in (try? make(&random))?.publicKey == key.publicKey }, make)
  }

  private func key(
    _ label: String, _ bits: Int, isMade: (RSAPrivateKey, inout DeterministicRandom) -> Bool,
    _ make: (inout DeterministicRandom) throws(RSAError) -> RSAPrivateKey
  ) throws(RSAError) -> RSAPrivateKey {
    guard RSAPublicKey.sizes.contains(bits) else { throw .modulusSize(bits: bits) }
    let slot = slots.withLock { slots in
      let slot = slots[label] ?? Slot()
      slots[label] = slot
      return slot
    }
    return try slot.key { () throws(RSAError) in try stored(label, bits, isMade, make) }
  }

  /// The ECDSA key of `owner` on `curve`, from the random stream `key/OWNER/ec-CURVE`. It is not stored, because
  /// generating it is fast.
  public static func ecKey(owner: String, curve: EllipticCurve) -> ECPrivateKey {
    var random = DeterministicRandom(seed: .number(0), label: "key/\(owner)/ec-\(curve.rawValue)")
    return ECPrivateKey.generate(curve, random: &random)
  }

  /// The Ed25519 key of `owner`, from the random stream `key/OWNER/ed25519`.
  public static func ed25519Key(owner: String) -> Ed25519PrivateKey {
    var random = DeterministicRandom(seed: .number(0), label: "key/\(owner)/ed25519")
    return Ed25519PrivateKey.generate(random: &random)
  }

  /// The stored key if it belongs to this label. The key of another label would change outputs without a warning.
  private func stored(
    _ label: String, _ bits: Int, _ isMade: (RSAPrivateKey, inout DeterministicRandom) -> Bool,
    _ make: (inout DeterministicRandom) throws(RSAError) -> RSAPrivateKey
  ) throws(RSAError) -> RSAPrivateKey {
    var random = DeterministicRandom(seed: .number(0), label: label)
    let isUsual = PrecomputedKeys.offsets[label] != nil
    if !isUsual, let key = files?.key(label), key.publicKey.bits == bits {
      var copy = random
      if isMade(key, &copy) { return key }
    }
    let key = try make(&random)
    if !isUsual { try files?.keep(key, label) }
    return key
  }

  /// The lines of `PrecomputedKeys` for the RSA keys that this store generated from an owner's name and a size.
  package var defaultLines: [String] {
    slots.withLock { $0 }.keys.sorted().compactMap { label in
      guard let bits = label.split(separator: "-").last.flatMap({ Int($0) }), label.hasSuffix("/rsa-\(bits)") else {
        return nil
      }
      var random = DeterministicRandom(seed: .number(0), label: label)
      guard let key = try? RSAPrivateKey.generate(bits: bits, random: &random) else { return nil }
      random = DeterministicRandom(seed: .number(0), label: label)
      return key.offsets(random: &random).map { "\($0.first) \($0.second) \(label)" }
    }
  }

  /// The slot of one key. Only threads that need the same key wait until it is generated.
  private final class Slot: Sendable {
    private let made = Mutex<RSAPrivateKey?>(nil)

    func key(_ make: () throws(RSAError) -> RSAPrivateKey) throws(RSAError) -> RSAPrivateKey {
      try made.withLock { made throws(RSAError) in
        if let made { return made }
        let key = try make()
        made = key
        return key
      }
    }
  }
}

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Private keys in a directory, with one PEM file for each key.
///
/// The first line of a file names the label of the key. The numbers of the key must be consistent. A file that is
/// damaged or has another label is ignored.
struct KeyFiles: Sendable {
  let directory: String

  /// The stored key for `label`; nil if there is none or it fails its checks.
  func key(_ label: String) -> RSAPrivateKey? {
    guard let bytes = read(path(label)), let text = String(validating: bytes, as: UTF8.self),
      text.hasPrefix(caption(label)), case .rsa(let key) = try? PrivateKey(pem: text)
    else { return nil }
    return key
  }

  /// Stores `key` for `label`. If that fails, the key is generated again later.
  func keep(_ key: RSAPrivateKey, _ label: String) throws(RSAError) {
    let text = caption(label) + PEM.encode("PRIVATE KEY", try key.pkcs8)
    mkdir(directory, 0o700)
    write(Array(text.utf8), to: path(label))
  }

  /// The path of the file. The name is the hash of the label, because a label may contain any character.
  private func path(_ label: String) -> String {
    "\(directory)/\(Hex.string(Hash.sha256.digest(Array(label.utf8)).prefix(16))).pem"
  }

  /// The first line of a file. Its number is the version of key generation; a new version generates new keys.
  private func caption(_ label: String) -> String { "TrustLab key 1 \(Hex.string(Array(label.utf8)))\n" }

  private func read(_ path: String) -> [UInt8]? {
    guard let file = fopen(path, "rb") else { return nil }
    defer { fclose(file) }
    // A key of 8192 bits takes less than 8 KiB.
    return [UInt8](unsafeUninitializedCapacity: 16_384) { buffer, count in
      count = fread(buffer.baseAddress, 1, buffer.count, file)
    }
  }

  /// Writes a temporary file and moves it to `path`, so that no process reads an incomplete key.
  private func write(_ bytes: [UInt8], to path: String) {
    let unfinished = "\(path).\(getpid())"
    let descriptor = open(unfinished, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    guard descriptor >= 0, let file = fdopen(descriptor, "wb") else { return }
    let written = fwrite(bytes, 1, bytes.count, file)
    guard fclose(file) == 0, written == bytes.count, rename(unfinished, path) == 0 else {
      unlink(unfinished)
      return
    }
  }
}
