import Cryptography
import Endpoint
import Explanation
import PKIX
import Simulator
import TLS

/// The commands that compute the values of a run with Python 3, and in some cases also openssl.
struct Reproduction {
  let simulation: any TracedRun

  init(_ simulation: any TracedRun) { self.simulation = simulation }

  /// Returns the commands that print the value in hexadecimal; empty if there is no short command.
  func commands(for value: Value) -> [ShellCommand] {
    value.derivations.compactMap { derivation in
      guard case .computed(let method, let names) = derivation, !value.bytes.isEmpty else { return nil }
      let inputs = names.compactMap { simulation.trace.values[$0]?.bytes }
      guard inputs.count == names.count, inputs.allSatisfy({ !$0.isEmpty }) else { return nil }
      return command(for: value, method, inputs)
    }
  }

  /// Returns the command that carries out `method`; nil if there is no short command.
  private func command(for value: Value, _ method: Method, _ inputs: [[UInt8]]) -> ShellCommand? {
    switch method {
    case .pseudoRandom(let label, _) where inputs.count == 1:
      // The hash of the handshake messages is not a value of the run.
      FinishedTranscript(value.id, in: simulation).flatMap { pseudoRandom(value, label.rawValue, inputs + [$0.hash]) }
    case .pseudoRandom(let label, _): pseudoRandom(value, label.rawValue, inputs)
    case .keyBlockPart(let range), .messagePart(let range): slice(range, inputs)
    case .certificateDecompression(let body, let part): decompression(body, part, inputs)
    case .rsaDecryption: privateDecryption(value, inputs)
    case .recordOpening(_, let offset): opening(value, inputs, after: offset)
    case .finiteFieldPublicKey where inputs.count == 3:
      power(of: inputs[2], inputs[0], modulo: inputs[1], count: inputs[1].count)
    case .finiteFieldAgreement where inputs.count == 3:
      power(of: inputs[1], inputs[0], modulo: inputs[2], count: value.bytes.count)
    case .ticketOpening: ticketOpening(inputs)
    case .sharedPrime: sharedPrime(inputs)
    case .nextOutput: nextOutput(value, inputs)
    case .hkdfExtract: extraction(value, inputs)
    case .hkdfExpandLabel(let label): expansion(value, label.rawValue, inputs)
    case .finishedMAC: finished(value, inputs)
    case .transcriptHash, .resumedSession, .resumingSession, .publicKey, .keyAgreement, .finiteFieldPublicKey,
      .finiteFieldAgreement, .mlkemPublicKey, .mlkemCiphertext, .mlkemEncapsulation,
      .mlkemDecapsulation, .concatenation, .signature, .premasterSearch, .seedSearch, .keySearch,
      .ephemeralKeySearch, .factoring, .discreteLogarithm, .quantumFactoring, .quantumLogarithm,
      .quantumCurveLogarithm, .unitKey, .constant, .repetition, .paddingOracle, .blockPadding, .nonceRecovery,
      .contentDecoding, .identityFileOpening, .expression:
      nil
    }
  }

  /// Returns the command for the PRF of RFC 5246 section 5. The label and the seed must be known.
  private func pseudoRandom(_ value: Value, _ label: String, _ inputs: [[UInt8]]) -> ShellCommand? {
    guard let secret = inputs.first else { return nil }
    let seed = inputs.dropFirst().flatMap(\.self)
    guard
      let prf = CipherSuite.PRF.allCases.first(where: {
        $0.output(secret: secret, label: label, seed: seed, count: value.bytes.count) == value.bytes
      })
    else { return nil }
    if prf == .ssl3 { return expansion(value, secret, seed) }
    if prf == .md5SHA1 { return oldPseudoRandom(value, label, secret, seed) }
    let rounds = (value.bytes.count + prf.hashes[0].digestSize - 1) / prf.hashes[0].digestSize
    return ShellCommand(
      ["python3 -c \"import hmac;", "s=bytes.fromhex('"] + hex(secret) + ["');", "d=b'\(label)'+", "bytes.fromhex('"]
        + hex(seed)
        + [
          "');", "h=lambda m:", "hmac.digest(s,m,'\(prf.rawValue.lowercased())');", "A=lambda i:",
          "h(A(i-1))if i else d;",
          "print(b''.join(", "h(A(i)+d)for i in ", "range(1,\(rounds + 1)))", ".hex()[:\(2 * value.bytes.count)])\"",
        ])
  }

