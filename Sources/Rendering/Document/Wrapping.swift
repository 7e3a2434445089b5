/// Breaks a text of several styles into lines of limited width.
struct Wrapping {
  /// Columns of a line; at least one.
  let width: Int
  private var lines: [RichText] = []
  private var line: [Span] = []
  private var used = 0
  private var pendingSpaces = 0

  /// The lines of `text`, none wider than `width`; spaces it begins with indent all of them.
  static func lines(of text: RichText, width: Int) -> [RichText] {
    let indent = min(text.plain.prefix { $0 == " " }.count, max(0, width - 1))
    guard indent > 0 else { return unindentedLines(of: text, width: width) }
    let pad = RichText(String(repeating: " ", count: indent))
    return unindentedLines(of: text, width: width - indent).map { $0.isEmpty ? $0 : pad + $0 }
  }

  private static func unindentedLines(of text: RichText, width: Int) -> [RichText] {
    var wrapping = Wrapping(width: max(1, width))
    var word: [Span] = []
    for span in text.spans {
      var piece = ""
      for character in span.text {
        if character == " " {
          if !piece.isEmpty { word.append(Span(piece, span.style)) }
          piece = ""
          wrapping.add(word)
          word = []
          wrapping.pendingSpaces += 1
        } else {
          piece.append(character)
        }
      }
      if !piece.isEmpty { word.append(Span(piece, span.style)) }
    }
    wrapping.add(word)
    wrapping.endLine()
    return wrapping.lines.isEmpty ? [RichText([])] : wrapping.lines
  }

  private init(width: Int) { self.width = width }

  private mutating func endLine() {
    if !line.isEmpty { lines.append(RichText(Self.joined(line))) }
    line = []
    used = 0
    pendingSpaces = 0
  }

  /// The same line with words of one style, and the spaces between them, in one span: so that what is coloured can
  /// still be searched for.
  private static func joined(_ line: [Span]) -> [Span] {
    line.reduce(into: []) { spans, span in
      let isGap = span.style == .plain && span.text.allSatisfy { $0 == " " }
      guard let last = spans.last, !isGap else { return spans.append(span) }
      if last.style == span.style {
        spans[spans.count - 1] = Span(last.text + span.text, span.style)
      } else if spans.count > 1, last.text.allSatisfy({ $0 == " " }), spans[spans.count - 2].style == span.style {
        spans.removeLast()
        spans[spans.count - 1] = Span(spans[spans.count - 1].text + last.text + span.text, span.style)
      } else {
        spans.append(span)
      }
    }
  }

  private mutating func add(_ word: [Span]) {
    guard !word.isEmpty else { return }
    let size = DisplayWidth.of(RichText(word))
    if used > 0, used + pendingSpaces + size > width { endLine() }
    if used > 0, pendingSpaces > 0 {
      line.append(Span(String(repeating: " ", count: pendingSpaces)))
      used += pendingSpaces
    }
    pendingSpaces = 0
    if used + size <= width {
      line += word
      used += size
    } else {
      word.forEach { split($0) }
    }
  }

  /// A word wider than a line: broken behind punctuation where that leaves a line at least a quarter full.
  private mutating func split(_ span: Span) {
    let characters = Array(span.text)
    var rest = characters[...]
    while !rest.isEmpty {
      var fitting = 0
      var columns = used
      for character in rest {
        columns += DisplayWidth.of(character)
        if columns > width { break }
        fitting += 1
      }
      if fitting == 0, used > 0 {
        endLine()
        continue
      }
      fitting = max(1, fitting)
      if fitting < rest.count,
        let stop = rest.prefix(fitting).lastIndex(where: { ",;/_-.".contains($0) }).map({ $0 - rest.startIndex }),
        stop >= fitting / 4
      {
        fitting = stop + 1
      }
      let piece = String(rest.prefix(fitting))
      line.append(Span(piece, span.style))
      used += DisplayWidth.of(piece)
      rest = rest.dropFirst(fitting)
      if !rest.isEmpty { endLine() }
    }
  }
}
