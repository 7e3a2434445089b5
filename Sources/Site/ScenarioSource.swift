/// A scenario file, in which keys, and values that are words of the language, are links.
///
/// In comments and in texts, only names are links that cannot be mistaken for ordinary words.
struct ScenarioSource {
  private let lines: [String]
  private let linker: Linker

  init(_ lines: [String], _ linker: Linker) { (self.lines, self.linker) = (lines, linker) }

  /// The keys whose values are texts.
  private static let textKeys: Set = ["title", "name", "before", "after", "question", "readings", "chosen"]

  var html: HTML {
    // The column of the key whose text continues on the next lines.
    var textColumn: Int?
    return lines.html { line in
      let rest = line.drop { $0 == " " }
      let indent = line.count - rest.count
      if let column = textColumn {
        if rest.isEmpty || indent > column || indent == column && rest.hasPrefix("- ") { return linker.text(line) }
        textColumn = nil
      }
      let item = rest.drop { $0 == "-" || $0 == " " }
      if let key = Self.key(at: item) {
        let value = item.dropFirst(key.count + 1).drop { $0 == " " }
        if Self.textKeys.contains(key) || value.first == ">" || value.first == "|" {
          textColumn = line.count - item.count
        }
      }
      return HTML(escaping: String(line.dropLast(item.count))) + code(item)
    }
  }

  /// The key with which `text` begins; nil if it begins with another value.
  private static func key(at text: Substring) -> String? {
    let name = text.prefix { !" {}[],:\"'#".contains($0) }
    let end = text[name.endIndex...].prefix(2)
    return !name.isEmpty && (end == ":" || end == ": ") ? String(name) : nil
  }

  /// A part of a line: keys, values, the marks between them, and a comment at the end.
  private func code(_ text: Substring) -> HTML {
    var html: HTML = ""
    var isText = false
    var open = text
    while let first = open.first {
      if let key = Self.key(at: open) {
        html += linker.key(key)
        isText = Self.textKeys.contains(key)
        open = open.dropFirst(key.count)
      } else if first == "#" {
        return html + "<span class=\"dim\">\(linker.text(String(open)))</span>"
      } else if " {}[],:".contains(first) {
        html += HTML(escaping: String(first))
        open = open.dropFirst()
      } else {
        let value = Self.value(at: open)
        html += isText ? linker.text(String(value)) : linker.word(String(value))
        open = open[value.endIndex...]
      }
    }
    return html
  }

  /// The value with which `text` begins, with its quotes.
  private static func value(at text: Substring) -> Substring {
    if let quote = text.first, quote == "\"" || quote == "'" {
      let end = text.dropFirst().firstIndex(of: quote)
      return text[..<(end.map(text.index(after:)) ?? text.endIndex)]
    }
    let end = text.firstIndex { "{}[],".contains($0) } ?? text.endIndex
    let plain = text[..<(text[..<end].firstRange(of: " #")?.lowerBound ?? end)]
    return plain[..<(plain.lastIndex { $0 != " " }.map(plain.index(after:)) ?? plain.startIndex)]
  }
}
