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
      guard case .computed(let function, let inputs) = derivation else { return nil }
      if function.hasPrefix("PRF(") { return pseudoRandom(value, function, inputs) }
      if function.hasPrefix("key_block[") { return slice(value, inputs) }
      return attack(value, function, inputs.map { simulation.trace.values[$0]?.bytes ?? [] })
    }
  }

  /// RFC 5246 section 5, where the label and everything behind it is known.
  private func pseudoRandom(_ value: Value, _ function: String, _ inputs: [Value.ID]) -> ShellCommand? {
    let parts = function.split(separator: "\"")
    let bytes = inputs.compactMap { simulation.trace.values[$0]?.bytes }
    guard parts.count == 3, bytes.count == inputs.count, let secret = bytes.first else { return nil }
    let label = String(parts[1])
    let seed = bytes.dropFirst().flatMap(\.self)
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
  private func slice(_ value: Value, _ inputs: [Value.ID]) -> ShellCommand? {
    guard inputs.count == 1, let block = simulation.trace.values[inputs[0]]?.bytes, !value.bytes.isEmpty,
      let start = block.indices.first(where: { block[$0...].starts(with: value.bytes) })
    else { return nil }
    let end = start + value.bytes.count
    return ShellCommand(
      ["python3 -c \"print(", "bytes.fromhex('"] + hex(block) + ["')", "[\(start):\(end)]", ".hex())\""])
  }

  func hex(_ bytes: [UInt8]) -> [String] { bytes.map { Hex.string([$0]) } }
}
