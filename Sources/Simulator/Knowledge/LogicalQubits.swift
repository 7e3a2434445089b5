import Explanation

/// The size of the quantum computer that breaks a key, in logical qubits, as published estimates give it.
///
/// These estimates count error-corrected qubits. Symmetric keys and hashes have no estimate here, because a quantum
/// computer does not break AES-128 or SHA-256 (F. Valsorda, Quantum Computers Are Not a Threat to 128-bit Symmetric
/// Keys).
public struct LogicalQubits: Sendable, Hashable, CustomStringConvertible {
  /// The number of logical qubits.
  public let count: Int
  private let kind: Kind

  private enum Kind: Sendable, Hashable {
    case modulus(Int)
    case prime
    case curve(field: Int)
  }

  /// The modulus size for which Gidney gives an exact number in 2025, and that number (arXiv 2505.15917, table 5).
  private static let latest = (bits: 2048, count: 1399)

  /// Creates the estimate for a method; nil for a method that needs no quantum computer.
  public init?(for method: Method) {
    switch method {
    case .quantumFactoring(let bits): (count, kind) = (Self.qubits(modulus: bits), .modulus(bits))
    case .quantumLogarithm(let bits): (count, kind) = (Self.qubits(modulus: bits), .prime)
    case .quantumCurveLogarithm(_, let bits): (count, kind) = (Self.qubits(field: bits), .curve(field: bits))
    default: return nil
    }
  }

  /// Returns 3n + 0.002n lg n, rounded (C. Gidney and M. Ekerå, arXiv 1905.09749, abstract).
  ///
  /// The logarithm is interpolated linearly between powers of two, which changes the result by less than one qubit.
  private static func qubits(modulus bits: Int) -> Int {
    let size = Double(max(1, bits))
    let logarithm = Double(size.exponent) + size.significand - 1
    return Int((3 * size + 0.002 * size * logarithm).rounded())
  }

  /// Returns 9n + 2⌈log2 n⌉ + 10 (M. Roetteler and others, arXiv 1706.06752, abstract).
  private static func qubits(field bits: Int) -> Int {
    9 * bits + 2 * (Int.bitWidth - max(0, bits - 1).leadingZeroBitCount) + 10
  }

  /// The number with its source. Curve25519 is isomorphic to a curve in short Weierstrass form over the same field.
  public var description: String {
    switch kind {
    case .modulus(let bits):
      "about \(count) logical qubits (Gidney and Ekerå 2019, arXiv 1905.09749)"
        + (bits == Self.latest.bits ? " or \(Self.latest.count) (Gidney 2025, arXiv 2505.15917)" : "")
    case .prime:
      "about \(count) logical qubits, as for RSA of this size (Gidney and Ekerå 2019, arXiv 1905.09749)"
    case .curve(let field):
      "at most \(count) logical qubits for a \(field)-bit field in short Weierstrass form (Roetteler and others 2017, "
        + "arXiv 1706.06752)"
    }
  }
}
