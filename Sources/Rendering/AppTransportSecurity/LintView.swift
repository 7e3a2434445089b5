import Advice
import Explanation
import Scenarios
import Trust
import URLLoading

/// The findings of the lint in property lists, as text, JSON and SARIF.
public struct LintView: Sendable {
  /// A property list and its findings.
  public struct File: Sendable {
    /// The path of the property list, as the user wrote it.
    public let path: String
    /// The file with its findings, or the reason why the file cannot be read.
    public let result: Result<(file: InfoPlistFile, findings: [AppTransportSecurity.LintFinding]), Diagnostics>

    /// Creates the result for a file that was checked for `systems`.
    public init(_ file: InfoPlistFile, systems: [OSVersion]) {
      path = file.path
      result = .success((file, file.findings(systems: systems)))
    }

    /// Creates the result for a file that cannot be read.
    public init(path: String, unreadable error: Diagnostics) {
      self.path = path
      result = .failure(error)
    }

    private init(
      path: String, _ result: Result<(file: InfoPlistFile, findings: [AppTransportSecurity.LintFinding]), Diagnostics>
    ) {
      self.path = path
      self.result = result
    }

    /// Returns this file with only the findings for which `isShown` returns true.
    public func showing(_ isShown: (AppTransportSecurity.LintFinding) -> Bool) -> File {
      guard case .success(let (file, findings)) = result else { return self }
      return File(path: path, .success((file, findings.filter(isShown))))
    }

    /// Whether App Transport Security never reads the file. Such a file has no settings and is not the Info.plist of an
    /// app or an extension.
    public var isSilentByNature: Bool {
      guard case .success(let (file, findings)) = result else { return false }
      return file.nature != .app && findings.allSatisfy { $0.rule == .plistNoSettings }
    }

    /// The findings in the file; empty if the file cannot be read.
    public var findings: [AppTransportSecurity.LintFinding] { (try? result.get())?.findings ?? [] }
  }

  let files: [File]
  let systems: [OSVersion]

  /// Creates a view of these files, which were checked for these systems.
  public init(_ files: [File], systems: [OSVersion]) {
    self.files = files
    self.systems = systems
  }

  /// Returns the number of findings with this severity.
  public func count(_ severity: AppTransportSecurity.LintFinding.Severity) -> Int {
    files.reduce(0) { sum, file in sum + file.findings.count { $0.severity == severity } }
  }

  /// The number of files that cannot be read.
  public var unreadable: Int {
    files.count { file in
      if case .failure = file.result { true } else { false }
    }
  }

  /// Returns all findings in formats for other programs.
  ///
  /// - Parameter isFailing: returns whether a finding about a file makes the build fail.
  public func report(isFailing: (File, AppTransportSecurity.LintFinding) -> Bool) -> RemarkReport {
    RemarkReport(
      files: files.map { file in
        switch file.result {
        case .failure(let error): .init(path: file.path, lines: [], remarks: [], obstacle: error)
        case .success(let (plist, findings)):
          .init(
            path: file.path, lines: plist.lines, remarks: findings.map { $0.remark(isFailing: isFailing(file, $0)) },
            obstacle: nil)
        }
      }, rules: Rule.propertyLists)
  }

  /// Returns all findings in the form of compiler messages, followed by a line with the totals.
  ///
  /// - Parameters:
  ///   - width: the maximum number of columns in a line.
  ///   - isFailing: whether a finding makes the build fail.
  public func document(width: Int = 80, isFailing: Bool = false) -> Document {
    var document = Document()
    for file in files {
      guard case .success(let (plist, findings)) = file.result else { continue }
      for finding in findings.prefix(Self.most) {
        document += LintFindingView(finding: finding, file: plist).document(width: width)
        document.blocks.append(.space)
      }
      if findings.count > Self.most {
        document.paragraph(
          "\(file.path): \(findings.count - Self.most) of \(findings.count) findings are not shown; --format json "
            + "prints all of them.")
      }
      if plist.origin == .dictionaryItself {
        document.paragraph("\(file.path) is read as the NSAppTransportSecurity dictionary itself.")
      }
    }
    document.bullet(isFailing ? RichText("✗", .bad) : verdict, RichText(subject + ": " + sums + "."))
    return document
  }

  /// The maximum number of findings that the text shows for each file. Further findings are usually of the same kind.
  private static let most = 100

  private var verdict: RichText {
    if count(.error) + unreadable > 0 { return RichText("✗", .bad) }
    return count(.warning) > 0 ? RichText("!", .warning) : RichText("✓", .good)
  }

  private var subject: String { files.count == 1 ? files[0].path : "\(files.count) property lists" }

  private var sums: String {
    let counts = AppTransportSecurity.LintFinding.Severity.allCases.map { ($0.rawValue, count($0)) }
    let some = counts.filter { $0.1 > 0 }.map { "\($0.1) \($0.0)\($0.1 == 1 ? "" : "s")" }
    let unread = unreadable == 0 ? [] : ["\(unreadable) cannot be read"]
    return some.isEmpty && unread.isEmpty ? "no findings" : (unread + some).joined(separator: ", ")
  }
}

