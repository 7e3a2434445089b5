/// A dotted path into a scenario: `client.infoPlist`, `authorities."Root A".trust`.
///
/// A segment that has a dot or a space in it is quoted.
public struct ScenarioPath: Sendable, Hashable, CustomStringConvertible {
  /// The keys from the outside in; never empty.
  public let segments: [String]

  /// The path of these keys, from the outside in.
  init(segments: [String]) { self.segments = segments }

  /// Reads a dotted path; nil when a segment is empty or a quote is not closed.
  public init?(_ text: String) {
    var segments: [String] = []
    var rest = Substring(text)
    repeat {
      guard let (segment, after) = Self.segment(of: rest) else { return nil }
      segments.append(segment)
      rest = after
      if rest.first == "." {
        rest.removeFirst()
        if rest.isEmpty { return nil }
      } else if !rest.isEmpty {
        return nil
      }
    } while !rest.isEmpty
    self.segments = segments
  }

  private static func segment(of text: Substring) -> (String, Substring)? {
    if let quote = text.first, quote == "\"" || quote == "'" {
      let inside = text.dropFirst()
      guard let end = inside.firstIndex(of: quote), end > inside.startIndex else { return nil }
      return (String(inside[..<end]), inside[inside.index(after: end)...])
    }
    let end = text.firstIndex(of: ".") ?? text.endIndex
    let segment = text[..<end]
    guard !segment.isEmpty, !segment.contains(where: { $0 == " " || $0 == "\"" }) else { return nil }
    return (String(segment), text[end...])
  }

  /// The path as it is written, quoted where it must be.
  public var description: String {
    segments.map { $0.contains(where: { $0 == "." || $0 == " " }) ? "\"\($0)\"" : $0 }.joined(separator: ".")
  }
}
