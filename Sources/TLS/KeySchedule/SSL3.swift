import Cryptography
import Explanation

/// The functions of SSL 3.0 that differ from TLS (RFC 6101): keys, MACs and Finished.
///
/// TLS 1.0 replaced all three with constructions based on HMAC, which was newer.
///
/// ```
/// pad_1 = 0x36, pad_2 = 0x5c: 48 times for MD5, 40 times for SHA-1
/// code      = hash(MAC_write_secret + pad_2 + hash(MAC_write_secret + pad_1 + seq_num + type + length + content))
/// Finished  = hash(master_secret + pad_2 + hash(handshake_messages + Sender + master_secret + pad_1)), of MD5, then SHA-1
/// key_block = MD5(master_secret + SHA("A" + master_secret + ServerHello.random + ClientHello.random)) + … "BB" … "CCC" …
/// ```
///
/// Only simulations use SSL 3.0, because RFC 7568 forbids it. TrustLab's sockets do not support it.
enum SSL3 {
  /// The first `count` bytes of the expansion of `secret` and `seed` (sections 6.1 and 6.2.2).
  ///
  /// The alphabet allows 26 rounds, more than any suite needs.
  static func output(secret: [UInt8], seed: [UInt8], count: Int) -> [UInt8] {
    var output: [UInt8] = []
    for (index, letter) in (UInt8(ascii: "A")...UInt8(ascii: "Z")).enumerated() where output.count < count {
      let letters = [UInt8](repeating: letter, count: index + 1)
      output += Hash.md5.digest(secret + Hash.sha1.digest(letters + secret + seed))
    }
    return Array(output.prefix(max(0, count)))
  }

  /// The MAC of a record. The `header` contains sequence number, type and length (section 5.2.3.1).
  static func code(_ hash: Hash, key: [UInt8], _ header: [UInt8], _ content: [UInt8]) -> [UInt8] {
    let inner = hash.digest(key + pad(0x36, hash) + header + content)
    return hash.digest(key + pad(0x5c, hash) + inner)
  }

  /// The number of bytes that the MAC hashes before the header.
  static func prefixCount(_ hash: Hash) -> Int { hash.digestSize + padCount(hash) }

  /// The 36 bytes of the Finished message of `side` (section 5.6.9).
  static func verifyData(of side: Side, _ transcript: Transcript, masterSecret: [UInt8]) -> [UInt8] {
    let sender = Array((side == .client ? "CLNT" : "SRVR").utf8)
    return CipherSuite.PRF.ssl3.hashes.flatMap { hash in
      let inner = transcript.digest(hash, before: sender + masterSecret + pad(0x36, hash))
      return hash.digest(masterSecret + pad(0x5c, hash) + inner)
    }
  }

  private static func pad(_ byte: UInt8, _ hash: Hash) -> [UInt8] { [UInt8](repeating: byte, count: padCount(hash)) }

  private static func padCount(_ hash: Hash) -> Int { hash == .md5 ? 48 : 40 }
}
