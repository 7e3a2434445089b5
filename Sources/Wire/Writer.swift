/// Encodes data according to the presentation language of RFC 5246 section 4.
public struct Writer: Sendable {
  /// The bytes that were written.
  public private(set) var bytes: [UInt8] = []

  /// Creates a writer without bytes.
  public init() {}

  /// Writes a number of one byte.
  public mutating func uint8(_ value: UInt8) { bytes.append(value) }

  /// Writes a number of two bytes, the more significant one first (RFC 5246 section 4.4).
  public mutating func uint16(_ value: UInt16) { number(Int(value), byteCount: 2) }

  /// Writes a number of three bytes.
  public mutating func uint24(_ value: Int) { number(value, byteCount: 3) }

  /// Writes a number of four bytes.
  public mutating func uint32(_ value: UInt32) { number(Int(value), byteCount: 4) }

  /// Writes bytes without a length field.
  public mutating func raw(_ value: some Sequence<UInt8>) { bytes.append(contentsOf: value) }

  /// Writes a vector `opaque name<allowed>`: its length, then the bytes.
  public mutating func opaque(
    _ name: String, _ allowed: ClosedRange<Int>, _ value: [UInt8]
  ) throws(WireError) {
    guard allowed.contains(value.count) else {
      throw WireError(offset: bytes.count, field: name, .length(value.count, allowed: allowed))
    }
    number(value.count, byteCount: Vector.lengthBytes(allowed))
    bytes.append(contentsOf: value)
  }

  /// Writes a vector `T name<allowed>`: its length, then the content that `body` writes.
  public mutating func vector(
    _ name: String, _ allowed: ClosedRange<Int>, _ body: (inout Writer) throws(WireError) -> Void
  ) throws(WireError) {
    var content = Writer()
    try body(&content)
    try opaque(name, allowed, content.bytes)
  }

  private mutating func number(_ value: Int, byteCount: Int) {
    for position in (0..<byteCount).reversed() {
      bytes.append(UInt8(truncatingIfNeeded: value >> (8 * position)))
    }
  }
}

/// Variable-length vectors `T name<floor..ceiling>` (RFC 5246 section 4.3).
enum Vector {
  /// The size of the length field in bytes, which depends on the ceiling.
  static func lengthBytes(_ allowed: ClosedRange<Int>) -> Int {
    switch allowed.upperBound {
    case ...0xff: 1
    case ...0xffff: 2
    default: 3
    }
  }
}