  /// Returns the command for the key derivation of RFC 6101 section 6.1: MD5 over SHA-1, with more letters in every
  /// round.
  private func expansion(_ value: Value, _ secret: [UInt8], _ seed: [UInt8]) -> ShellCommand {
    let count = value.bytes.count
    return ShellCommand(
      ["python3 -c \"from hashlib import *;", "s=bytes.fromhex('"] + hex(secret) + ["');", "d=bytes.fromhex('"]
        + hex(seed)
        + [
          "');", "print(b''.join(", "md5(s+sha1(", "bytes([64+i])*i+s+d)", ".digest()).digest()", "for i in ",
          "range(1,\((count + 15) / 16 + 1)))", ".hex()[:\(2 * count)])\"",
        ])
  }

  /// Returns the command for the PRF of RFC 2246 section 5. It combines P_MD5 of the secret's first half with P_SHA-1
  /// of the second.
  private func oldPseudoRandom(_ value: Value, _ label: String, _ secret: [UInt8], _ seed: [UInt8]) -> ShellCommand {
    let half = (secret.count + 1) / 2
    let count = value.bytes.count
    return ShellCommand(
      ["python3 -c \"import hmac;", "s=bytes.fromhex('"] + hex(secret) + ["');", "d=b'\(label)'+", "bytes.fromhex('"]
        + hex(seed)
        + [
          "');", "A=lambda k,a,i:", "hmac.digest(k,A(k,a,i-1),a)", "if i else d;", "P=lambda k,a:b''.join(",
          "hmac.digest(k,A(k,a,i)+d,a)", "for i in ", "range(1,\((count + 15) / 16 + 1)));",
          "print(bytes(x^y for x,y in ", "zip(P(s[:\(half)],'md5'),", "P(s[-\(half):],'sha1')))",
          ".hex()[:\(2 * count)])\"",
        ])
  }

  /// Returns the command that extracts a key from the key block (RFC 5246 section 6.3).
  private func slice(_ range: Range<Int>, _ inputs: [[UInt8]]) -> ShellCommand? {
    guard let block = inputs.first else { return nil }
    return ShellCommand(
      ["python3 -c \"print(", "bytes.fromhex('"] + hex(block)
        + ["')", "[\(range.lowerBound):\(range.upperBound)]", ".hex())\""])
  }

  /// Returns the command that decompresses certificates and extracts one of them (RFC 8879 section 4).
  ///
  /// The body begins with the algorithm and two lengths.
  private func decompression(_ body: Range<Int>, _ part: Range<Int>, _ inputs: [[UInt8]]) -> ShellCommand? {
    guard let message = inputs.first else { return nil }
    return ShellCommand(
      ["python3 -c \"import zlib;", "print(zlib.decompress(", "bytes.fromhex('"] + hex(message)
        + [
          "')", "[\(body.lowerBound + 8):\(body.upperBound)])", "[\(part.lowerBound):\(part.upperBound)]", ".hex())\"",
        ])
  }

  func hex(_ bytes: [UInt8]) -> [String] { bytes.map { Hex.string([$0]) } }
}

/// A shell command that consists of pieces. A line may end with a backslash between two pieces.
public struct ShellCommand: Sendable, Hashable, CustomStringConvertible {
  /// The pieces of the command, which are never broken. White space between two pieces has no effect.
  public let pieces: [String]

  /// Creates a command from these pieces.
  init(_ pieces: [String]) { self.pieces = pieces }

  /// The command on one line.
  public var description: String { pieces.joined() }

  /// Returns the command on lines of at most `width` columns. All lines except the last end with a backslash.
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

extension Reproduction {
  /// Returns the command for AES-128-CBC with the second part of the ticket key (RFC 5077 section 4).
  ///
  /// In the ticket, the master secret follows the version, the cipher suite and the compression method.
  func ticketOpening(_ inputs: [[UInt8]]) -> ShellCommand? {
    guard inputs.count == 2, inputs[0].count == SessionTicketKey.count, inputs[1].count > 66 else { return nil }
    let (key, iv) = (Array(inputs[0][16..<32]), Array(inputs[1][16..<32]))
    return ShellCommand(
      ["python3 -c \"import subprocess;", "h=bytes.fromhex;", "print(subprocess.run(", "['openssl','enc','-d',"]
        + ["'-aes-128-cbc','-nopad',", "'-K',h('"] + hex(key) + ["').hex(),", "'-iv',h('"] + hex(iv)
        + ["').hex()],", "input=h('"] + hex(Array(inputs[1][34...].dropLast(32)))
        + ["'),", "capture_output=True)", ".stdout[5:53].hex())\""])
  }
}
