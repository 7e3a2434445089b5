import CZlib

/// A zlib stream (RFC 1950) with one block of the fixed Huffman codes (RFC 1951 section 3.2.6).
///
/// zlib's own output depends on its version. This output depends only on the content, so that the same scenario always
/// has the same bytes.
struct Deflate {
  private(set) var bytes: [UInt8] = [0x78, 0x01]
  private var pending: UInt32 = 0
  private var pendingCount = 0

  /// The maximum number of bytes that one match repeats, and their maximum distance (RFC 1951 section 2).
  private static let (longest, farthest) = (258, 32_768)

  /// Compresses `content`. Each match is the longest at the last place with the same three bytes.
  init(_ content: [UInt8]) {
    put(0b011, bits: 3)
    var places: [[UInt8]: Int] = [:]
    var place = 0
    while place < content.count {
      let start = Array(content[place..<min(place + 3, content.count)])
      let earlier = start.count == 3 ? places.updateValue(place, forKey: start) : nil
      if let earlier, place - earlier <= Self.farthest {
        let length = Self.matchLength(content, earlier, place)
        putMatch(length, distance: place - earlier)
        place += length
      } else {
        putSymbol(Int(content[place]))
        place += 1
      }
    }
    putSymbol(256)
    put(0, bits: -pendingCount & 7)
    let checksum = UInt32(truncatingIfNeeded: adler32(1, content, uInt(content.count)))
    bytes += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: checksum >> $0) }
  }

  private static func matchLength(_ content: [UInt8], _ earlier: Int, _ place: Int) -> Int {
    let most = min(longest, content.count - place)
    return (0..<most).first { content[earlier + $0] != content[place + $0] } ?? most
  }

  /// Appends bits, the least significant first.
  private mutating func put(_ value: Int, bits: Int) {
    pending |= UInt32(value) << UInt32(pendingCount)
    pendingCount += bits
    while pendingCount >= 8 {
      bytes.append(UInt8(truncatingIfNeeded: pending))
      pending >>= 8
      pendingCount -= 8
    }
  }

  /// Appends a Huffman code, the most significant bit first.
  private mutating func putCode(_ code: Int, bits: Int) {
    put((0..<bits).reduce(0) { $0 | (code >> $1 & 1) << (bits - 1 - $1) }, bits: bits)
  }

  /// Appends a literal byte, a length code, or 256 for the end of the block.
  private mutating func putSymbol(_ symbol: Int) {
    switch symbol {
    case ..<144: putCode(0x30 + symbol, bits: 8)
    case ..<256: putCode(0x190 + symbol - 144, bits: 9)
    case ..<280: putCode(symbol - 256, bits: 7)
    default: putCode(0xc0 + symbol - 280, bits: 8)
    }
  }

  /// Appends a match (RFC 1951 section 3.2.5). A code covers a power of two of lengths or distances.
  private mutating func putMatch(_ length: Int, distance: Int) {
    let over = length - 3
    let extra = max(0, over.logarithm - 2)
    if length == Self.longest {
      putSymbol(285)
    } else {
      putSymbol(257 + 4 * extra + over >> extra)
      put(over & (1 << extra - 1), bits: extra)
    }
    let back = distance - 1
    let more = max(0, back.logarithm - 1)
    putCode(2 * more + back >> more, bits: 5)
    put(back & (1 << more - 1), bits: more)
  }
}

extension Int {
  /// The place of the highest bit that is 1; 0 for the number 0.
  fileprivate var logarithm: Int { self == 0 ? 0 : bitWidth - 1 - leadingZeroBitCount }
}
