import Cryptography
import Explanation
import PKIX
import TLS

// What attackers compute. Every line is checked here against the run before it is shown.
extension Reproduction {
  /// c^d mod n: RFC 8017 section 5.1.2.
  func privateDecryption(_ value: Value, _ inputs: [[UInt8]]) -> ShellCommand? {
    guard inputs.count == 2, case .rsa(let key)? = try? PrivateKey(der: inputs[1]),
      let parts = try? key.disclosedComponents()
    else { return nil }
    let ciphertext = inputs[0]
    return ShellCommand(
      ["python3 -c \"", "i=lambda h:", "int.from_bytes(", "bytes.fromhex(h),'big');", "print(pow(", "i('"]
        + hex(ciphertext) + ["'),", "i('"] + hex(parts.privateExponent.bigEndianBytes()) + ["'),", "i('"]
        + hex(parts.modulus.bigEndianBytes())
        + ["'))", ".to_bytes(\(key.publicKey.byteCount),'big')", "[-\(value.bytes.count):].hex())\""])
  }

  /// The prime that two moduli have in common.
  func sharedPrime(_ certificates: [[UInt8]]) -> ShellCommand? {
    let moduli = certificates.compactMap { der -> [UInt8]? in
      guard case .rsa(let key)? = try? Certificate(der: der).publicKey else { return nil }
      return key.modulus.bigEndianBytes()
    }
    guard moduli.count == 2 else { return nil }
    return ShellCommand(
      [
        "python3 -c \"import math;", "i=lambda h:", "int.from_bytes(", "bytes.fromhex(h),'big');",
        "print('%x'%math.gcd(", "i('",
      ]
        + hex(moduli[0]) + ["'),", "i('"] + hex(moduli[1]) + ["')))\""])
  }

  /// What a back door tells of a generator: SHA-256 of what it gave last.
  func nextOutput(_ value: Value, _ inputs: [[UInt8]]) -> ShellCommand? {
    guard let state = inputs.first else { return nil }
    let drawn = value.id.hasSuffix("premaster_secret") ? Array(value.bytes.dropFirst(2)) : value.bytes
    let head = Array(value.bytes.dropLast(drawn.count))
    return ShellCommand(
      ["python3 -c \"import hashlib;", "s=bytes.fromhex('"] + hex(state)
        + [
          "');", "print('\(Hex.string(head))'+", "b''.join(", "hashlib.sha256(s+bytes([i])).digest()", "for i in ",
          "range(\((drawn.count + 31) / 32)))", ".hex()[:\(2 * drawn.count)])\"",
        ])
  }

  /// The key stream of AES-GCM is that of counter mode from 2 on: NIST SP 800-38D section 7.1.
  func opening(_ value: Value, _ inputs: [[UInt8]]) -> ShellCommand? {
    guard inputs.count == 3, inputs[2].count > Record.headerLength + 16 else { return nil }
    let (key, iv) = (inputs[0], inputs[1])
    let sealed = inputs[2].dropFirst(Record.headerLength).dropLast(16)
    guard iv.count == 4, sealed.count == value.bytes.count + 8 else { return nil }
    let start = iv + sealed.prefix(8) + [0, 0, 0, 2]
    return ShellCommand(
      ["python3 -c \"import subprocess;", "h=bytes.fromhex;", "print(subprocess.run(", "['openssl','enc','-d',"]
        + ["'-aes-\(key.count * 8)-ctr',", "'-K',h('"] + hex(key) + ["').hex(),", "'-iv',h('"] + hex(start)
        + ["').hex()],", "input=h('"] + hex(Array(sealed.dropFirst(8)))
        + ["'),", "capture_output=True)", ".stdout.hex())\""])
  }
}
