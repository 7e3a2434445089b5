/// A text for a reader: blocks that know their meaning, not their look.
public struct Document: Sendable, Hashable {
  /// A block.
  public enum Block: Sendable, Hashable {
    /// A heading, from level 1.
    case heading(RichText, level: Int)
    /// Running text, wrapped and indented.
    case paragraph(RichText, indent: Int)
    /// Keys with aligned values.
    case facts([Fact], indent: Int)
    /// Rows under a header. An empty header is not shown.
    case table(header: [RichText], rows: [[RichText]], indent: Int)
    /// Lines that keep their columns.
    case preformatted([RichText], indent: Int)
    /// Lines of a tree. Each has a lead and wraps next to it.
    case tree([Branch], indent: Int)
    /// A line after a glyph, wrapped next to it.
    case bullet(RichText, RichText, indent: Int)
    /// A command, broken at places where the shell allows it.
    case command(ShellCommand, indent: Int)
    /// A line with a text before it, aligned to `column`, and a text after it, aligned to the right.
    case aligned(RichText, RichText, RichText, column: Int, indent: Int)
    /// An empty line.
    case space
  }

  /// A key and its value.
  public struct Fact: Sendable, Hashable {
    /// The key.
    public let key: String
    /// The value.
    public let value: RichText

    /// A key and its value.
    public init(_ key: String, _ value: RichText) {
      self.key = key
      self.value = value
    }
  }

  /// A line of a tree.
  public struct Branch: Sendable, Hashable {
    /// The lines that lead to it: `│  └─ `; empty for a root.
    public let lead: String
    /// The line itself.
    public let text: RichText

    /// A line of a tree.
    public init(_ lead: String, _ text: RichText) {
      self.lead = lead
      self.text = text
    }
  }

  /// The blocks from top to bottom.
  public var blocks: [Block]

  /// A document of these blocks.
  public init(_ blocks: [Block] = []) { self.blocks = blocks }

  /// The concatenation of two documents.
  public static func + (left: Document, right: Document) -> Document { Document(left.blocks + right.blocks) }
  /// Appends a document.
  public static func += (left: inout Document, right: Document) { left.blocks += right.blocks }
}

extension Document {
  mutating func heading(_ text: RichText, level: Int = 2) {
    if !blocks.isEmpty { blocks.append(.space) }
    blocks.append(.heading(text, level: level))
  }

  mutating func paragraph(_ text: RichText, indent: Int = 0) {
    if !text.isEmpty { blocks.append(.paragraph(text, indent: indent)) }
  }

  mutating func facts(_ facts: [Fact], indent: Int = 0) {
    let known = facts.filter { !$0.value.isEmpty }
    if !known.isEmpty { blocks.append(.facts(known, indent: indent)) }
  }

  mutating func bullet(_ glyph: RichText, _ text: RichText, indent: Int = 0) {
    blocks.append(.bullet(glyph, text, indent: indent))
  }
}

/// A piece of text in one style.
public struct Span: Sendable, Hashable {
  /// The meaning of a piece of text. The output format decides its look.
  public enum Style: String, Sendable, Hashable, CaseIterable {
    case plain
    case strong
    case dim
    case good
    case bad
    case warning
    /// Text that only the two endpoints can read.
    case protected
    /// The name of a value, a rule or a command.
    case name
    /// Text from a file or a screen: `hello`.
    case code
  }

  /// The text.
  public let text: String
  /// The meaning.
  public let style: Style

  /// A piece of text.
  public init(_ text: String, _ style: Style = .plain) {
    self.text = text
    self.style = style
  }
}

/// Pieces of text, one after the other.
public struct RichText: Sendable, Hashable, ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
  /// The pieces.
  public var spans: [Span]

  /// A text of these pieces.
  public init(_ spans: [Span]) { self.spans = spans }
  /// A text of one piece.
  public init(_ text: String, _ style: Span.Style = .plain) { spans = [Span(text, style)] }
  /// Plain text.
  public init(stringLiteral value: String) { self.init(value) }
  /// An author's words, in which backticks enclose `code`.
  public init(words: String) {
    let split = words.split(separator: "`", omittingEmptySubsequences: false).map(String.init)
    // If the last backtick has no partner, all backticks are literal.
    let parts = split.count % 2 == 1 ? split : [words]
    spans = parts.enumerated().map { Span($1, $0 % 2 == 1 ? .code : .plain) }.filter { !$0.text.isEmpty }
  }

  /// The text without its styles.
  public var plain: String { spans.map(\.text).joined() }
  /// Whether there is no text.
  public var isEmpty: Bool { spans.allSatisfy(\.text.isEmpty) }

  /// The concatenation of two texts.
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
