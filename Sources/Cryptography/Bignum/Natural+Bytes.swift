import CGMP

extension Natural {
  /// The number whose bytes these are, most significant first, as OS2IP of RFC 8017 section 4.2; no bytes are 0.
  public init(bigEndian bytes: some Sequence<UInt8>) {
    // Arrays and slices are read where they are.
    self =
      bytes.withContiguousStorageIfAvailable(Natural.bigEndian)
      ?? Array(bytes).withUnsafeBufferPointer(Natural.bigEndian)
  }

  private static func bigEndian(_ bytes: UnsafeBufferPointer<UInt8>) -> Natural {
    Natural(digits: UnsafeBufferPointer(rebasing: bytes.drop { $0 == 0 }), base: 256, bitsPerDigit: 8)
  }

  /// The number with these digits, the first of which is not zero, in GMP's `base`.
  init(digits: UnsafeBufferPointer<UInt8>, base: Int32, bitsPerDigit: Int) {
    guard !digits.isEmpty else {
      self.init(limbs: [])
      return
    }
    let capacity = (digits.count * bitsPerDigit + UInt.bitWidth - 1) / UInt.bitWidth + 1
    self.init(
      limbs: [UInt](unsafeUninitializedCapacity: capacity) { buffer, count in
        count = mpn_set_str(buffer.baseAddress, digits.baseAddress, digits.count, base)
      })
  }

  /// The bytes of the number, most significant first, without zeros in front; none for 0.
  public func bigEndianBytes() -> [UInt8] {
    guard !isZero else { return [] }
    return limbs.withUnsafeBufferPointer { limbs in
      [UInt8](unsafeUninitializedCapacity: limbs.count * 8 + 1) { buffer, count in
        // With a base that is a power of two GMP only reads the limbs.
        let source = UnsafeMutablePointer(mutating: limbs.baseAddress)
        count = mpn_get_str(buffer.baseAddress, 256, source, limbs.count)
      }
    }
  }

  /// The number in exactly `count` bytes, most significant first, as I2OSP of RFC 8017 section 4.1.
  ///
  /// Throws `ArithmeticError.tooLarge` ("integer too large") when it does not fit.
  public func bigEndianBytes(count: Int) throws(ArithmeticError) -> [UInt8] {
    let bytes = bigEndianBytes()
    guard bytes.count <= count else { throw .tooLarge(byteCount: count) }
    return bytes.count == count ? bytes : [UInt8](repeating: 0, count: count - bytes.count) + bytes
  }
}
