/// The part of Markdown that the project's documents use, as HTML: headings, paragraphs, lists, tables, code and links.
struct Markdown {
  /// The title, without markup.
  private(set) var title = ""
  /// The page's content.
  private(set) var html: HTML = ""

  /// Returns the place of a link's target; nil if the target is not on the site.
  private let resolve: (String) -> String?
  /// Returns a name in monospace, with a link if it has a page.
  private let name: (String) -> HTML
  private var lines: [String]
  private var next = 0
  private var anchors = FileNames()

  init(_ text: String, resolve: @escaping (String) -> String?, name: @escaping (String) -> HTML) {
    self.resolve = resolve
    self.name = name
    lines = Self.lines(of: text)
    while next < lines.count { html += block() + "\n" }
  }

  private static func lines(of text: String) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  private var line: String { lines[next] }

  private mutating func block() -> HTML {
    if line.hasPrefix("```") { return code() }
    if line.hasPrefix("<!--") { return comment() }
    if let heading = Self.heading(line) { return self.heading(heading) }
    if line.hasPrefix("|") { return table() }
    if line.hasPrefix("> ") { return quotation() }
    if Self.item(line) != nil { return list(indent: Self.indent(of: line)) }
    if line.allSatisfy(\.isWhitespace) {
      next += 1
      return ""
    }
    return "<p>\(inline(paragraph()))</p>"
  }

  private mutating func code() -> HTML {
    next += 1
    let start = next
    while next < lines.count, !line.trimmed.hasPrefix("```") { next += 1 }
    let text = lines[start..<next]
    let indent = text.filter { !$0.isEmpty }.map(Self.indent).min() ?? 0
    next += 1
    return "<pre tabindex=\"0\"><code>\(text.map { String($0.dropFirst(indent)) }.joined(separator: "\n"))</code></pre>"
  }

  private mutating func comment() -> HTML {
    while next < lines.count, !line.contains("-->") { next += 1 }
    next += 1
    return ""
  }

  private static func heading(_ line: String) -> (level: Int, text: String)? {
    let level = line.prefix { $0 == "#" }.count
    guard (1...6).contains(level), line.dropFirst(level).first == " " else { return nil }
    return (level, String(line.dropFirst(level + 1)))
  }

  private mutating func heading(_ heading: (level: Int, text: String)) -> HTML {
    next += 1
    let plain = heading.text.filter { $0 != "`" }
    if heading.level == 1, title.isEmpty { title = plain }
    let anchor = anchors.take(Self.anchor(of: plain))
    let tag: HTML = "h\(heading.level)"
    return "<\(tag) id=\"\(anchor)\">\(inline(heading.text))</\(tag)>"
  }

  /// The anchor that GitHub makes from a heading.
  private static func anchor(of heading: String) -> String {
    String(
      heading.lowercased().filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" || $0 == "_" }
        .map { $0 == " " ? "-" : $0 })
  }

  /// The headings of a document down to level 3, with their anchors and the document's title.
  static func headings(of text: String) -> [(title: String, anchor: String, document: String)] {
    var isCode = false
    var anchors = FileNames()
    var document = ""
    return lines(of: text).compactMap { line in
      if line.hasPrefix("```") { isCode.toggle() }
      guard !isCode, let heading = heading(line) else { return nil }
      let plain = heading.text.filter { $0 != "`" }
      if document.isEmpty { document = plain }
      let anchor = anchors.take(anchor(of: plain))
      return heading.level <= 3 ? (plain, anchor, document) : nil
    }
  }

  /// A table of a document: its cells are Markdown.
  struct Table {
    /// The heading above the table.
    let heading: String
    let header: [String]
    let rows: [[String]]
  }

  /// The tables of a document.
  static func tables(of text: String) -> [Table] {
    var title = ""
    var tables: [Table] = []
    for block in lines(of: text).split(whereSeparator: { !$0.hasPrefix("|") && Self.heading($0) == nil }) {
      if let heading = block.first.flatMap(Self.heading) { title = heading.text }
      let rows = block.filter(isRow).map(cells)
      if let header = rows.first { tables.append(Table(heading: title, header: header, rows: Array(rows.dropFirst()))) }
    }
    return tables
  }

  /// A cell of a table as HTML. Links to other documents are left out.
  static func inline(_ text: String, name: @escaping (String) -> HTML) -> HTML {
    Markdown("", resolve: { _ in nil }, name: name).inline(text)
  }

  /// Whether a line is a row of a table. The line below the header is none.
  private static func isRow(_ line: String) -> Bool { line.hasPrefix("|") && !line.allSatisfy { "|-: ".contains($0) } }

  private mutating func table() -> HTML {
    var rows: [[HTML]] = []
    while next < lines.count, line.hasPrefix("|") {
      if Self.isRow(line) { rows.append(Self.cells(line).map(inline)) }
      next += 1
    }
    return Markup.table(rows.first ?? [], Array(rows.dropFirst()), label: title)
  }

  /// The cells of a row. A bar behind a reverse solidus or in code belongs to its cell.
  private static func cells(_ row: String) -> [String] {
    var cells = [""]
    var isCode = false
    var isEscaped = false
    for character in row.trimmed.dropFirst() {
      if character == "|", !isEscaped, !isCode {
        cells.append("")
      } else {
        if isEscaped, character == "|" { cells[cells.count - 1].removeLast() }
        if character == "`" { isCode.toggle() }
        cells[cells.count - 1].append(character)
      }
      isEscaped = character == "\\"
    }
    if cells.last?.trimmed.isEmpty == true { cells.removeLast() }
    return cells.map(\.trimmed)
  }

