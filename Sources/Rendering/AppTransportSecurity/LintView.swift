import Explanation
import Scenarios
import Trust
import URLLoading

/// What the lint finds in some property lists, as text, as JSON and as SARIF.
public struct LintView: Sendable {
  /// One property list.
  public struct File: Sendable {
    /// As the user named it.
    public let path: String
    /// What came of it: the file with its findings, or why it cannot be read.
    public let result: Result<(file: InfoPlistFile, findings: [AppTransportSecurity.LintFinding]), Diagnostics>

    /// A file that was linted for `systems`.
    public init(_ file: InfoPlistFile, systems: [OSVersion]) {
      path = file.path
      result = .success((file, file.findings(systems: systems)))
    }

    /// A file that cannot be read.
    public init(path: String, unreadable error: Diagnostics) {
      self.path = path
      result = .failure(error)
    }

    /// What was found in it; nothing where it cannot be read.
    public var findings: [AppTransportSecurity.LintFinding] { (try? result.get())?.findings ?? [] }
  }

  let files: [File]
  let systems: [OSVersion]

  /// A view of these files, linted for these systems.
  public init(_ files: [File], systems: [OSVersion]) {
    self.files = files
    self.systems = systems
  }

  /// How many findings are of this severity.
  public func count(_ severity: AppTransportSecurity.LintFinding.Severity) -> Int {
    files.reduce(0) { sum, file in sum + file.findings.count { $0.severity == severity } }
  }

  /// How many files cannot be read.
  public var unreadable: Int {
    files.count { file in
      if case .failure = file.result { true } else { false }
    }
  }

  /// Every finding as a compiler would say it, and a line with the sums.
  ///
  /// - Parameter width: how many columns a line may have; the place of a finding is never broken.
  public func document(width: Int = 80) -> Document {
    var document = Document()
    for file in files {
      guard case .success(let (plist, findings)) = file.result else { continue }
      for finding in findings.prefix(Self.most) {
        document += LintFindingView(finding: finding, file: plist).document(width: width)
        document.blocks.append(.space)
      }
      if findings.count > Self.most {
        document.paragraph(
          "\(file.path): \(findings.count - Self.most) more of \(findings.count); --format json prints all of them.")
      }
      if plist.origin == .dictionaryItself {
        document.paragraph("\(file.path) is taken as the NSAppTransportSecurity dictionary itself.")
      }
    }
    document.bullet(verdict, RichText(subject + ": " + sums + "."))
    return document
  }

  /// How many findings of a file the text shows: the others are most likely more of the same.
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
    return some.isEmpty && unread.isEmpty ? "nothing to remark" : (unread + some).joined(separator: ", ")
  }
}
