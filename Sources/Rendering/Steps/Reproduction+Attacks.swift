import Cryptography
import Explanation
import PKIX
import TLS

// The computations of attackers. Before a command is shown, its result is compared with the run.
extension Reproduction {
  /// Returns the command that computes c^d mod n (RFC 8017 section 5.1.2).
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

  /// Returns the command that computes m^e mod n (RFC 8017 section 7.2.1). Only the client has m, the padded premaster
  /// secret.
  func premasterEncryption(_ value: Value) -> ShellCommand? {
    guard value.id.kind == .encryptedPremasterSecret else { return nil }
    let premaster = simulation.trace.values[value.id.sibling(.premasterSecret)]
    let inputs = premaster?.derivations.lazy.compactMap { derivation -> [Value.ID]? in
      if case .computed(.rsaDecryption, let inputs) = derivation { inputs } else { nil }
    }.first
    guard let key = inputs?.last.flatMap({ simulation.trace.values[$0]?.bytes }),
      case .rsa(let key)? = try? PrivateKey(der: key), let padded = try? key.rsadp(Natural(bigEndian: value.bytes))
    else { return nil }
    let (modulus, exponent) = (key.publicKey.modulus, key.publicKey.exponent)
    return power(
      of: padded.bigEndianBytes(), exponent.bigEndianBytes(), modulo: modulus.bigEndianBytes(), count: value.bytes.count
    )
  }

  /// Returns the command that computes the prime that two moduli have in common.
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

  /// Returns the command that computes the output predicted by a generator's backdoor: SHA-256 of its previous output.
  func nextOutput(_ value: Value, _ inputs: [[UInt8]]) -> ShellCommand? {
    guard let state = inputs.first else { return nil }
    let drawn = value.id.kind == .premasterSecret ? Array(value.bytes.dropFirst(2)) : value.bytes
    let head = Array(value.bytes.dropLast(drawn.count))
    return ShellCommand(
      ["python3 -c \"import hashlib;", "s=bytes.fromhex('"] + hex(state)
        + [
          "');", "print('\(Hex.string(head))'+", "b''.join(", "hashlib.sha256(s+bytes([i])).digest()", "for i in ",
          "range(\((drawn.count + 31) / 32)))", ".hex()[:\(2 * drawn.count)])\"",
        ])
  }

  /// Returns the expression for base^exponent mod modulus in `count` bytes.
  func power(of base: [UInt8], _ exponent: [UInt8], modulo modulus: [UInt8], count: Int) -> ShellCommand {
    ShellCommand(
      ["python3 -c \"", "i=lambda h:", "int.from_bytes(", "bytes.fromhex(h),'big');", "print(pow(", "i('"] + hex(base)
        + ["'),", "i('"] + hex(exponent) + ["'),", "i('"] + hex(modulus)
        + ["'))", ".to_bytes(\(count),'big').hex())\""])
  }
}
