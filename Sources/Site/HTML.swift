import Rendering

/// Markup. Interpolated strings are escaped, so no text of a scenario can become markup.
struct HTML: Sendable, Hashable, ExpressibleByStringInterpolation {
  private(set) var text: String

  init(stringLiteral value: String) { text = value }
  init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

  /// The text, escaped. Control characters other than line breaks are spelled out.
  init(escaping text: String) { self.text = Self.escaped(text) }

  static func += (left: inout HTML, right: HTML) { left.text += right.text }
  static func + (left: HTML, right: HTML) -> HTML { left.adding(right) }

  private func adding(_ other: HTML) -> HTML {
    var sum = self
    sum += other
    return sum
  }

  /// Collects the parts of an interpolation.
  struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(2 * literalCapacity) }

    mutating func appendLiteral(_ literal: String) { text += literal }
    // A literal is markup, even after a question mark.
    @_disfavoredOverload mutating func appendInterpolation(_ string: String) { text += HTML.escaped(string) }
    mutating func appendInterpolation(_ number: Int) { text += String(number) }
    mutating func appendInterpolation(_ html: HTML) { text += html.text }
  }

  private static func escaped(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""), UInt8(ascii: "'"): false
      default: (0x20..<0x7f).contains(byte)
      }
    }
    if isPlain { return text }
    return text.split(separator: "\n", omittingEmptySubsequences: false).map { XMLText.escaped(String($0)) }
      .joined(separator: "\n")
  }
}

extension Sequence where Element == HTML {
  /// The parts one after the other.
  func joined(separator: HTML = "") -> HTML {
    var all: HTML = ""
    for (index, part) in enumerated() {
      if index > 0 { all += separator }
      all += part
    }
    return all
  }
}

extension Sequence {
  /// The markup of every element, one after the other.
  func html(separator: HTML = "\n", _ transform: (Element) -> HTML) -> HTML {
    map(transform).joined(separator: separator)
  }
}
