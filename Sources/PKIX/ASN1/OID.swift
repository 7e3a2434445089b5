/// An object identifier (ITU-T X.660), kept as the content octets of its encoding, X.690 section 8.19.
public struct OID: Sendable, Hashable, CustomStringConvertible {
  /// The content octets.
  public let content: [UInt8]

  /// An object identifier of these arcs; the first is 0, 1 or 2.
  public init(_ arcs: UInt...) { self.init(arcs: arcs) }

  /// An object identifier of these arcs; the first is 0, 1 or 2, and there are at least two.
  public init(arcs: [UInt]) {
    var content: [UInt8] = []
    let first = (arcs.first ?? 0).multipliedReportingOverflow(by: 40).partialValue
    let second = arcs.dropFirst().first ?? 0
    for arc in [first.addingReportingOverflow(second).partialValue] + arcs.dropFirst(2) {
      var digits = [UInt8(arc & 0x7F)]
      var rest = arc >> 7
      while rest > 0 {
        digits.append(UInt8(rest & 0x7F) | 0x80)
        rest >>= 7
      }
      content += digits.reversed()
    }
    self.content = content
  }

  /// An object identifier with these content octets, nil when they are not the encoding of one.
  public init?(content: some Sequence<UInt8>) {
    let content = Array(content)
    guard let last = content.last, last & 0x80 == 0 else { return nil }
    var starts = true
    for byte in content {
      if starts && byte == 0x80 { return nil }
      starts = byte & 0x80 == 0
    }
    self.content = content
  }

  /// An object identifier in dotted form, `2.5.29.19`; nil when `text` is anything else.
  public init?(_ text: String) {
    var arcs: [UInt] = []
    for part in text.split(separator: ".", omittingEmptySubsequences: false) {
      guard let arc = UInt(part), part.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
      arcs.append(arc)
    }
    guard arcs.count >= 2, arcs[0] <= 2, arcs[0] == 2 || arcs[1] < 40, arcs[1] <= UInt.max - 80 else { return nil }
    self.init(arcs: arcs)
  }

  /// The arcs, nil when one is beyond 64 bits.
  public var arcs: [UInt]? {
    var arcs: [UInt] = []
    var arc: UInt = 0
    for byte in content {
      guard arc >> 57 == 0 else { return nil }
      arc = arc << 7 | UInt(byte & 0x7F)
      guard byte & 0x80 == 0 else { continue }
      if arcs.isEmpty {
        let first = min(arc / 40, 2)
        arcs = [first, arc - first * 40]
      } else {
        arcs.append(arc)
      }
      arc = 0
    }
    return arcs
  }

  /// Hashes the content octets, all at once.
  public func hash(into hasher: inout Hasher) { content.withUnsafeBytes { hasher.combine(bytes: $0) } }

  /// The dotted form: `2.5.29.19`.
  public var description: String {
    guard let arcs else { return "#\(hexadecimal)" }
    return arcs.map(String.init).joined(separator: ".")
  }

  /// The name the standards give it, or the dotted form: `basicConstraints`.
  public var name: String { OID.names[self] ?? description }
}
