/// A text for a reader. Its blocks describe a meaning, and the output format decides their appearance.
public struct Document: Sendable, Hashable {
  /// A block of the document.
  public enum Block: Sendable, Hashable {
    /// A heading with its level, from 1.
    case heading(RichText, level: Int)
    /// Running text, wrapped and indented.
    case paragraph(RichText, indent: Int)
    /// Keys with their values, which are aligned.
    case facts([Fact], indent: Int)
    /// Rows below a header. An empty header is not shown.
    case table(header: [RichText], rows: [[RichText]], indent: Int)
    /// Lines that keep their spacing.
    case preformatted([RichText], indent: Int)
    /// The lines of a tree. Each line has a lead and is wrapped next to it.
    case tree([Branch], indent: Int)
    /// A line after a glyph. It is wrapped next to the glyph.
    case bullet(RichText, RichText, indent: Int)
    /// A command, which is broken only at places where the shell allows it.
    case command(ShellCommand, indent: Int)
    /// Three texts on one line: a text on the left, one aligned to `column`, and one aligned to the right.
    case aligned(RichText, RichText, RichText, column: Int, indent: Int)
    /// An empty line.
    case space
  }

  /// A key and its value.
  public struct Fact: Sendable, Hashable {
    /// The key of the fact.
    public let key: String
    /// The value of the fact.
    public let value: RichText

    /// Creates a fact from a key and its value.
    public init(_ key: String, _ value: RichText) {
      self.key = key
      self.value = value
    }
  }

  /// A line of a tree.
  public struct Branch: Sendable, Hashable {
    /// The tree lines that lead to the text: `│  └─ `; empty for a root.
    public let lead: String
    /// The text of the line.
    public let text: RichText

    /// Creates a line of a tree.
    public init(_ lead: String, _ text: RichText) {
      self.lead = lead
      self.text = text
    }
  }

  /// The blocks of the document, from top to bottom.
  public var blocks: [Block]

  /// Creates a document from these blocks.
  public init(_ blocks: [Block] = []) { self.blocks = blocks }

  /// Concatenates two documents.
  public static func + (left: Document, right: Document) -> Document { Document(left.blocks + right.blocks) }
  /// Appends a document to another.
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
  /// The meaning of a piece of text. The output format decides its appearance.
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
    /// Text from a file or a terminal: `hello`.
    case code
  }

  /// The text of the span.
  public let text: String
  /// The meaning of the text.
  public let style: Style

  /// Creates a piece of text with one style.
  public init(_ text: String, _ style: Style = .plain) {
    self.text = text
    self.style = style
  }
}

/// A text that consists of pieces with different styles.
public struct RichText: Sendable, Hashable, ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
  /// The pieces of the text.
  public var spans: [Span]

  /// Creates a text from these pieces.
  public init(_ spans: [Span]) { self.spans = spans }
  /// Creates a text that consists of a single piece.
  public init(_ text: String, _ style: Span.Style = .plain) { spans = [Span(text, style)] }
  /// Creates a plain text from a literal.
  public init(stringLiteral value: String) { self.init(value) }
  /// Creates a text from an author's words, in which backticks enclose `code`.
  public init(words: String) {
    let split = words.split(separator: "`", omittingEmptySubsequences: false).map(String.init)
    // If the last backtick has no partner, all backticks are literal.
    let parts = split.count % 2 == 1 ? split : [words]
    spans = parts.enumerated().map { Span($1, $0 % 2 == 1 ? .code : .plain) }.filter { !$0.text.isEmpty }
  }

  /// The text without its styles.
  public var plain: String { spans.map(\.text).joined() }
  /// Whether the text is empty.
  public var isEmpty: Bool { spans.allSatisfy(\.text.isEmpty) }

  /// Concatenates two texts.
  public static func + (left: RichText, right: RichText) -> RichText { RichText(left.spans + right.spans) }

  /// Returns the texts with `separator` between them.
  static func joined(_ texts: [RichText], by separator: String) -> RichText {
    var all: [Span] = []
    for (index, text) in texts.enumerated() {
      if index > 0 { all.append(Span(separator)) }
      all += text.spans
    }
    return RichText(all)
  }
}
