import Testing

@testable import Cryptography

@Suite("Natural numbers")
struct NaturalTests {
  /// Numbers of many sizes, including the boundaries of limbs.
  static let samples: [Natural] = {
    var random = DeterministicRandom(seed: .number(1), label: "naturals")
    let edges = [0, 1, 2, 3, 10, 0xff, 0x100, UInt.max, UInt.max - 1, 1 << 63].map { Natural($0) }
    let large = [1, 7, 8, 9, 16, 17, 31, 64, 100].map { Natural(bigEndian: random.bytes($0)) }
    return edges + large + edges.dropFirst(7).map { $0 * $0 + 1 }
  }()

  @Test("sum, product, difference and quotient are inverse operations")
  func inverses() throws {
    for a in Self.samples {
      for b in Self.samples {
        #expect(a + b == b + a && a * b == b * a)
        #expect(try (a + b).subtracting(b) == a)
        #expect((a < b) == (b > a))
        guard !b.isZero else { continue }
        let (quotient, remainder) = try a.quotientAndRemainder(dividingBy: b)
        #expect(quotient * b + remainder == a && remainder < b)
        #expect(try (a * b).quotientAndRemainder(dividingBy: b) == (a, 0))
      }
    }
  }

  @Test("arithmetic agrees with the machine on numbers of 128 bits")
  func machine() throws {
    func natural(_ number: UInt128) -> Natural {
      Natural(bigEndian: withUnsafeBytes(of: number.bigEndian) { Array($0) })
    }
    let words: [UInt64] = [0, 1, 3, 0xffff_ffff, 0x1234_5678_9abc_def1, .max - 1, .max]
    for a in words {
      for b in words {
        let (x, y) = (UInt128(a), UInt128(b))
        #expect(natural(x) + natural(y) == natural(x + y))
        #expect(natural(x) * natural(y) == natural(x * y))
        #expect((natural(x) < natural(y)) == (x < y))
        #expect(natural(x * y).description == "\(x * y)")
        if x >= y { #expect(try natural(x).subtracting(natural(y)) == natural(x - y)) }
        if b != 0 {
          #expect(try natural(x * x).remainder(dividingBy: natural(y)) == natural(x * x % y))
          #expect(try natural(x * x).remainder(dividingBy: UInt(b)) == UInt(x * x % y))
        }
      }
    }
  }

  @Test("modular powers equal repeated multiplication, even moduli included")
  func powers() throws {
    for base in [0, 1, 2, 7, 0xffff_ffff_ffff] as [Natural] {
      for modulus in [1, 2, 3, 10, 0x1_0000_0000, 0xffff_ffff_ffff_fff0] as [Natural] {
        var expected = try Natural(1).remainder(dividingBy: modulus)
        for exponent in 0..<20 as Range<UInt> {
          #expect(try base.power(Natural(exponent), modulo: modulus) == expected)
          expected = try (expected * base).remainder(dividingBy: modulus)
        }
      }
    }
  }

  @Test("an inverse exists exactly if number and modulus are coprime")
  func inverse() throws {
    for a in 0..<40 as Range<UInt> {
      for m in 2..<40 as Range<UInt> {
        let (a, m) = (Natural(a), Natural(m))
        let inverse = a.inverse(modulo: m)
        #expect((inverse != nil) == (a.greatestCommonDivisor(with: m) == 1))
        if let inverse { #expect(try (a * inverse).remainder(dividingBy: m) == 1) }
      }
    }
    #expect(Natural(3).inverse(modulo: 0) == nil)
  }

  @Test("an operation without a result is an error, never a crash")
  func noAnswer() throws {
    for number in Self.samples {
      #expect(throws: ArithmeticError.divisionByZero) { try number.quotientAndRemainder(dividingBy: 0) }
      #expect(throws: ArithmeticError.divisionByZero) { try number.remainder(dividingBy: UInt(0)) }
      #expect(throws: ArithmeticError.divisionByZero) { try number.power(3, modulo: 0) }
      #expect(throws: ArithmeticError.negativeResult) { try number.subtracting(number + 1) }
      #expect(try number.power(0, modulo: 1) == 0)
      #expect(number.greatestCommonDivisor(with: 0) == number)
    }
    #expect(throws: ArithmeticError.tooLarge(byteCount: 1)) { try Natural(256).bigEndianBytes(count: 1) }
    #expect(throws: ArithmeticError.tooLarge(byteCount: -1)) { try Natural(0).bigEndianBytes(count: -1) }
    #expect(try Natural(256).bigEndianBytes(count: 3) == [0, 1, 0])
  }

  @Test("text and bytes are converted without loss, in every radix")
  func text() throws {
    for number in Self.samples {
      for radix in 2...36 {
        #expect(Natural(number.text(radix: radix), radix: radix) == number)
        #expect(Natural("000" + number.text(radix: radix).uppercased(), radix: radix) == number)
      }
      #expect(Natural(bigEndian: number.bigEndianBytes()) == number)
      #expect(Natural(bigEndian: [0, 0] + number.bigEndianBytes()) == number)
      #expect(number.bigEndianBytes().count == number.byteCount)
      #expect(number.isZero ? number.bitWidth == 0 : number.text(radix: 2).count == number.bitWidth)
      #expect(
        number.shiftedRight(by: 65)
          == (try number.quotientAndRemainder(dividingBy: 0x1_0000_0000 * 0x2_0000_0000).quotient))
    }
    for bad in ["", " 1", "1 ", "-1", "+1", "12a", "0x10", "１"] { #expect(Natural(bad) == nil) }
    #expect(Natural("z", radix: 37) == nil && Natural("1", radix: 1) == nil)
    #expect(Natural("1F", radix: 16) == 31)
  }
}
