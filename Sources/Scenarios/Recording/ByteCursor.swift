/// A cursor over binary data that never reads past its end: what is not there reads as nil.
struct ByteCursor {
  private(set) var rest: ArraySlice<UInt8>
  var isBigEndian = true

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  /// How many bytes are left.
  var count: Int { rest.count }

  mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
    guard count >= 0, rest.count >= count else { return nil }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  mutating func uint8() -> UInt8? { rest.popFirst() }

  mutating func uint16() -> UInt16? { number(2).map { UInt16(truncatingIfNeeded: $0) } }

  mutating func uint32() -> UInt32? { number(4).map { UInt32(truncatingIfNeeded: $0) } }

  private mutating func number(_ size: Int) -> UInt64? {
    guard let bytes = take(size) else { return nil }
    let ordered = isBigEndian ? Array(bytes) : bytes.reversed()
    return ordered.reduce(0) { $0 << 8 | UInt64($1) }
  }
}
