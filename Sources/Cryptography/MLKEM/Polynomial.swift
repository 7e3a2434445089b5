/// A polynomial of degree below 256 with coefficients modulo 3329, or its number-theoretic transform (FIPS 203 section
/// 2.4).
///
/// No branch and no index depends on a coefficient, except in the public matrix.
struct Polynomial: Sendable, Equatable {
  /// The modulus q.
  static let modulus: UInt32 = 3329

  /// The 256 coefficients, each below the modulus.
  private(set) var coefficients: [UInt32]

  init(_ coefficients: [UInt32]) { self.coefficients = coefficients }

  static let zero = Polynomial([UInt32](repeating: 0, count: 256))

  static func + (left: Polynomial, right: Polynomial) -> Polynomial {
    Polynomial(zip(left.coefficients, right.coefficients).map { reduced($0 + $1) })
  }

  static func - (left: Polynomial, right: Polynomial) -> Polynomial {
    Polynomial(zip(left.coefficients, right.coefficients).map { reduced($0 + modulus - $1) })
  }

  /// n / q, rounded down, for n up to 2^25. The multiplication by 2^36 / q replaces a division, whose time can depend
  /// on n.
  private static func quotient(_ number: UInt32) -> UInt32 {
    UInt32(truncatingIfNeeded: (UInt64(number) * 20_642_679) >> 36)
  }

  private static func reduced(_ number: UInt32) -> UInt32 { number - quotient(number) * modulus }
}

// The number-theoretic transform (section 4.3).
extension Polynomial {
  /// 17^BitRev7(i) for each i.
  private static let zetas: [UInt32] = (0..<128).map { index in
    let exponent = (0..<7).reduce(0) { $0 << 1 | (index >> $1) & 1 }
    return (0..<exponent).reduce(1) { power, _ in reduced(power * 17) }
  }

  /// The transform (algorithm 9).
  var transformed: Polynomial {
    var (f, zetas) = (coefficients, Self.zetas.dropFirst())
    for length in [128, 64, 32, 16, 8, 4, 2] {
      for start in stride(from: 0, to: 256, by: 2 * length) {
        let zeta = zetas.popFirst() ?? 1
        for j in start..<start + length {
          let product = Self.reduced(zeta * f[j + length])
          f[j + length] = Self.reduced(f[j] + Self.modulus - product)
          f[j] = Self.reduced(f[j] + product)
        }
      }
    }
    return Polynomial(f)
  }

  /// The polynomial whose transform this is (algorithm 10).
  var inverseTransformed: Polynomial {
    var (f, zetas) = (coefficients, Self.zetas.dropFirst())
    for length in [2, 4, 8, 16, 32, 64, 128] {
      for start in stride(from: 0, to: 256, by: 2 * length) {
        let zeta = zetas.popLast() ?? 1
        for j in start..<start + length {
          let (low, high) = (f[j], f[j + length])
          f[j] = Self.reduced(low + high)
          f[j + length] = Self.reduced(zeta * (high + Self.modulus - low))
        }
      }
    }
    return Polynomial(f.map { Self.reduced($0 * 3303) })
  }

  /// The sum of the products of two vectors of transforms (algorithms 11 and 12).
  static func product(_ left: [Polynomial], _ right: [Polynomial]) -> Polynomial {
    zip(left, right).reduce(zero) { $0 + product($1.0.coefficients, $1.1.coefficients) }
  }

  private static func product(_ f: [UInt32], _ g: [UInt32]) -> Polynomial {
    var h = f
    for i in 0..<128 {
      let (even, odd) = (2 * i, 2 * i + 1)
      // 17^(2 BitRev7(i) + 1) is one of the constants of the last layer or its negative.
      let zeta = zetas[64 + i / 2]
      let gamma = i % 2 == 0 ? zeta : modulus - zeta
      h[even] = reduced(f[even] * g[even] + reduced(f[odd] * g[odd]) * gamma)
      h[odd] = reduced(f[even] * g[odd] + f[odd] * g[even])
    }
    return Polynomial(h)
  }
}

// Sampling (section 4.2.2).
extension Polynomial {
  /// SampleNTT (algorithm 7): a uniform transform from a public seed and two indices.
  init(uniform seed: [UInt8], _ column: Int, _ row: Int) {
    var stream = Keccak.shake128(seed + [UInt8(truncatingIfNeeded: column), UInt8(truncatingIfNeeded: row)])
    coefficients = []
    coefficients.reserveCapacity(256)
    while coefficients.count < 256 {
      let (c0, c1, c2) = (UInt32(stream.next()), UInt32(stream.next()), UInt32(stream.next()))
      let (first, second) = (c0 | (c1 & 15) << 8, c1 >> 4 | c2 << 4)
      if first < Self.modulus { coefficients.append(first) }
      if second < Self.modulus, coefficients.count < 256 { coefficients.append(second) }
    }
  }

  /// SamplePolyCBD with η = 2 (algorithm 8), from the function PRF of section 4.1.
  init(noise seed: [UInt8], number: Int) {
    let bytes = Keccak.shake256(seed + [UInt8(truncatingIfNeeded: number)], count: 128)
    coefficients = bytes.flatMap { [Self.difference($0), Self.difference($0 >> 4)] }
  }

  /// The number of ones in bits 0 and 1, minus the number in bits 2 and 3.
  private static func difference(_ bits: UInt8) -> UInt32 {
    let bits = UInt32(bits)
    return reduced((bits & 1) + (bits >> 1 & 1) + modulus - (bits >> 2 & 1) - (bits >> 3 & 1))
  }
}

// Encoding and compression (section 4.2.1).
extension Polynomial {
  /// The number of bytes of a polynomial with so many bits a coefficient.
  static func length(bits: Int) -> Int { 32 * bits }

  /// ByteEncode (algorithm 5) of the coefficients, which are compressed to fewer than 12 bits.
  func encoded(bits: Int) -> [UInt8] {
    var (bytes, buffer, held) = ([UInt8](), UInt32(0), 0)
    for coefficient in coefficients {
      buffer |= (bits == 12 ? coefficient : Self.compressed(coefficient, bits)) << UInt32(held)
      held += bits
      while held >= 8 {
        bytes.append(UInt8(truncatingIfNeeded: buffer))
        buffer >>= 8
        held -= 8
      }
    }
    return bytes
  }

  /// ByteDecode (algorithm 6) of `length(bits:)` bytes, with decompression from fewer than 12 bits.
  ///
  /// Twelve bits can exceed the modulus; the caller compares the encoding of the result with the bytes.
  init(decoding bytes: some Sequence<UInt8>, bits: Int) {
    var (buffer, held) = (UInt32(0), 0)
    coefficients = []
    coefficients.reserveCapacity(256)
    for byte in bytes {
      buffer |= UInt32(byte) << UInt32(held)
      held += 8
      while held >= bits {
        let value = buffer & (1 << UInt32(bits) - 1)
        coefficients.append(bits == 12 ? Self.reduced(value) : Self.decompressed(value, bits))
        buffer >>= UInt32(bits)
        held -= bits
      }
    }
  }

  /// Compress: round(2^d / q · x) mod 2^d.
  private static func compressed(_ coefficient: UInt32, _ bits: Int) -> UInt32 {
    quotient(coefficient << UInt32(bits) + modulus / 2) & (1 << UInt32(bits) - 1)
  }

  /// Decompress: round(q / 2^d · y).
  private static func decompressed(_ value: UInt32, _ bits: Int) -> UInt32 {
    (value * modulus + 1 << UInt32(bits - 1)) >> UInt32(bits)
  }
}
