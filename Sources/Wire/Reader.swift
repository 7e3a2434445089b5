import Explanation

/// Decodes bytes according to the presentation language of RFC 5246 section 4.
///
/// The caller names the field of every read. The reader keeps a tree of the fields with their byte ranges, unless
/// `isRecording` is false.
public struct Reader: Sendable {
  private let bytes: [UInt8]
  private let end: Int
  private let isRecording: Bool
  /// The offset of the next field, in bytes from the start of the data.
  public private(set) var offset: Int
  /// The fields that were decoded.
  public private(set) var fields: [Field] = []

  /// Creates a reader of all `bytes`. If `isRecording` is false, the reader keeps no fields.
  public init(_ bytes: [UInt8], isRecording: Bool = true) {
    self.init(bytes, from: 0, to: bytes.count, isRecording: isRecording)
  }

  private init(_ bytes: [UInt8], from start: Int, to end: Int, isRecording: Bool) {
    self.bytes = bytes
    offset = start
    self.end = end
    self.isRecording = isRecording
  }

  /// The number of bytes that remain.
  public var remaining: Int { end - offset }
  /// Whether no bytes remain.
  public var isAtEnd: Bool { remaining == 0 }

  /// Reads one byte. All numbers are big-endian (RFC 5246 section 4.4).
  public mutating func uint8(
    _ name: String, meaning: (UInt8) -> String = { String($0) }
  ) throws(WireError) -> UInt8 {
    let start = offset
    let value = UInt8(truncatingIfNeeded: try number(name, byteCount: 1))
    record(name, from: start, meaning(value))
    return value
  }

  /// Reads a number of two bytes.
  public mutating func uint16(
    _ name: String, meaning: (UInt16) -> String = { String($0) }
  ) throws(WireError) -> UInt16 {
    let start = offset
    let value = UInt16(truncatingIfNeeded: try number(name, byteCount: 2))
    record(name, from: start, meaning(value))
    return value
  }

  /// Reads a number of three bytes.
  public mutating func uint24(_ name: String) throws(WireError) -> Int {
    let start = offset
    let value = try number(name, byteCount: 3)
    record(name, from: start, String(value))
    return value
  }

  /// Reads a number of four bytes.
  public mutating func uint32(
    _ name: String, meaning: (UInt32) -> String = { String($0) }
  ) throws(WireError) -> UInt32 {
    let start = offset
    let value = UInt32(truncatingIfNeeded: try number(name, byteCount: 4))
    record(name, from: start, meaning(value))
    return value
  }

  /// Reads the next `count` bytes.
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

  /// Reads all bytes that remain.
  public mutating func rest(_ name: String) throws(WireError) -> [UInt8] {
    try bytes(name, count: remaining)
  }

  /// Reads a vector `opaque name<allowed>`: its length, then that number of bytes.
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

  /// Reads a vector `T name<allowed>`, whose content `body` must consume. The vector's field includes the length.
  @inlinable
  public mutating func vector<T>(
    _ name: String, _ allowed: ClosedRange<Int>, meaning: (T) -> String = { _ in "" },
    _ body: (inout Reader) throws(WireError) -> T
  ) throws(WireError) -> T {
    let start = offset
    var inner = try content(name, allowed)
    let value = try body(&inner)
    try inner.finish(name)
    take(inner, name, from: start, keepsFields ? meaning(value) : "")
    return value
  }

  /// Reads a structure of exactly `count` bytes, which `body` must consume.
  @inlinable
  public mutating func structure<T>(
    _ name: String, count: Int, meaning: (T) -> String = { _ in "" },
    _ body: (inout Reader) throws(WireError) -> T
  ) throws(WireError) -> T {
    let start = offset
    var inner = try content(name, count: count)
    let value = try body(&inner)
    try inner.finish(name)
    take(inner, name, from: start, keepsFields ? meaning(value) : "")
    return value
  }

  /// Reads a structure that ends where `body` stops reading.
  @inlinable
  public mutating func structure<T>(
    _ name: String, meaning: (T) -> String = { _ in "" }, _ body: (inout Reader) throws(WireError) -> T
  ) throws(WireError) -> T {
    let start = offset
    var inner = try content(name, count: remaining)
    let value = try body(&inner)
    take(inner, name, from: start, keepsFields ? meaning(value) : "")
    return value
  }

  /// Removes the parts of the last field called `name`, which have no meaning of their own.
  public mutating func dropParts(of name: String) {
    guard let index = fields.lastIndex(where: { $0.name == name }) else { return }
    fields[index] = Field(name, fields[index].range, meaning: fields[index].meaning)
  }

  /// Adds `words`, such as the field's name in a later standard, to the meaning of the last field called `name`.
  public mutating func addMeaning(_ words: String, to name: String) {
    guard let index = fields.lastIndex(where: { $0.name == name }) else { return }
    let (field, parts) = (fields[index], [fields[index].meaning, words].filter { !$0.isEmpty })
    fields[index] = Field(name, field.range, meaning: parts.joined(separator: ", "), children: field.children)
  }

  /// Reads items until no bytes remain.
  @inlinable
  public mutating func items<T>(_ item: (inout Reader) throws(WireError) -> T) throws(WireError) -> [T] {
    var values: [T] = []
    while !isAtEnd {
      let before = offset
      values.append(try item(&self))
      guard offset > before else { throw WireError(offset: offset, field: "item", .excess(remaining)) }
    }
    return values
  }

  /// Throws an error if bytes of the structure with this name remain.
  public func finish(_ name: String) throws(WireError) {
    if !isAtEnd { throw WireError(offset: offset, field: name, .excess(remaining)) }
  }

  /// Whether the reader keeps fields.
  ///
  /// The compiler specialises the generic functions above in the modules that call them. For that purpose, they need
  /// access to this property and the next three functions, which would otherwise be private.
  @usableFromInline var keepsFields: Bool { isRecording }

  /// Returns a reader of a vector's content. The length is the first of its fields.
  @usableFromInline
  func content(_ name: String, _ allowed: ClosedRange<Int>) throws(WireError) -> Reader {
    var head = Reader(bytes, from: offset, to: end, isRecording: isRecording)
    let count = try head.length(name, allowed)
    var inner = try head.content(name, count: count)
    if isRecording { inner.fields = [lengthField(offset..<head.offset, count)] }
    return inner
  }

  /// A reader of only the next `count` bytes.
  @usableFromInline
  func content(_ name: String, count: Int) throws(WireError) -> Reader {
    try need(count, for: name)
    return Reader(bytes, from: offset, to: offset + count, isRecording: isRecording)
  }

  /// Continues after `inner`, and keeps its fields as one field that begins at `start`.
  @usableFromInline
  mutating func take(_ inner: Reader, _ name: String, from start: Int, _ meaning: String) {
    offset = inner.offset
    record(name, from: start, meaning, inner.fields)
  }

  /// Keeps a field that ends at the current offset.
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