  private mutating func quotation() -> HTML {
    var words: [String] = []
    while next < lines.count, line.hasPrefix(">") {
      words.append(line.dropFirst().trimmed)
      next += 1
    }
    return "<blockquote>\(inline(words.joined(separator: " ")))</blockquote>"
  }

  private static func indent(of line: String) -> Int { line.prefix { $0 == " " }.count }

  /// The text of a list item and whether the list is numbered; nil if the line begins no item.
  private static func item(_ line: String) -> (text: String, isNumbered: Bool)? {
    let bare = line.drop { $0 == " " }
    if bare.hasPrefix("- ") || bare.hasPrefix("* ") { return (String(bare.dropFirst(2)), false) }
    let digits = bare.prefix(while: \.isNumber)
    guard !digits.isEmpty, bare.dropFirst(digits.count).hasPrefix(". ") else { return nil }
    return (String(bare.dropFirst(digits.count + 2)), true)
  }

  private mutating func list(indent: Int) -> HTML {
    let isNumbered = Self.item(line)?.isNumbered == true
    var items: [HTML] = []
    while next < lines.count, Self.indent(of: line) >= indent, let item = Self.item(line),
      item.isNumbered == isNumbered, Self.indent(of: line) < indent + 2
    {
      lines[next] = item.text
      var content = inline(paragraph())
      content += rest(ofItemAt: indent)
      items.append("<li>\(content)</li>")
    }
    let tag: HTML = isNumbered ? "ol" : "ul"
    return "<\(tag)>\(items.joined(separator: "\n"))</\(tag)>"
  }

  /// The lists and the code that belong to an item: they are further to the right.
  private mutating func rest(ofItemAt indent: Int) -> HTML {
    var html: HTML = ""
    while next < lines.count {
      if line.trimmed.isEmpty, next + 1 < lines.count, Self.indent(of: lines[next + 1]) > indent {
        next += 1
      } else if Self.indent(of: line) > indent, line.trimmed.hasPrefix("```") {
        html += code()
      } else if Self.item(line) != nil, Self.indent(of: line) >= indent + 2 {
        html += list(indent: Self.indent(of: line))
      } else if Self.indent(of: line) > indent, !line.trimmed.isEmpty {
        html += "<p>\(inline(paragraph()))</p>"
      } else {
        break
      }
    }
    return html
  }

  /// The lines up to the next block.
  private mutating func paragraph() -> String {
    var words: [String] = []
    repeat {
      words.append(line.trimmed)
      next += 1
    } while next < lines.count && !line.trimmed.isEmpty && !beginsBlock
    return words.joined(separator: " ")
  }

  private var beginsBlock: Bool {
    line.trimmed.hasPrefix("```") || line.hasPrefix("|") || line.hasPrefix("<!--") || Self.heading(line) != nil
      || Self.item(line) != nil
  }

  /// Text with code, links, pictures and emphasis.
  private func inline(_ text: String) -> HTML {
    var html: HTML = ""
    var open = Substring(text)
    while let start = open.firstIndex(where: { "`[!*\\".contains($0) }) {
      html += HTML(escaping: String(open[..<start]))
      open = open[start...]
      if let (part, rest) = code(in: open) ?? link(in: open) ?? strong(in: open) {
        html += part
        open = rest
      } else {
        let escaped = open.first == "\\" && open.dropFirst().first?.isPunctuation == true ? open.dropFirst() : open
        html += HTML(escaping: String(escaped.prefix(1)))
        open = escaped.dropFirst()
      }
    }
    return html + HTML(escaping: String(open))
  }

  private func code(in text: Substring) -> (HTML, Substring)? {
    let marks = text.prefix { $0 == "`" }
    guard !marks.isEmpty, let end = text.dropFirst(marks.count).firstRange(of: marks) else { return nil }
    let inside = text[marks.endIndex..<end.lowerBound]
    return (name(marks.count > 1 ? inside.trimmed : String(inside)), text[end.upperBound...])
  }

  private func link(in text: Substring) -> (HTML, Substring)? {
    let isPicture = text.hasPrefix("![")
    guard isPicture || text.hasPrefix("["), let middle = text.firstRange(of: "]("),
      let end = text[middle.upperBound...].firstIndex(of: ")")
    else { return nil }
    let words = String(text[..<middle.lowerBound].dropFirst(isPicture ? 2 : 1))
    let target = resolve(String(text[middle.upperBound..<end]))
    let rest = text[end...].dropFirst()
    if isPicture { return (target.map { "<img src=\"\($0)\" alt=\"\(words)\">" } ?? HTML(escaping: words), rest) }
    return (target.map { "<a href=\"\($0)\">\(inline(words))</a>" } ?? inline(words), rest)
  }

  private func strong(in text: Substring) -> (HTML, Substring)? {
    for (mark, tag) in [("**", "strong"), ("*", "em")] as [(String, HTML)] where text.hasPrefix(mark) {
      let inside = text.dropFirst(mark.count)
      guard let end = inside.firstRange(of: mark), inside.first?.isWhitespace == false else { continue }
      return ("<\(tag)>\(inline(String(inside[..<end.lowerBound])))</\(tag)>", inside[end.upperBound...])
    }
    return nil
  }
}

extension StringProtocol {
  /// The text without spaces at its ends.
  var trimmed: String {
    let start = drop { $0 == " " }
    return String(start.prefix(upTo: start.lastIndex { $0 != " " }.map(start.index(after:)) ?? start.startIndex))
  }
}
