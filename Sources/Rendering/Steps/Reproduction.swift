import Endpoint
import Explanation
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
