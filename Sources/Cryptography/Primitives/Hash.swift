import Crypto

/// A hash function that TrustLab supports.
public enum Hash: String, CaseIterable, Sendable, Hashable {
  /// MD5 (RFC 1321), which is broken. Lessons use it to show why.
  case md5
  /// SHA-1 (FIPS 180-4), which is broken. Lessons use it to show why.
  case sha1
  /// SHA-224, FIPS 180-4.
  case sha224
  /// SHA-256, FIPS 180-4.
  case sha256
  /// SHA-384, FIPS 180-4.
  case sha384
  /// SHA-512, FIPS 180-4.
  case sha512

  /// The size of a digest in bytes.
  public var digestSize: Int {
    switch self {
    case .md5: 16
    case .sha1: 20
    case .sha224: 28
    case .sha256: 32
    case .sha384: 48
    case .sha512: 64
    }
  }

  /// The size of an input block in bytes, called B in HMAC (RFC 2104 section 2).
  public var blockSize: Int {
    switch self {
    case .md5, .sha1, .sha224, .sha256: 64
    case .sha384, .sha512: 128
    }
  }

  /// The name as FIPS 180-4 and RFC 1321 write it, such as `SHA-256`.
  public var name: String {
    switch self {
    case .md5: "MD5"
    case .sha1: "SHA-1"
    case .sha224: "SHA-224"
    case .sha256: "SHA-256"
    case .sha384: "SHA-384"
    case .sha512: "SHA-512"
    }
  }

  /// The digest of `bytes`.
  public func digest(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    // Hashes arrays and slices without a copy.
    bytes.withContiguousStorageIfAvailable { digest(UnsafeRawBufferPointer($0)) }
      ?? Array(bytes).withUnsafeBytes { digest($0) }
  }

  private func digest(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    switch self {
    case .md5: Hash.digest(bytes, Insecure.MD5.self)
    case .sha1: Hash.digest(bytes, Insecure.SHA1.self)
    case .sha224: SHA224.digest(bytes)
    case .sha256: Hash.digest(bytes, Crypto.SHA256.self)
    case .sha384: Hash.digest(bytes, Crypto.SHA384.self)
    case .sha512: Hash.digest(bytes, Crypto.SHA512.self)
    }
  }

  private static func digest<Function: HashFunction>(
    _ bytes: UnsafeRawBufferPointer, _ function: Function.Type
  ) -> [UInt8] {
    var function = function.init()
    function.update(bufferPointer: bytes)
    return function.finalize().withUnsafeBytes { Array($0) }
  }

  /// The running digest of a message that arrives in parts. The digest is available after each part.
  public struct Running: Sendable {
    private enum State: Sendable {
      case md5(Insecure.MD5)
      case sha1(Insecure.SHA1)
      case sha256(Crypto.SHA256)
      case sha384(Crypto.SHA384)
      case collected([UInt8])
    }

    /// The hash function.
    public let hash: Hash
    private var state: State

    /// Creates the running digest of an empty message.
    public init(_ hash: Hash) {
      self.hash = hash
      switch hash {
      case .md5: state = .md5(Insecure.MD5())
      case .sha1: state = .sha1(Insecure.SHA1())
      case .sha256: state = .sha256(Crypto.SHA256())
      case .sha384: state = .sha384(Crypto.SHA384())
      case .sha224, .sha512: state = .collected([])
      }
    }

    /// Appends bytes to the message.
    public mutating func update(_ bytes: [UInt8]) {
      guard !bytes.isEmpty else { return }
      switch state {
      case .md5(var function):
        bytes.withUnsafeBytes { function.update(bufferPointer: $0) }
        state = .md5(function)
      case .sha1(var function):
        bytes.withUnsafeBytes { function.update(bufferPointer: $0) }
        state = .sha1(function)
      case .sha256(var function):
        bytes.withUnsafeBytes { function.update(bufferPointer: $0) }
        state = .sha256(function)
      case .sha384(var function):
        bytes.withUnsafeBytes { function.update(bufferPointer: $0) }
        state = .sha384(function)
      case .collected(let before): state = .collected(before + bytes)
      }
    }

    /// The digest of the bytes that were appended.
    public var digest: [UInt8] {
      switch state {
      case .md5(let function): function.finalize().withUnsafeBytes { Array($0) }
      case .sha1(let function): function.finalize().withUnsafeBytes { Array($0) }
      case .sha256(let function): function.finalize().withUnsafeBytes { Array($0) }
      case .sha384(let function): function.finalize().withUnsafeBytes { Array($0) }
      case .collected(let bytes): hash.digest(bytes)
      }
    }
  }
}

/// SHA-224 (FIPS 180-4 section 6.3): SHA-256 with other initial values, truncated to 28 bytes.
///
/// The library that provides the other hash functions does not have it.
enum SHA224 {
  /// A digest that conforms to the protocol of that library.
  struct Digest: Crypto.Digest {
    static let byteCount = 28
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var description: String { "SHA-224 digest of \(bytes.count) bytes" }

    func makeIterator() -> Array<UInt8>.Iterator { bytes.makeIterator() }

    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
      try bytes.withUnsafeBytes(body)
    }
  }

  static func digest(_ message: UnsafeRawBufferPointer) -> [UInt8] {
    var padded = Array(message) + [0x80]
    padded += [UInt8](repeating: 0, count: (120 - padded.count % 64) % 64)
    padded += withUnsafeBytes(of: (UInt64(message.count) &* 8).bigEndian) { Array($0) }
    var state = initial
    for block in stride(from: 0, to: padded.count, by: 64) { compress(padded[block..<block + 64], into: &state) }
    return state.prefix(7).flatMap { word in withUnsafeBytes(of: word.bigEndian) { Array($0) } }
  }

  private static func compress(_ block: ArraySlice<UInt8>, into state: inout [UInt32]) {
    let schedule = schedule(block)
    var v = state
    for t in 0..<64 {
      let s1 = rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25)
      let choice = (v[4] & v[5]) ^ (~v[4] & v[6])
      let t1 = v[7] &+ s1 &+ choice &+ constants[t] &+ schedule[t]
      let s0 = rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22)
      let majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2])
      v = [t1 &+ s0 &+ majority, v[0], v[1], v[2], v[3] &+ t1, v[4], v[5], v[6]]
    }
    for index in 0..<8 { state[index] &+= v[index] }
  }

  private static func schedule(_ block: ArraySlice<UInt8>) -> [UInt32] {
    var words: [UInt32] = []
    for start in stride(from: block.startIndex, to: block.endIndex, by: 4) {
      words.append(block[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) })
    }
    for t in 16..<64 {
      let s0 = rotate(words[t - 15], 7) ^ rotate(words[t - 15], 18) ^ words[t - 15] >> 3
      let s1 = rotate(words[t - 2], 17) ^ rotate(words[t - 2], 19) ^ words[t - 2] >> 10
      words.append(s1 &+ words[t - 7] &+ s0 &+ words[t - 16])
    }
    return words
  }

  private static func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 { word >> count | word << (32 - count) }

  private static let initial: [UInt32] = [
    0xc105_9ed8, 0x367c_d507, 0x3070_dd17, 0xf70e_5939, 0xffc0_0b31, 0x6858_1511, 0x64f9_8fa7, 0xbefa_4fa4,
  ]

  // The first 32 bits of the fractional parts of the cube roots of the first 64 primes, FIPS 180-4 section 4.2.2.
  private static let constants: [UInt32] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
    0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
    0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
    0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
    0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
    0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
    0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
  ]
}
