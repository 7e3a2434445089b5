import Cryptography
import Endpoint
import Explanation
import PKIX
import Simulator
import TLS

/// The command that computes a value of a run again, with nothing but python3.
struct Reproduction {
  let simulation: any TracedRun

  init(_ simulation: any TracedRun) { self.simulation = simulation }

  /// Commands that print the value in hexadecimal; none where there is no short one.
  func commands(for value: Value) -> [ShellCommand] {
    value.derivations.compactMap { derivation in
      guard case .computed(let method, let names) = derivation, !value.bytes.isEmpty else { return nil }
      let inputs = names.compactMap { simulation.trace.values[$0]?.bytes }
      guard inputs.count == names.count, inputs.allSatisfy({ !$0.isEmpty }) else { return nil }
      return command(for: value, method, inputs)
    }
  }

  /// The command that carries `method` out; nil where there is no short one.
  private func command(for value: Value, _ method: Method, _ inputs: [[UInt8]]) -> ShellCommand? {
    switch method {
    case .pseudoRandom(let label): pseudoRandom(value, label.rawValue, inputs)
    case .keyBlockPart(let range): slice(range, inputs)
    case .rsaDecryption: privateDecryption(value, inputs)
    case .recordOpening: opening(value, inputs)
    case .sharedPrime: sharedPrime(inputs)
    case .nextOutput: nextOutput(value, inputs)
    case .resumedSession, .resumingSession, .publicKey, .keyAgreement, .signature, .premasterSearch, .seedSearch,
      .keySearch, .constant, .repetition, .paddingOracle, .expression:
      nil
    }
  }

  /// RFC 5246 section 5, where the label and everything behind it is known.
  private func pseudoRandom(_ value: Value, _ label: String, _ inputs: [[UInt8]]) -> ShellCommand? {
    guard let secret = inputs.first else { return nil }
    let seed = inputs.dropFirst().flatMap(\.self)
    guard
      let prf = CipherSuite.PRF.allCases.first(where: {
        PRF12.output($0.hash, secret: secret, label: label, seed: seed, count: value.bytes.count) == value.bytes
      })
    else { return nil }
    let rounds = (value.bytes.count + prf.hash.digestSize - 1) / prf.hash.digestSize
    return ShellCommand(
      ["python3 -c \"import hmac;", "s=bytes.fromhex('"] + hex(secret) + ["');", "d=b'\(label)'+", "bytes.fromhex('"]
        + hex(seed)
        + [
          "');", "h=lambda m:", "hmac.digest(s,m,'\(prf.rawValue.lowercased())');", "A=lambda i:",
          "h(A(i-1))if i else d;",
          "print(b''.join(", "h(A(i)+d)for i in ", "range(1,\(rounds + 1)))", ".hex()[:\(2 * value.bytes.count)])\"",
        ])
  }

  /// RFC 5246 section 6.3: a key is a part of the key block.
  private func slice(_ range: Range<Int>, _ inputs: [[UInt8]]) -> ShellCommand? {
    guard let block = inputs.first else { return nil }
    return ShellCommand(
      ["python3 -c \"print(", "bytes.fromhex('"] + hex(block)
        + ["')", "[\(range.lowerBound):\(range.upperBound)]", ".hex())\""])
  }

  func hex(_ bytes: [UInt8]) -> [String] { bytes.map { Hex.string([$0]) } }
}

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

/// A command for a shell, as pieces between which a line may end with a reverse solidus.
public struct ShellCommand: Sendable, Hashable, CustomStringConvertible {
  /// What is never broken; white space between two pieces changes nothing.
  public let pieces: [String]

  /// A command of these pieces.
  init(_ pieces: [String]) { self.pieces = pieces }

  /// The command on one line.
  public var description: String { pieces.joined() }

  /// The command on lines of at most `width` columns, all but the last ended by a reverse solidus.
  func lines(width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for piece in pieces {
      if !line.isEmpty, line.count + piece.count > width - 1 {
        lines.append(line + "\\")
        line = ""
      }
      line += piece
    }
    return lines + [line]
  }
}
