import Cryptography
import Explanation
import Simulator
import TLS

// The key schedule of TLS 1.3. Before a command is shown, its result is compared with the run, which also finds the hash.
extension Reproduction {
  /// Returns the command for HKDF-Extract (RFC 5869 section 2.2). An absent salt or secret is zeros (RFC 8446 section
  /// 7.1).
  func extraction(_ value: Value, _ inputs: [[UInt8]]) -> ShellCommand? {
    let isFirst = value.id.kind == .earlySecret
    return Self.hash { hash in
      let zeros = [UInt8](repeating: 0, count: hash.digestSize)
      let (salt, secret) = isFirst ? (nil, inputs.first) : (inputs.first, inputs.dropFirst().first)
      guard HMAC.authenticationCode(hash, key: salt ?? zeros, secret ?? zeros) == value.bytes else { return nil }
      return ShellCommand(
        ["python3 -c \"import hmac;", "print(hmac.digest("] + bytes(salt, or: zeros) + [","] + bytes(secret, or: zeros)
          + [",'\(hash.rawValue)')", ".hex())\""])
    }
  }

  /// Returns the command for HKDF-Expand-Label, whose output is the beginning of one HMAC (RFC 8446 section 7.1).
  ///
  /// Derive-Secret over no messages has their hash as context. It is no value of the run.
  func expansion(_ value: Value, _ label: String, _ inputs: [[UInt8]]) -> ShellCommand? {
    guard let secret = inputs.first else { return nil }
    return Self.hash { hash in
      let contexts = inputs.count > 1 ? [inputs[1]] : [[], hash.digest([])]
      let context = contexts.first { context in
        ExpandLabel(hash).output(secret, label, context: context, count: value.bytes.count) == value.bytes
      }
      guard let context else { return nil }
      let text = "tls13 \(label)"
      return ShellCommand(
        ["python3 -c \"import hmac;", "c=bytes.fromhex('"] + hex(context)
          + ["');", "i=bytes([0,\(value.bytes.count),\(text.utf8.count)])", "+b'\(text)'", "+bytes([len(c)])+c;"]
          + ["print(hmac.digest(", "bytes.fromhex('"] + hex(secret)
          + ["'),", "i+bytes([1]),'\(hash.rawValue)')", ".hex()[:\(2 * value.bytes.count)])\""])
    }
  }

  /// Returns the command for the verify_data of Finished (RFC 8446 section 4.4.4).
  func finished(_ value: Value, _ inputs: [[UInt8]]) -> ShellCommand? {
    let messages = FinishedTranscript(value.id, in: simulation)
    guard let key = inputs.first, let transcript = messages?.hash else { return nil }
    return Self.hash { hash in
      guard HMAC.authenticationCode(hash, key: key, transcript) == value.bytes else { return nil }
      return ShellCommand(
        ["python3 -c \"import hmac;", "print(hmac.digest("] + bytes(key, or: []) + [","] + bytes(transcript, or: [])
          + [",'\(hash.rawValue)')", ".hex())\""])
    }
  }

  /// Returns the first command for a hash of TLS 1.3.
  private static func hash(_ command: (Hash) -> ShellCommand?) -> ShellCommand? {
    [Hash.sha256, .sha384].lazy.compactMap(command).first
  }

  /// Returns the Python expression for these bytes. Absent bytes are zeros.
  private func bytes(_ bytes: [UInt8]?, or zeros: [UInt8]) -> [String] {
    bytes.map { ["bytes.fromhex('"] + hex($0) + ["')"] } ?? ["bytes(\(zeros.count))"]
  }
}
