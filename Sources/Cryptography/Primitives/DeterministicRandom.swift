import Explanation

#if canImport(Glibc)
  import Glibc
#endif

/// The source of all randomness in a run: 32 bytes, or a short name.
///
/// A number and `counting` are names of seeds for lessons. If an attacker knows that the seed is a number, there are at
/// most 2^64 candidates. Only a seed of 32 bytes is as hard to guess as a secret key.
public enum Seed: Sendable, Hashable, CustomStringConvertible {
  /// A number that a scenario specifies.
  case number(UInt64)
  /// The seed of lessons: hello randoms and premaster secret consist of consecutive bytes, so that readers recognise
  /// them.
  ///
  /// If the last part of a stream's label (after `/`) is `client_random`, the stream counts from 0x00. For
  /// `server_random` it counts from 0x20, and for `premaster_secret` from 0x40. Other streams are as random as those of
  /// a number.
  case counting
  /// The 32 bytes of a seed.
  case bytes(SeedBytes)

  /// Parses a seed as scenarios write it: `counting`, a whole number, or 64 hexadecimal digits; otherwise nil.
  public init?(_ text: String) {
    if text == "counting" {
      self = .counting
    } else if text.utf8.count == 2 * SeedBytes.count {
      guard let bytes = Hex.bytes(text).flatMap(SeedBytes.init) else { return nil }
      self = .bytes(bytes)
    } else {
      // Digits that are neither a number nor 64 characters long are an error, although leading zeros could extend them
      // to a seed.
      guard text.utf8.count <= 20, let number = UInt64(text) else { return nil }
      self = .number(number)
    }
  }

  /// The seed in the form that scenarios use.
  public var description: String {
    switch self {
    case .number(let number): String(number)
    case .counting: "counting"
    case .bytes(let seed): Hex.string(seed.bytes)
    }
  }

  /// The entropy input of the generator: `number:15`, `counting`, or the bytes of the seed.
  fileprivate var entropyInput: [UInt8] {
    switch self {
    case .number(let number): Array("number:\(number)".utf8)
    case .counting: Array("counting".utf8)
    case .bytes(let seed): seed.bytes
    }
  }
}

/// The 32 bytes of a seed.
public struct SeedBytes: Sendable, Hashable {
  /// The bytes of the seed.
  public let bytes: [UInt8]
  /// The number of bytes.
  public static let count = 32

  /// Creates a seed from 32 bytes; nil for any other length.
  public init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.count else { return nil }
    self.bytes = bytes
  }
}

/// A generator that returns the same bytes for the same seed on every machine.
///
/// The generator is HMAC_DRBG with SHA-256 (NIST SP 800-90A Rev. 1 section 10.1.2). The entropy input is the seed as
/// text or bytes, the nonce is a zero byte, and the personalization string is the label. Each consumer uses a stream
/// with its own label, so that a change does not affect other consumers.
///
/// An unused stream costs nothing, because an update waits until the next use.
public struct DeterministicRandom: Sendable {
  /// The entropy input, nonce and personalization string, which are concatenated at the first use.
  private enum SeedMaterial: Sendable {
    case label(String, of: Seed)
    case bytes([UInt8])

    var bytes: [UInt8] {
      switch self {
      case .label(let label, of: let seed): seed.entropyInput + [0] + Array(label.utf8)
      case .bytes(let bytes): bytes
      }
    }
  }

  private let hash: Hash
  /// The seed material of the stream; nil for the system's generator, which is not repeatable.
  private let seedMaterial: SeedMaterial?
  private var state: State?
  /// The next byte of a counting stream; nil for any other stream.
  private var counter: UInt8?

  /// Creates the stream of `seed` with this `label`. If the seed is nil, the bytes come from the system's generator.
  public init(seed: Seed?, label: String) {
    hash = .sha256
    seedMaterial = seed.map { .label(label, of: $0) }
    if seed == .counting, let name = label.split(separator: "/").last { counter = counters[String(name)] }
  }

  /// Performs HMAC_DRBG_Instantiate; `seedMaterial` is the concatenated entropy input, nonce and personalization
  /// string.
  init(seedMaterial: [UInt8], hash: Hash = .sha256) {
    self.hash = hash
    self.seedMaterial = .bytes(seedMaterial)
  }

  /// Returns the next `count` bytes; returns no bytes if `count` is not positive.
  ///
  /// Calls HMAC_DRBG_Generate without additional input for every 65 536 bytes, the limit of one request.
  public mutating func bytes(_ count: Int) -> [UInt8] {
    guard count > 0 else { return [] }
    if let counter { return counted(count, from: counter) }
    guard let seedMaterial else { return Self.systemBytes(count) }
    var bytes: [UInt8] = []
    while bytes.count < count {
      var state = self.state?.updated([]) ?? State.initial(hash).updated(seedMaterial.bytes)
      let end = min(count, bytes.count + 65_536)
      while bytes.count < end {
        state.value = state.key.authenticationCode(state.value)
        bytes += state.value.prefix(end - bytes.count)
      }
      self.state = state
    }
    return bytes
  }

  /// Returns random bytes from the system, in a single system call if possible.
  ///
  /// The standard library's generator makes one call for every eight bytes.
  private static func systemBytes(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return [UInt8](unsafeUninitializedCapacity: count) { memory, used in
      #if canImport(Glibc)
        // getentropy(3) returns up to 256 bytes as a whole, or none.
        if getentropy(memory.baseAddress, count) == 0 { used = count }
      #endif
      while used < count {
        let number: UInt64 = generator.next()
        used = withUnsafeBytes(of: number) { memory[used...].initialize(fromContentsOf: $0.prefix(count - used)) }
      }
    }
  }

  private mutating func counted(_ count: Int, from counter: UInt8) -> [UInt8] {
    self.counter = counter &+ UInt8(truncatingIfNeeded: count)
    return (0..<count).map { counter &+ UInt8(truncatingIfNeeded: $0) }
  }

  /// Returns the next `count` bytes that are not zero.
  mutating func nonzeroBytes(_ count: Int) -> [UInt8] {
    var found: [UInt8] = []
    while found.count < count { found += bytes(count - found.count).filter { $0 != 0 } }
    return found
  }

  /// The values Key and V of the working state (section 10.1.2.1).
  private struct State: Sendable {
    private let hash: Hash
    let key: HMAC.Key
    var value: [UInt8]

    /// The initial Key and V, before seeding.
    static func initial(_ hash: Hash) -> State { hash == .sha256 ? sha256 : State(hash) }

    private static let sha256 = State(.sha256)

    private init(_ hash: Hash) {
      self.init(
        hash, HMAC.Key(hash, [UInt8](repeating: 0, count: hash.digestSize)),
        [UInt8](repeating: 1, count: hash.digestSize))
    }

    private init(_ hash: Hash, _ key: HMAC.Key, _ value: [UInt8]) {
      self.hash = hash
      self.key = key
      self.value = value
    }

    /// Performs HMAC_DRBG_Update (section 10.1.2.2).
    func updated(_ provided: [UInt8]) -> State {
      let first = updated(0, provided)
      return provided.isEmpty ? first : first.updated(1, provided)
    }

    private func updated(_ round: UInt8, _ provided: [UInt8]) -> State {
      let key = HMAC.Key(hash, key.authenticationCode([value, [round], provided]))
      return State(hash, key, key.authenticationCode(value))
    }
  }
}

/// The first bytes of the counting streams of `Seed.counting`.
private let counters: [String: UInt8] = ["client_random": 0x00, "server_random": 0x20, "premaster_secret": 0x40]
