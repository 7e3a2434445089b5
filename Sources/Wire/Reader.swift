import Explanation

/// A cursor over bytes in the presentation language of RFC 5246 section 4.
///
/// Every read names its field; what was read stays behind as a tree of fields with their byte ranges, unless the
/// reader was told that nobody will look at it.
public struct Reader: Sendable {
  private let bytes: [UInt8]
  private let end: Int
  private let isRecording: Bool
  /// Where the next field begins, in bytes from the start of the whole.
  public private(set) var offset: Int
  /// The fields read so far.
  public private(set) var fields: [Field] = []

  /// A reader of all of `bytes`; unless `isRecording` it keeps no fields.
  public init(_ bytes: [UInt8], isRecording: Bool = true) {
    self.init(bytes, from: 0, to: bytes.count, isRecording: isRecording)
  }

  private init(_ bytes: [UInt8], from start: Int, to end: Int, isRecording: Bool) {
    self.bytes = bytes
    offset = start
    self.end = end
    self.isRecording = isRecording
  }

  /// How many bytes are left.
  public var remaining: Int { end - offset }
  /// Whether nothing is left.
  public var isAtEnd: Bool { remaining == 0 }

  /// The next byte, big-endian like all numbers: RFC 5246 section 4.4.
  public mutating func uint8(
    _ name: String, meaning: (UInt8) -> String = { String($0) }
  ) throws(WireError) -> UInt8 {
    let start = offset
    let value = UInt8(truncatingIfNeeded: try number(name, byteCount: 1))
    record(name, from: start, meaning(value))
    return value
  }

  /// The next two bytes.
  public mutating func uint16(
    _ name: String, meaning: (UInt16) -> String = { String($0) }
  ) throws(WireError) -> UInt16 {
    let start = offset
    let value = UInt16(truncatingIfNeeded: try number(name, byteCount: 2))
    record(name, from: start, meaning(value))
    return value
  }

  /// The next three bytes.
  public mutating func uint24(_ name: String) throws(WireError) -> Int {
    let start = offset
    let value = try number(name, byteCount: 3)
    record(name, from: start, String(value))
    return value
  }

  /// The next `count` bytes as they are.
  public mutating func bytes(
    _ name: String, count: Int, meaning: ([UInt8]) -> String = { Hex.string($0) }
  ) throws(WireError) -> [UInt8] {
    try need(count, for: name)
    let start = offset
    offset += count
    let value = Array(bytes[start..<offset])
    record(name, from: start, meaning(value))
    return value
  }

  /// All bytes that are left.
  public mutating func rest(_ name: String) throws(WireError) -> [UInt8] {
    try bytes(name, count: remaining)
  }

  /// A vector `opaque name<allowed>`: its length, then as many bytes.
  public mutating func opaque(
    _ name: String, _ allowed: ClosedRange<Int>,
    meaning: ([UInt8]) -> String = { $0.isEmpty ? "empty" : $0.count == 1 ? "1 byte" : "\($0.count) bytes" }
  ) throws(WireError) -> [UInt8] {
    let start = offset
    let count = try length(name, allowed)
    let content = offset
    let value = Array(bytes[offset..<(offset + count)])
    offset += count
    let whole = value.isEmpty ? [] : [Field("opaque", content..<offset)]
    record(name, from: start, meaning(value), [lengthField(start..<content, count)] + whole)
    return value
  }

  /// A vector `T name<allowed>` whose content `body` reads to its end; its field spans length and content.
  public mutating func vector<T>(
    _ name: String, _ allowed: ClosedRange<Int>, meaning: (T) -> String = { _ in "" },
    _ body: (inout Reader) throws(WireError) -> T
  ) throws(WireError) -> T {
    let start = offset
    let count = try length(name, allowed)
    return try group(name, from: start, count: count, [lengthField(start..<offset, count)], meaning: meaning, body)
  }

  /// A structure of exactly `count` bytes that `body` reads to its end.
  public mutating func structure<T>(
    _ name: String, count: Int, meaning: (T) -> String = { _ in "" },
    _ body: (inout Reader) throws(WireError) -> T
  ) throws(WireError) -> T {
    try need(count, for: name)
    return try group(name, from: offset, count: count, meaning: meaning, body)
  }

  /// A structure that `body` reads as far as it goes.
  public mutating func structure<T>(
    _ name: String, meaning: (T) -> String = { _ in "" }, _ body: (inout Reader) throws(WireError) -> T
  ) throws(WireError) -> T {
    let start = offset
    var inner = Reader(bytes, from: offset, to: end, isRecording: isRecording)
    let value = try body(&inner)
    offset = inner.offset
    record(name, from: start, meaning(value), inner.fields)
    return value
  }

  /// Everything until the end, one item after the other.
  public mutating func items<T>(_ item: (inout Reader) throws(WireError) -> T) throws(WireError) -> [T] {
    var values: [T] = []
    while !isAtEnd {
      let before = offset
      values.append(try item(&self))
      guard offset > before else { throw WireError(offset: offset, field: "item", .excess(remaining)) }
    }
    return values
  }

  /// Nothing must be left of the structure called `name`.
  public func finish(_ name: String) throws(WireError) {
    if !isAtEnd { throw WireError(offset: offset, field: name, .excess(remaining)) }
  }

  private mutating func group<T>(
    _ name: String, from start: Int, count: Int, _ head: [Field] = [], meaning: (T) -> String,
    _ body: (inout Reader) throws(WireError) -> T
  ) throws(WireError) -> T {
    var inner = Reader(bytes, from: offset, to: offset + count, isRecording: isRecording)
    let value = try body(&inner)
    try inner.finish(name)
    offset += count
    record(name, from: start, meaning(value), head + inner.fields)
    return value
  }

  /// Keeps the field that ends here.
  private mutating func record(
    _ name: String, from start: Int, _ meaning: @autoclosure () -> String, _ children: [Field] = []
  ) {
    if isRecording { fields.append(Field(name, start..<offset, meaning: meaning(), children: children)) }
  }

  private mutating func length(_ name: String, _ allowed: ClosedRange<Int>) throws(WireError) -> Int {
    let start = offset
    let count = try number(name, byteCount: Vector.lengthBytes(allowed))
    guard allowed.contains(count) else {
      throw WireError(offset: start, field: name, .length(count, allowed: allowed))
    }
    try need(count, for: name)
    return count
  }

  private func lengthField(_ range: Range<Int>, _ count: Int) -> Field {
    Field("length", range, meaning: String(count))
  }

  private mutating func number(_ name: String, byteCount: Int) throws(WireError) -> Int {
    try need(byteCount, for: name)
    var value = 0
    for byte in bytes[offset..<(offset + byteCount)] { value = value << 8 | Int(byte) }
    offset += byteCount
    return value
  }

  private func need(_ count: Int, for name: String) throws(WireError) {
    guard count >= 0, count <= remaining else {
      throw WireError(offset: offset, field: name, .truncated(needed: count, available: remaining))
    }
  }
}
