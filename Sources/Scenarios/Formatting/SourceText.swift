/// The characters of a file after its byte order mark, with YAML's line numbers.
struct SourceText {
  let scalars: [Unicode.Scalar]
  /// The offset at which each line begins.
  private let starts: [Int]

  init(_ text: String) {
    let scalars = Array(text.unicodeScalars)
    var starts = [0]
    for index in scalars.indices where Self.isBreak(scalars[index]) {
      let isFirstOfTwo = scalars[index] == "\r" && index + 1 < scalars.count && scalars[index + 1] == "\n"
      if !isFirstOfTwo { starts.append(index + 1) }
    }
    self.scalars = scalars
    self.starts = starts
  }

  /// A line break (YAML 1.1 section 4.1.4).
  static func isBreak(_ scalar: Unicode.Scalar) -> Bool {
    ["\n", "\r", "\u{85}", "\u{2028}", "\u{2029}"].contains(scalar)
  }

  static func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" }

  var lineCount: Int { starts.count }

  /// A line and its line break. The last line has no line break.
  struct Line: Sendable, Hashable {
    var text: String
    var end: String
  }

  /// All lines of the file, unchanged.
  var lines: [Line] {
    (1...lineCount).map { line in
      let (first, last) = (offset(line: line, column: 1), end(ofLine: line))
      return Line(text: raw(first..<last), end: raw(last..<offset(line: line + 1, column: 1)))
    }
  }

  /// The line break of the first line; a line feed if there is none.
  var lineBreak: String {
    let last = end(ofLine: 1)
    let found = raw(last..<offset(line: 2, column: 1))
    return found.isEmpty ? "\n" : found
  }

  private func raw(_ range: Range<Int>) -> String { String(String.UnicodeScalarView(scalars[range])) }

  /// Returns the offset of `line` and `column`, both counted from 1.
  func offset(line: Int, column: Int) -> Int {
    guard starts.indices.contains(line - 1) else { return scalars.count }
    return min(scalars.count, starts[line - 1] + max(0, column - 1))
  }

  /// Returns the number of the line that contains an offset, from 1.
  func line(of offset: Int) -> Int {
    var (low, high) = (0, starts.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= offset { low = middle } else { high = middle }
    }
    return low + 1
  }

  func column(of offset: Int) -> Int { offset - starts[line(of: offset) - 1] + 1 }

  /// Returns the offset of a line's break, or the end of the text.
  func end(ofLine line: Int) -> Int {
    var offset = self.offset(line: line, column: 1)
    while offset < scalars.count, !Self.isBreak(scalars[offset]) { offset += 1 }
    return offset
  }

  subscript(offset: Int) -> Unicode.Scalar? { scalars.indices.contains(offset) ? scalars[offset] : nil }

  /// Returns the text of the range without trailing white space.
  func text(_ range: Range<Int>) -> String {
    var text = String(String.UnicodeScalarView(scalars[range.clamped(to: scalars.indices)]))
    while let last = text.unicodeScalars.last, Self.isBlank(last) || Self.isBreak(last) {
      text.unicodeScalars.removeLast()
    }
    return text
  }

  /// Returns whether only white space precedes this offset in its line.
  func isFirst(_ offset: Int) -> Bool {
    scalars[self.offset(line: line(of: offset), column: 1)..<offset].allSatisfy(Self.isBlank)
  }

  /// Returns the end of the scalar that begins at `start` and has this `value`.
  func end(of value: String, from start: Int, style: SourceTree.Style, parentColumn: Int) -> Int {
    switch style {
    case .quoted: endOfQuoted(from: start)
    case .block: endOfBlock(from: start, parentColumn: parentColumn)
    case .plain: endOfPlain(value, from: start)
    }
  }

  private func endOfQuoted(from start: Int) -> Int {
    guard let quote = self[start] else { return start }
    var offset = start + 1
    while let scalar = self[offset] {
      if scalar == "\\", quote == "\"" {
        offset += 2
      } else if scalar == quote {
        guard quote == "'", self[offset + 1] == "'" else { return offset + 1 }
        offset += 2
      } else {
        offset += 1
      }
    }
    return scalars.count
  }

  /// Returns the end of the lines that are indented more deeply than the scalar's parent.
  private func endOfBlock(from start: Int, parentColumn: Int) -> Int {
    var last = line(of: start)
    var line = last + 1
    while line <= lineCount {
      let range = offset(line: line, column: 1)..<end(ofLine: line)
      if let first = range.first(where: { scalars[$0] != " " }) {
        guard first - range.lowerBound >= parentColumn else { break }
        last = line
      }
      line += 1
    }
    return end(ofLine: last)
  }

  /// Returns the end of a plain scalar. White space in the file equals a space or a break in the value, because lines
  /// may be folded.
  private func endOfPlain(_ value: String, from start: Int) -> Int {
    var offset = start
    var rest = Array(value.unicodeScalars)[...]
    while let next = rest.first, let scalar = self[offset] {
      if scalar == next, !Self.isBreak(scalar) {
        offset += 1
        rest = rest.dropFirst()
      } else {
        while let scalar = self[offset], Self.isBlank(scalar) || Self.isBreak(scalar) { offset += 1 }
        let left = rest.drop { $0 == " " || $0 == "\n" }
        if left.count == rest.count { break }
        rest = left
      }
    }
    return offset
  }
}
