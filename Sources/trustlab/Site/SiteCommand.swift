import ArgumentParser
import Foundation
import Learning
import Scenarios
import Site

/// The `trustlab site` command.
struct SiteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "site",
    abstract: "Write the curriculum as a static web site, in which every case can be stepped through.",
    discussion: """
      Examples:
        trustlab site --output site
        trustlab site L1 my-scenarios --output site

      The pages need no server and load nothing from elsewhere. Open index.html, or copy the folder to a web host. \
      Files of an earlier site are replaced.
      """)

  @Argument(help: "The files, folders, ids or groups to write. Default: the curriculum.")
  var paths: [String] = []

  @Option(help: ArgumentHelp("The folder to write to. It is created if necessary.", valueName: "folder"))
  var output: String

  @Option(help: ArgumentHelp("The number of cases to play at once. Default: one per core.", valueName: "n"))
  var jobs = ProcessInfo.processInfo.activeProcessorCount

  func run() throws {
    guard jobs > 0 else { throw Diagnostics("--jobs must be greater than 0", hint: "remove --jobs") }
    let workbench = Workbench()
    let files = try paths.isEmpty ? workbench.curriculum() : workbench.paths(among: paths).map(workbench.read)
    let home = try SiteHome()
    let content = SiteContent(
      files: files, lessons: lessons(teaching: Set(files.map(\.id))), documents: home.documents,
      assets: try home.assets())
    let folder = try OutputFolder(output)
    try Site(content, player: workbench.player).write(jobs: jobs, progress: { Console.progress($0, of: $1) }) { file in
      try folder.writeBelow(file.bytes, to: file.path)
    }
  }

  /// The lessons of the curriculum that teach one of these scenarios.
  private func lessons(teaching ids: Set<String>) -> [Lesson] {
    ((try? ScenarioLibrary.curriculum().lessons()) ?? []).filter { !ids.isDisjoint(with: $0.scenarios) }
  }
}

/// The installed files that a site is made from: next to the folder of the curriculum.
private struct SiteHome {
  private let folder: URL

  init() throws {
    guard let scenarios = ScenarioLibrary.curriculumFolder else {
      throw Diagnostics("cannot find the curriculum", hint: "keep the folder Scenarios next to the program")
    }
    folder = URL(fileURLWithPath: scenarios).deletingLastPathComponent()
  }

  var documents: [String: String] {
    let names = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"] + files("docs", ".md").map { "docs/\($0)" }
    return names.reduce(into: [:]) { texts, name in
      texts[name] = try? String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
    }
  }

  /// Style and scripts, and the documents' pictures.
  ///
  /// - Throws: `Diagnostics` if there is no folder Site.
  func assets() throws -> [SiteFile] {
    let names = files("Site", ".css") + files("Site", ".js")
    guard !names.isEmpty else {
      throw Diagnostics("cannot find the folder Site", hint: "keep it next to the folder Scenarios")
    }
    let own = try names.map { try file("Site/\($0)", as: $0) }
    return own + (try files("docs/pictures", ".svg").map { try file("docs/pictures/\($0)", as: "docs/pictures/\($0)") })
  }

  private func file(_ name: String, as path: String) throws -> SiteFile {
    SiteFile(path: path, bytes: Array(try Data(contentsOf: folder.appendingPathComponent(name))))
  }

  private func files(_ name: String, _ ending: String) -> [String] {
    let names = try? FileManager.default.contentsOfDirectory(atPath: folder.appendingPathComponent(name).path)
    return (names ?? []).filter { $0.hasSuffix(ending) }.sorted()
  }
}

extension OutputFolder {
  /// Writes a file whose name may contain folders.
  fileprivate func writeBelow(_ bytes: [UInt8], to name: String) throws {
    try createFolder(of: name)
    try write(bytes, to: name, isSecret: false)
  }
}
