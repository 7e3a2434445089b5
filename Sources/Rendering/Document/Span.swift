/// A stretch of text in one style.
public struct Span: Sendable, Hashable {
  /// What a stretch of text is; how it looks is up to whoever shows it.
  public enum Style: String, Sendable, Hashable, CaseIterable {
    case plain
    case strong
    case dim
    case good
    case bad
    case warning
    /// Something that only the two ends can read.
    case protected
    /// The name of a value, a rule or a command.
    case name
  }

  /// The text.
  public let text: String
  /// What it is.
  public let style: Style

  /// A stretch of text.
  public init(_ text: String, _ style: Style = .plain) {
    self.text = text
    self.style = style
  }
}

/// Stretches of text, one after the other.
public struct RichText: Sendable, Hashable, ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
  /// The stretches.
  public var spans: [Span]

  /// These stretches.
  public init(_ spans: [Span]) { self.spans = spans }
  /// One stretch.
  public init(_ text: String, _ style: Span.Style = .plain) { spans = [Span(text, style)] }
  /// Plain text.
  public init(stringLiteral value: String) { self.init(value) }

  /// The text without its styles.
  public var plain: String { spans.map(\.text).joined() }
  /// Whether there is nothing to read.
  public var isEmpty: Bool { spans.allSatisfy(\.text.isEmpty) }

  /// One text after the other.
  public static func + (left: RichText, right: RichText) -> RichText { RichText(left.spans + right.spans) }

  /// Texts with `separator` between them.
  static func joined(_ texts: [RichText], by separator: String) -> RichText {
    var all: [Span] = []
    for (index, text) in texts.enumerated() {
      if index > 0 { all.append(Span(separator)) }
      all += text.spans
    }
    return RichText(all)
  }
}
