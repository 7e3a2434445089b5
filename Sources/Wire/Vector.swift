/// Variable-length vectors `T name<floor..ceiling>`: RFC 5246 section 4.3.
enum Vector {
  /// How many bytes the length takes: as many as the ceiling needs.
  static func lengthBytes(_ allowed: ClosedRange<Int>) -> Int {
    switch allowed.upperBound {
    case ...0xff: 1
    case ...0xffff: 2
    default: 3
    }
  }
}
