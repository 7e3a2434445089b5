import Explanation

/// Reads Apple's binary property list format, version `bplist00`.
///
/// A file has the objects, a table of their offsets, and a trailer of 32 bytes with the table's offset. The format is
/// described in CFBinaryPList.c.
struct BinaryPropertyListReader {
  private let bytes: [UInt8]
  private var objects: [Object] = []
  private var table = Table()

  private struct Table {
    var offset = 0
    var entrySize = 0
    var referenceSize = 0
    var top = 0
  }

  /// The state of an object. Objects can be shared, and objects in damaged files can contain themselves.
  private enum Object {
    case unread
    case beingRead
    case read(PropertyList, count: Int, height: Int)
  }

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func read() throws(PropertyListError) -> PropertyList {
    try readTrailer()
    return try object(table.top, depth: 0).value
  }

  private mutating func readTrailer() throws(PropertyListError) {
    let start = bytes.count - 32
    guard bytes.starts(with: Array("bplist0".utf8)), start >= 8 else {
      throw damaged("is too short to end in a trailer of 32 bytes", at: nil)
    }
    table.entrySize = Int(bytes[start + 6])
    table.referenceSize = Int(bytes[start + 7])
    guard (1...8).contains(table.entrySize), (1...8).contains(table.referenceSize),
      let count = number(at: start + 8, size: 8), let top = number(at: start + 16, size: 8),
      let offset = number(at: start + 24, size: 8), count >= 1, top < count, offset >= 9, offset < start,
      count <= (start - offset) / table.entrySize
    else { throw damaged("ends in a trailer that does not fit its contents", at: start) }
    table.top = top
    table.offset = offset
    objects = Array(repeating: .unread, count: count)
  }

  /// Reads the object at `index`, with the depth of its values and their number after shared objects are expanded.
  private mutating func object(
    _ index: Int, depth: Int
  ) throws(PropertyListError) -> (value: PropertyList, count: Int, height: Int) {
    guard index < objects.count else { throw damaged("refers to an object that does not exist", at: nil) }
    switch objects[index] {
    case .read(let value, let count, let height):
      guard height + depth < PropertyList.maximumDepth else { throw tooDeep }
      return (value, count, height)
    case .beingRead: throw damaged("contains an object that contains itself", at: nil)
    case .unread: break
    }
    guard depth < PropertyList.maximumDepth else { throw tooDeep }
    guard let place = number(at: table.offset + index * table.entrySize, size: table.entrySize), place >= 8,
      place < table.offset
    else { throw damaged("refers to an object outside the file", at: table.offset + index * table.entrySize) }
    objects[index] = .beingRead
    let read = try parse(at: place, depth: depth)
    guard read.count <= PropertyList.maximumCount else { throw tooLarge }
    guard read.height + depth < PropertyList.maximumDepth else { throw tooDeep }
    objects[index] = .read(read.value, count: read.count, height: read.height)
    return read
  }

  private mutating func parse(
    at place: Int, depth: Int
  ) throws(PropertyListError) -> (value: PropertyList, count: Int, height: Int) {
    let marker = bytes[place]
    switch marker >> 4 {
    case 0xa, 0xd: return try container(marker, at: place, depth: depth)
    default: return (try scalar(marker, at: place), 1, 0)
    }
  }

  private mutating func container(
    _ marker: UInt8, at place: Int, depth: Int
  ) throws(PropertyListError) -> (value: PropertyList, count: Int, height: Int) {
    let isDictionary = marker >> 4 == 0xd
    let (count, start) = try length(marker, at: place)
    let references = isDictionary ? 2 * min(count, bytes.count) : count
    guard start <= table.offset, references <= (table.offset - start) / table.referenceSize else {
      throw damaged("ends within a container", at: place)
    }
    var values: [PropertyList] = []
    var total = 1
    var height = 0
    for position in 0..<references {
      guard let index = number(at: start + position * table.referenceSize, size: table.referenceSize) else {
        throw damaged("refers to an object that does not exist", at: start)
      }
      let child = try object(index, depth: depth + 1)
      total += child.count
      guard total <= PropertyList.maximumCount else { throw tooLarge }
      height = max(height, child.height + 1)
      values.append(child.value)
    }
    guard isDictionary else { return (.array(values), total, height) }
    return (.dictionary(try dictionary(values, count: count, at: place)), total, height)
  }

  private func dictionary(
    _ values: [PropertyList], count: Int, at place: Int
  ) throws(PropertyListError) -> PropertyList.Dictionary {
    var entries: [PropertyList.Dictionary.Entry] = []
    for (key, value) in zip(values.prefix(count), values.dropFirst(count)) {
      guard let key = key.string else { throw damaged("contains a key that is not a string", at: place) }
      entries.append(PropertyList.Dictionary.Entry(key: key, value: value))
    }
    return PropertyList.Dictionary(entries: entries)
  }

