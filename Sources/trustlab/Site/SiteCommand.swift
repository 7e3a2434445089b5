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
    abstract: "Write the curriculum as a static web site, on which readers can step through every case.",
    discussion: """
      Examples:
        trustlab site --output site
        trustlab site L1 my-scenarios --output site

      The pages need no server and load nothing from elsewhere. Open index.html, or copy the folder to a web host. \
      TrustLab replaces an earlier site: it deletes the files that site.sha256 lists and the new site lacks. It deletes \
      no other files, and none that you changed. A link that ends in #step=5 opens step 5. With ?embed, a page shows \
      only the player, for a frame in another page.
      """)

  @Argument(help: "The files, folders, ids or groups to write. Default: the curriculum.")
  var paths: [String] = []

  @Option(help: ArgumentHelp("The folder to write to. TrustLab creates it if necessary.", valueName: "folder"))
  var output: String

  func run() throws {
    let workbench = Workbench()
    let content = try SiteHome().content(of: paths, workbench)
    let folder = try SiteFolder(output)
    let jobs = ProcessInfo.processInfo.activeProcessorCount
    let site = StaticSite(content, player: workbench.player)
    try site.write(jobs: jobs, progress: { Console.progress($0, of: $1) }) { try folder.write($0) }
    try folder.finish()
  }
}

/// The installed files that a site is made from: next to the folder of the curriculum.
struct SiteHome {
  private let folder: URL

  init() throws {
    guard let scenarios = ScenarioLibrary.curriculumFolder else {
      throw Diagnostics("cannot find the curriculum", hint: "keep the folder Scenarios next to the program")
    }
    folder = URL(fileURLWithPath: scenarios).deletingLastPathComponent()
  }

  /// The content of a site of the scenarios that `paths` name; of the curriculum if they name none.
  ///
  /// - Parameter hasEngine: Whether a server sends the site.
  /// - Throws: `Diagnostics` if there is no such file, or a file cannot be read.
  func content(of paths: [String], _ workbench: Workbench, hasEngine: Bool = false) throws -> SiteContent {
    let files = try paths.isEmpty ? workbench.curriculum() : workbench.paths(among: paths).map(workbench.read)
    let assets = try assets().filter { hasEngine || $0.path != Self.engineScript }
    return try SiteContent(
      files: files, lessons: lessons(teaching: Set(files.map(\.id))), documents: documents,
      systems: ([OSVersion(.iOS, 8)] + OSVersion.eras).map(\.description), releases: PinMatrix.releases,
      reader: ScenarioLibrary.curriculum().reader, assets: assets)
  }

  /// The script of the pages that pass inputs to the engine.
  private static let engineScript = "workbench.js"

  /// The lessons of the curriculum that teach one of these scenarios.
  private func lessons(teaching ids: Set<String>) -> [Lesson] {
    ((try? ScenarioLibrary.curriculum().lessons()) ?? []).filter { !ids.isDisjoint(with: $0.scenarios) }
  }

  private var documents: [String: String] {
    let names = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"] + files("docs", ".md").map { "docs/\($0)" }
    return names.reduce(into: [:]) { texts, name in
      texts[name] = try? String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
    }
  }

  /// Returns the style sheet, the scripts, and the pictures of the documents.
  ///
  /// - Throws: `Diagnostics` if there is no folder Site.
  private func assets() throws -> [SiteFile] {
    let names = [".css", ".js", ".svg"].flatMap { files("Site", $0) }
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
