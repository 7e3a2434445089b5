import Foundation
import Rendering
import Scenarios

/// The installed documents, split into sections.
struct Documents {
  /// A section of a document.
  struct Section {
    /// The document's path relative to the home folder, and the anchor of the heading: `docs/ci.md#baselines`.
    let place: String
    /// The titles of the document and the section.
    let title: String
    /// The lines of the section in Markdown.
    let lines: [String]
  }

  /// All sections, in the order of the documents' paths.
  let sections: [Section]

  /// Reads the documents next to the curriculum, except those in `omitted`. The result is empty if no documents are
  /// installed.
  static func installed(omitting omitted: Set<String> = []) -> Documents {
    guard let scenarios = ScenarioLibrary.curriculumFolder else { return Documents(sections: []) }
    let home = URL(fileURLWithPath: scenarios).deletingLastPathComponent()
    let names = (try? FileManager.default.contentsOfDirectory(atPath: home.appendingPathComponent("docs").path)) ?? []
    let paths =
      ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"]
      + names.filter { $0.hasSuffix(".md") }.sorted().map { "docs/\($0)" }
    return Documents(
      sections: paths.filter { !omitted.contains($0) }.flatMap { path in
        (try? String(contentsOf: home.appendingPathComponent(path), encoding: .utf8)).map { read($0, path: path) } ?? []
      })
  }

  /// Returns a section or a whole document; nil if there is none at `place`.
  func text(at place: String) -> String? {
    let found = sections.filter { $0.place == place || $0.place.prefix { $0 != "#" } == place }
    return found.isEmpty ? nil : found.flatMap(\.lines).joined(separator: "\n")
  }

  private static func read(_ text: String, path: String) -> [Section] {
    var sections: [Section] = []
    var title = ""
    var heading = ""
    var lines: [String] = []
    var isCode = false
    func end() {
      guard lines.contains(where: { !$0.isEmpty }) else { return }
      let anchor = heading.isEmpty ? "" : "#\(anchor(of: heading))"
      let name = heading.isEmpty ? title : "\(title): \(heading)"
      sections.append(Section(place: path + anchor, title: name, lines: lines))
    }
    for line in text.utf8.split(separator: 0x0a, omittingEmptySubsequences: false).map({ String(Substring($0)) }) {
      if line.hasPrefix("```") { isCode.toggle() }
      let level = line.utf8.prefix { $0 == 0x23 }.count
      if !isCode, (1...3).contains(level), line.dropFirst(level).first == " " {
        end()
        lines = []
        let words = String(line.dropFirst(level + 1))
        if level == 1 { (title, heading) = (words, "") } else { heading = words }
      }
      lines.append(line)
    }
    end()
    return sections
  }

  /// Returns the anchor that GitHub generates from a heading.
  private static func anchor(of heading: String) -> String {
    String(
      heading.lowercased().filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" || $0 == "_" }
        .map { $0 == " " ? "-" : $0 })
  }
}