  private func scalar(_ marker: UInt8, at place: Int) throws(PropertyListError) -> PropertyList {
    switch (marker >> 4, marker & 15) {
    case (0, 8): return .boolean(false)
    case (0, 9): return .boolean(true)
    case (1, 0...4): return .integer(try integer(at: place + 1, size: 1 << Int(marker & 15)))
    case (2, 2...3): return .real(try real(at: place + 1, size: 1 << Int(marker & 15)))
    case (3, 3): return .date(try date(at: place + 1))
    case (4, _):
      let (count, start) = try length(marker, at: place)
      return .data(Array(try slice(start, count)))
    case (5, _), (6, _): return .string(try string(marker, at: place))
    case (8, _):
      // An archiver's reference, in the form that XML property lists use.
      return ["CF$UID": .integer(try integer(at: place + 1, size: Int(marker & 15) + 1))]
    default: throw damaged("contains an object of an unknown kind, 0x\(Hex.string([marker]))", at: place)
    }
  }

  private func string(_ marker: UInt8, at place: Int) throws(PropertyListError) -> String {
    let (count, start) = try length(marker, at: place)
    if marker >> 4 == 5 {
      let ascii = try slice(start, count)
      guard ascii.allSatisfy({ $0 < 128 }) else {
        throw damaged("contains an ASCII string with a non-ASCII byte", at: place)
      }
      return String(decoding: ascii, as: UTF8.self)
    }
    guard count <= bytes.count else { throw damaged("ends within a string", at: place) }
    let wide = Array(try slice(start, 2 * count))
    let units = stride(from: 0, to: wide.count, by: 2).map { UInt16(wide[$0]) << 8 | UInt16(wide[$0 + 1]) }
    return String(decoding: units, as: UTF16.self)
  }

  private func integer(at place: Int, size: Int) throws(PropertyListError) -> Int128 {
    let unsigned = try slice(place, size).reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
    // Numbers of 8 bytes are signed; shorter numbers are unsigned. Numbers of 16 bytes hold values that do not fit into
    // 8 bytes.
    let number = size == 8 ? Int128(Int64(truncatingIfNeeded: unsigned)) : Int128(truncatingIfNeeded: unsigned)
    guard Int128(Int64.min)...Int128(UInt64.max) ~= number else {
      throw damaged("contains a number of more than 64 bits", at: place)
    }
    return number
  }

  private func real(at place: Int, size: Int) throws(PropertyListError) -> Double {
    let pattern = try slice(place, size).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return size == 4 ? Double(Float(bitPattern: UInt32(truncatingIfNeeded: pattern))) : Double(bitPattern: pattern)
  }

  /// Seconds since 2001-01-01T00:00:00Z.
  private func date(at place: Int) throws(PropertyListError) -> Instant {
    let seconds = try real(at: place, size: 8)
    guard seconds.isFinite, abs(seconds) < 1e15 else { throw damaged("contains an invalid date", at: place) }
    return Instant(secondsSince1970: Int64(seconds.rounded(.down)) + 978_307_200)
  }

  /// Reads the number of elements of the object at `place`, and the offset of its first element.
  private func length(_ marker: UInt8, at place: Int) throws(PropertyListError) -> (count: Int, start: Int) {
    if marker & 15 < 15 { return (Int(marker & 15), place + 1) }
    guard let kind = number(at: place + 1, size: 1), kind >> 4 == 1, kind & 15 <= 3,
      let count = number(at: place + 2, size: 1 << (kind & 15))
    else { throw damaged("ends within a length", at: place) }
    return (count, place + 2 + 1 << (kind & 15))
  }

  /// Returns `count` bytes from `place` on, if they are before the table of offsets.
  private func slice(_ place: Int, _ count: Int) throws(PropertyListError) -> ArraySlice<UInt8> {
    guard place <= table.offset, count <= table.offset - place else {
      throw damaged("ends within a value", at: place)
    }
    return bytes[place..<place + count]
  }

  /// Reads a big-endian number of `size` bytes; nil if it is outside the file or too large.
  private func number(at place: Int, size: Int) -> Int? {
    guard place >= 0, place <= bytes.count, size <= bytes.count - place else { return nil }
    return Int(exactly: bytes[place..<place + size].reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
  }

  private func damaged(_ what: String, at offset: Int?) -> PropertyListError {
    PropertyListError(
      .damagedBinary, "The binary property list (\(bytes.count) bytes) \(what)",
      hint: "It is truncated or damaged. Copy it from the app's bundle again.", byteCount: bytes.count,
      byteOffset: offset)
  }

  private var tooDeep: PropertyListError {
    PropertyListError(
      .tooDeep, "The property list is nested deeper than \(PropertyList.maximumDepth) levels",
      hint: "Check the file: an Info.plist is never this deep.", byteCount: bytes.count)
  }

  private var tooLarge: PropertyListError {
    PropertyListError(
      .tooLarge, "The property list expands to more than \(PropertyList.maximumCount) values",
      hint: "Check the file: an Info.plist is never this large.", byteCount: bytes.count)
  }
}
