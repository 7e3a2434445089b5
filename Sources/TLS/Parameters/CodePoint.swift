extension FixedWidthInteger where Self: UnsignedInteger {
  /// The number as registries print it: `0x` and all its hexadecimal digits.
  var codePoint: String {
    let digits = String(self, radix: 16)
    let missing = Swift.max(0, Self.bitWidth / 4 - digits.utf8.count)
    let zeros = String(repeating: "0", count: missing)
    return "0x\(zeros)\(digits)"
  }
}
