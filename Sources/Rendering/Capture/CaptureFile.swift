import Explanation

/// A classic capture file, as libpcap writes it (draft-ietf-opsawg-pcap): big-endian, microseconds, Ethernet.
struct CaptureFile {
  private(set) var bytes: [UInt8]
  private(set) var packetCount = 0

  /// The most bytes of a packet that are kept: all of them.
  private static let snapLength: UInt32 = 262_144
  private static let linkTypeEthernet: UInt32 = 1

  /// The file's header.
  init() {
    bytes = UInt32(0xa1b2_c3d4).networkOrder + UInt16(2).networkOrder + UInt16(4).networkOrder
    bytes += UInt32(0).networkOrder + UInt32(0).networkOrder
    bytes += Self.snapLength.networkOrder + Self.linkTypeEthernet.networkOrder
  }

  /// Appends a frame that was seen at `time`.
  mutating func append(_ frame: [UInt8], at time: CaptureTime) {
    let length = UInt32(truncatingIfNeeded: frame.count).networkOrder
    bytes += time.seconds.networkOrder + time.microseconds.networkOrder + length + length + frame
    packetCount += 1
  }
}

/// When a packet was seen: what a capture file can say, 1970 to 2106.
struct CaptureTime: Comparable {
  private(set) var seconds: UInt32
  private(set) var microseconds: UInt32 = 0

  /// The beginning of this second.
  init(_ instant: Instant) throws(CaptureError) {
    guard let seconds = UInt32(exactly: instant.secondsSince1970) else { throw .clock(instant) }
    self.seconds = seconds
  }

  /// So many microseconds later, less than a second; the last second of all does not end.
  func adding(microseconds more: UInt32) -> CaptureTime {
    var later = self
    let sum = microseconds + min(more, 999_999)
    later.microseconds = sum % 1_000_000
    if sum >= 1_000_000, seconds < .max { later.seconds += 1 }
    return later
  }

  static func < (left: CaptureTime, right: CaptureTime) -> Bool {
    (left.seconds, left.microseconds) < (right.seconds, right.microseconds)
  }
}

/// Why a run cannot be written as a capture.
public enum CaptureError: Error, Sendable, Hashable {
  /// The scenario's clock is before 1970 or after February 2106.
  case clock(Instant)
}

extension UnsignedInteger where Self: FixedWidthInteger {
  /// The bytes, the most significant first.
  var networkOrder: [UInt8] {
    stride(from: bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: self >> $0) }
  }
}
