/// RC4, tested with the vectors of RFC 6229: a key stream that is XORed with the plaintext.
///
/// R. Rivest designed RC4 in 1987, and it was secret until 1994. Its first bytes depend on the key, and all of its
/// bytes are biased (N. AlFardan and others, 2013). RFC 7465 has prohibited it in TLS since 2015. TrustLab implements
/// RC4 because the library that provides the other ciphers never had it. The code reads tables at secret indices, so
/// other processes on the machine may be able to learn the key.
public struct RC4: Sendable {
  private var state: [UInt8]
  private var i: UInt8 = 0
  private var j: UInt8 = 0

  /// Creates the cipher at the start of its key stream. The key must have 1 to 256 bytes.
  public init(key: [UInt8]) throws(CipherError) {
    guard (1...256).contains(key.count) else { throw .keySize(key.count) }
    state = Array(0...255)
    var j: UInt8 = 0
    for i in 0..<256 {
      j = j &+ state[i] &+ key[i % key.count]
      state.swapAt(i, Int(j))
    }
  }

  /// XORs `bytes` with the next bytes of the key stream. The same operation encrypts and decrypts.
  public mutating func process(_ bytes: some Sequence<UInt8>) -> [UInt8] { bytes.map { $0 ^ next() } }

  /// Skips `count` bytes of the key stream.
  public mutating func skip(_ count: Int) { for _ in 0..<max(0, count) { _ = next() } }

  private mutating func next() -> UInt8 {
    i &+= 1
    let a = state[Int(i)]
    j &+= a
    let b = state[Int(j)]
    state[Int(i)] = b
    state[Int(j)] = a
    return state[Int(a &+ b)]
  }
}
