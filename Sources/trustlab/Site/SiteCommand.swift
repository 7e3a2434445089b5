import ArgumentParser
import Foundation
import Learning
import Scenarios
import Site
import Trust

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
      Files of an earlier site are replaced. A link that ends in #step=5 opens a step, and ?embed shows only the \
      player, for a frame in another page.
      """)

  @Argument(help: "The files, folders, ids or groups to write. Default: the curriculum.")
  var paths: [String] = []

  @Option(help: ArgumentHelp("The folder to write to. It is created if necessary.", valueName: "folder"))
  var output: String

  func run() throws {
    let workbench = Workbench()
    let files = try paths.isEmpty ? workbench.curriculum() : workbench.paths(among: paths).map(workbench.read)
    let home = try SiteHome()
    let content = SiteContent(
      files: files, lessons: lessons(teaching: Set(files.map(\.id))), documents: home.documents,
      systems: ([OSVersion(.iOS, 8)] + OSVersion.eras).map(\.description), assets: try home.assets())
    let folder = try OutputFolder(output)
    let jobs = ProcessInfo.processInfo.activeProcessorCount
    let site = StaticSite(content, player: workbench.player)
    try site.write(jobs: jobs, progress: { Console.progress($0, of: $1) }) { file in
      try folder.createFolder(of: file.path)
      try folder.write(file.bytes, to: file.path, isSecret: false)
    }
  }

  /// Returns the lessons of the curriculum that teach one of these scenarios.
  private func lessons(teaching ids: Set<String>) -> [Lesson] {
    ((try? ScenarioLibrary.curriculum().lessons()) ?? []).filter { !ids.isDisjoint(with: $0.scenarios) }
  }
}

/// The installed files from which a site is built. They are next to the folder of the curriculum.
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

  /// Returns the style sheet, the scripts, and the pictures of the documents.
  ///
  /// - Throws: `Diagnostics` if the folder Site does not exist.
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
