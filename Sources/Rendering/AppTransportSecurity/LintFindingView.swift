import Explanation
import Scenarios
import URLLoading

/// One finding of the lint as a compiler would say it: place, message, line and caret, effect and hint.
struct LintFindingView {
  let finding: AppTransportSecurity.LintFinding
  let file: InfoPlistFile

  func document(width: Int) -> Document {
    var document = Document(head(width: width))
    if let excerpt = excerpt(width: width) {
      document.blocks.append(.preformatted(excerpt, indent: 2))
    } else if !finding.spot.path.isEmpty {
      document.paragraph(RichText("at \(finding.spot.keyPath)", .dim), indent: 4)
    }
    document.bullet(finding.severity.glyph, RichText(finding.effect), indent: 2)
    for line in related { document.paragraph(RichText(line, .dim), indent: 4) }
    if let note = finding.confidence.note { document.paragraph(RichText("(\(note))", .dim), indent: 4) }
    document.paragraph(RichText([Span("hint: ", .strong), Span(finding.advice)]), indent: 2)
    return document
  }

  /// `FILE:LINE:COLUMN: error: message [rule]`; what does not fit stands below.
  private func head(width: Int) -> [Document.Block] {
    let place = finding.spot.place.map { ":\($0)" } ?? ""
    let lead = [Span("\(file.path)\(place): ", .strong), Span("\(finding.severity.rawValue):", finding.severity.style)]
    let words = finding.message.split(separator: " ").map { Span(String($0)) } + [Span("[\(finding.rule.id)]", .dim)]
    var line = lead
    var used = DisplayWidth.of(RichText(lead))
    var rest = words[...]
    while let word = rest.first, used + 1 + DisplayWidth.of(word.text) <= width {
      line += [Span(" "), word]
      used += 1 + DisplayWidth.of(word.text)
      rest = rest.dropFirst()
    }
    let head = Document.Block.preformatted([RichText(line)], indent: 0)
    if rest.isEmpty { return [head] }
    return [head, .paragraph(.joined(rest.map { RichText([$0]) }, by: " "), indent: 4)]
  }

  /// The line and a caret under its key; nil where there is none to show.
  private func excerpt(width: Int) -> [RichText]? {
    guard let place = finding.spot.place, let line = file.line(at: place) else { return nil }
    let scalars = Array(line.unicodeScalars.map { $0.value < 32 ? " " : $0 })
    let margin = scalars.prefix { $0 == " " }.count
    let column = min(place.column - 1, scalars.count)
    let room = max(20, width - 2)
    let start = column - margin > room / 2 ? column - room / 3 : min(margin, column)
    let shown = String(String.UnicodeScalarView(scalars[start..<min(scalars.count, start + room)]))
    let pad = String(repeating: " ", count: max(0, column - start))
    return [RichText(shown), RichText([Span(pad), Span("^", finding.severity.style)])]
  }

  /// The other places, the first few of them.
  private var related: [String] {
    let shown = finding.related.prefix(5).map { spot in
      "see \(spot.place.map { "line \($0.line), " } ?? "")\(spot.keyPath)"
    }
    let rest = finding.related.count - shown.count
    return shown + (rest > 0 ? ["and \(rest) more"] : [])
  }
}

extension AppTransportSecurity.LintFinding.Severity {
  var style: Span.Style {
    switch self {
    case .error: .bad
    case .warning: .warning
    case .note: .dim
    }
  }

  var glyph: RichText {
    switch self {
    case .error: RichText("✗", style)
    case .warning: RichText("!", style)
    case .note: RichText("·", style)
    }
  }
}
