import Explanation
import URLLoading

/// A dotted path into a scenario: `client.infoPlist`, `authorities."Root A".trust`.
///
/// A segment that contains a dot or a space is quoted.
public struct ScenarioPath: Sendable, Hashable, CustomStringConvertible {
  /// The keys, outermost first; never empty.
  public let segments: [String]

  /// Creates the path of these keys, outermost first.
  package init(segments: [String]) { self.segments = segments }

  /// Reads a dotted path; nil if a segment is empty or a quote is not closed.
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

  /// The host without its quotes and the intended path; nil if no host lacks quotes.
  ///
  /// In `servers.api.example.versions` the dot ends a key; the intended path is `servers."api.example".versions`.
  var unquotedHost: (host: String, meant: ScenarioPath)? {
    let lists = [AppTransportSecurity.Key.exceptionDomains, .pinnedDomains].map(\.name)
    let isServer = segments.first == "servers"
    guard let list = isServer ? 0 : segments.firstIndex(where: lists.contains) else { return nil }
    let words = isServer ? ServerDescription.section.words.words.map(\.name) : []
    let below = segments.dropFirst(list + 1)
    // Property list keys contain capital letters; host labels do not.
    let labels = below.prefix { label in !words.contains(label) && !label.contains { $0.isUppercase || $0 == "." } }
    guard labels.count > 1, !isServer || labels.count < below.count else { return nil }
    // A misspelt word below a single-label server, such as `servers.api.contnt`, is not a host.
    if let second = labels.dropFirst().first,
      Spelling.nearest(to: second, among: words, within: second.count / 3) != nil
    {
      return nil
    }
    let host = labels.joined(separator: ".")
    return (host, ScenarioPath(segments: Array(segments.prefix(list + 1)) + [host] + below.dropFirst(labels.count)))
  }

  /// The path as written, with quotes where a segment needs them.
  public var description: String {
    segments.map { $0.contains(where: { $0 == "." || $0 == " " }) ? "\"\($0)\"" : $0 }.joined(separator: ".")
  }
}

extension Node {
  /// Returns the value at `path`; nil if there is none.
  public func value(at path: ScenarioPath) -> Node? {
    path.segments.reduce(Optional(self)) { node, segment in node?[segment] }
  }

  /// Every node of this tree that is not a map with entries, together with its path.
  public var leaves: [(path: ScenarioPath, value: Node)] { leaves(below: []) }

  private func leaves(below segments: [String]) -> [(path: ScenarioPath, value: Node)] {
    if let entries, !entries.isEmpty { return entries.flatMap { $0.value.leaves(below: segments + [$0.key]) } }
    return segments.isEmpty ? [] : [(ScenarioPath(segments: segments), self)]
  }

  /// Returns the place of `text` as a separate word in this tree, or else the beginning of the tree.
  func mark(of text: String) -> SourceMark { place(of: text) ?? mark }

  /// Returns the place of `text` in this tree, as a separate word or in brackets, as in `spki(api)`. Nil if there is
  /// none.
  func place(of text: String) -> SourceMark? {
    switch self {
    case .scalar(let word, _, let mark): word == text || word.hasSuffix("(\(text))") ? mark : nil
    case .list(let items, _): items.lazy.compactMap { $0.place(of: text) }.first
    case .map(let entries, _): entries.lazy.compactMap { $0.value.place(of: text) }.first
    }
  }
}
