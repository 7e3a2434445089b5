/// What is shown to a reader: blocks of text that know what they are, not how they look.
public struct Document: Sendable, Hashable {
  /// A block.
  public enum Block: Sendable, Hashable {
    /// The beginning of a part, from level 1.
    case heading(RichText, level: Int)
    /// Running text, wrapped and indented by so many columns.
    case paragraph(RichText, indent: Int)
    /// Keys and values, the values aligned.
    case facts([Fact], indent: Int)
    /// Rows under a header; an empty header is not shown.
    case table(header: [RichText], rows: [[RichText]], indent: Int)
    /// Lines that keep their columns.
    case preformatted([RichText], indent: Int)
    /// Lines of a tree, each behind the lines that lead to it, wrapped beside them.
    case tree([Branch], indent: Int)
    /// A line behind a glyph, wrapped beside it.
    case bullet(RichText, RichText, indent: Int)
    /// A command that reproduces something, broken where the shell lets it be broken.
    case command(ShellCommand, indent: Int)
    /// A line with something before it, aligned to `column`, and something behind it, aligned to the right.
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
    /// What leads to it: `│  └─ `; empty for a root.
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

  /// One document after the other.
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
    /// Text as it stands in a file or on a screen, within words: `hello`.
    case code
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
  /// Words of an author, in which `code` stands between backticks.
  public init(words: String) {
    let split = words.split(separator: "`", omittingEmptySubsequences: false).map(String.init)
    // Where the last one is not closed the backticks are meant as they are.
    let parts = split.count % 2 == 1 ? split : [words]
    spans = parts.enumerated().map { Span($1, $0 % 2 == 1 ? .code : .plain) }.filter { !$0.text.isEmpty }
  }

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
