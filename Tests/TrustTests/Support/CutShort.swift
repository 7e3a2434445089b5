/// A signed structure whose signed part is truncated, with all enclosing lengths corrected.
struct CutShort {
  private let content: ArraySlice<UInt8>
  private let rest: ArraySlice<UInt8>

  /// Takes the structure `der`, whose signed part is `signed` with its header.
  init(_ der: [UInt8], signed: Range<Int>) {
    let length = der[signed.lowerBound + 1]
    let header = length < 0x80 ? 2 : 2 + Int(length & 0x7F)
    content = der[(signed.lowerBound + header)..<signed.upperBound]
    rest = der[signed.upperBound...]
  }

  /// The number of octets of the signed part.
  var count: Int { content.count }

  /// Returns the structure with this many octets of the signed part.
  func prefix(_ count: Int) -> [UInt8] {
    CutShort.sequence(CutShort.sequence(Array(content.prefix(count))) + rest)
  }

  private static func sequence(_ content: [UInt8]) -> [UInt8] {
    if content.count < 0x80 { return [0x30, UInt8(content.count)] + content }
    var count = content.count
    var length: [UInt8] = []
    while count > 0 {
      length.insert(UInt8(count & 0xFF), at: 0)
      count >>= 8
    }
    return [0x30, 0x80 | UInt8(length.count)] + length + content
  }
}
