import Cryptography
import Explanation
import TLS

extension World {
  /// Whether third parties have a quantum computer at any time of the run.
  var hasQuantumComputer: Bool { leaks.contains { $0.content == .quantumComputer } }
}

extension PublicKey {
  /// The method by which a quantum computer finds the private key; nil for an algorithm that TrustLab does not know.
  public var quantumMethod: Method? {
    switch self {
    case .rsa(let key): .quantumFactoring(bits: key.bits)
    case .dsa(let key): .quantumLogarithm(bits: key.bits)
    case .ec, .ed25519, .namedCurve:
      bits.map { .quantumCurveLogarithm(curve: algorithmName.replacing("EC ", with: ""), bits: $0) }
    case .unsupported: nil
    }
  }
}

extension Simulation {
  /// Adds to the private key in `values` the derivation by which a quantum computer finds it from its public key.
  ///
  /// Any key agreement with a public key g^x or xG is broken in this way. A public key without such a derivation, as
  /// that of ML-KEM, is not.
  func breakPrivateKey(of publicKey: Value, in values: inout [Value]) {
    for case .computed(let method, let inputs) in publicKey.derivations {
      guard let index = values.firstIndex(where: { $0.id == inputs.first }) else { continue }
      switch method {
      case .publicKey(let group):
        guard let curve = NamedGroup(name: group)?.curve else { continue }
        let how = Method.quantumCurveLogarithm(curve: group, bits: curve.fieldBits)
        values[index].add(.computed(how, from: [publicKey.id]))
      case .finiteFieldPublicKey:
        let parameters = Array(inputs.dropFirst())
        guard
          let prime = values.first(where: { $0.id == parameters.first })
            ?? parameters.first.flatMap({ trace.values[$0] })
        else { continue }
        let how = Method.quantumLogarithm(bits: Natural(bigEndian: prime.bytes).bitWidth)
        values[index].add(.computed(how, from: [publicKey.id] + parameters))
      default: continue
      }
    }
  }
}