/// A finding in the form of a compiler message: place, message, line and caret, effect, and hint.
struct LintFindingView {
  let finding: AppTransportSecurity.LintFinding
  let file: InfoPlistFile

  func document(width: Int) -> Document {
    var document = Document(head(width: width))
    if let excerpt = excerpt(width: width) {
      document.blocks.append(.preformatted(excerpt, indent: 2))
    }
    // Prints the key path without line breaks, in the form that a suppression file uses.
    if !finding.spot.path.isEmpty {
      document.blocks.append(.preformatted([RichText("at \(finding.spot.keyPath)", .dim)], indent: 2))
    }
    document.bullet(finding.severity.glyph, RichText(finding.effect), indent: 2)
    for line in related { document.paragraph(RichText(line, .dim), indent: 4) }
    if let note = finding.confidence.note { document.paragraph(RichText("(\(note))", .dim), indent: 4) }
    document.paragraph(RichText([Span("hint: ", .strong), Span(finding.advice)]), indent: 2)
    return document
  }

  /// Returns `FILE:LINE:COLUMN: error: message [rule]`. A text that does not fit continues on the next line.
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

  /// Returns the line with a caret below the key; nil if there is no line to show.
  private func excerpt(width: Int) -> [RichText]? {
    guard let place = finding.spot.place, let line = file.line(at: place) else { return nil }
    let room = max(20, width - 2)
    // A whole property list may be on one line.
    let scalars = line.unicodeScalars.prefix(place.column + room).map { $0.value < 32 ? " " : $0 }
    let margin = scalars.prefix { $0 == " " }.count
    let column = min(place.column - 1, scalars.count)
    let start = column - margin > room / 2 ? column - room / 3 : min(margin, column)
    let shown = String(String.UnicodeScalarView(scalars[start..<min(scalars.count, start + room)]))
    let pad = String(repeating: " ", count: max(0, column - start))
    return [RichText(shown), RichText([Span(pad), Span("^", finding.severity.style)])]
  }

  /// The first few places that are related to the finding.
  private var related: [String] {
    let shown = finding.related.prefix(5).map { spot in
      "see \(spot.place.map { "line \($0.line), " } ?? "")\(spot.keyPath)"
    }
    let rest = finding.related.count - shown.count
    return shown + (rest > 0 ? ["and \(rest) more"] : [])
  }
}

extension AppTransportSecurity.LintFinding {
  fileprivate func remark(isFailing: Bool) -> Remark {
    let parts = [message, effect, advice, confidence.note].compactMap(\.self)
    return Remark(
      rule: rule, severity: severity, spot: spot, message: message, advice: advice,
      text: parts.map { $0.hasSuffix("?") ? $0 : "\($0)." }.joined(separator: " "), related: related,
      isFailing: isFailing)
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

extension LintView {
  /// The result as JSON, version 1: the files with their findings, and the totals.
  public func json() -> JSONValue {
    [
      "trustlab": 1, "systems": .strings(systems.map(\.description)), "files": .array(files.map(\.json)),
      "errors": .integer(count(.error)), "warnings": .integer(count(.warning)), "notes": .integer(count(.note)),
      "unreadable": .integer(unreadable),
    ]
  }
}

extension LintView.File {
  fileprivate var json: JSONValue {
    switch result {
    case .success(let (file, findings)):
      return [
        "file": .string(path), "settings": .string(file.origin.word), "findings": .array(findings.map(\.json)),
      ]
    case .failure(let error):
      return ["file": .string(path), "error": .array(error.all.map(\.json))]
    }
  }
}

extension Diagnostic {
  fileprivate var json: JSONValue {
    [
      "message": .string(message), "hint": .string(hint), "line": mark.map { .integer($0.line) } ?? .null,
      "column": mark.map { .integer($0.column) } ?? .null,
    ]
  }
}

extension AppTransportSecurity.Configuration.Origin {
  /// The checked part of the property list, as named in JSON.
  fileprivate var word: String {
    switch self {
    case .infoPlist: "NSAppTransportSecurity"
    case .dictionaryItself: "whole file"
    case .absent: "absent"
    case .notADictionary: "not a dictionary"
    }
  }
}

extension AppTransportSecurity.LintFinding.Spot {
  var members: [JSONValue.Member] {
    [
      .init("keyPath", .string(keyPath)), .init("keys", .strings(path)),
      .init("line", place.map { .integer($0.line) } ?? .null),
      .init("column", place.map { .integer($0.column) } ?? .null),
    ]
  }
}

extension AppTransportSecurity.LintFinding {
  fileprivate var json: JSONValue {
    let confidence = self.confidence.note.map { [JSONValue.Member("confidence", .string($0))] } ?? []
    return .object(
      [
        .init("rule", .string(rule.id)), .init("clause", .string(rule.clause.description)),
        .init("severity", .string(severity.rawValue)),
      ] + spot.members + [
        .init("message", .string(message)), .init("found", .string(found)), .init("meant", .optional(meant)),
      ] + (caution.map { [JSONValue.Member("caution", .string($0))] } ?? []) + [
        .init("effect", .string(effect)), .init("systems", .string(systems)),
      ] + confidence + [
        .init("fix", .string(rule.fix)), .init("related", .array(related.map { .object($0.members) })),
      ])
  }
}
