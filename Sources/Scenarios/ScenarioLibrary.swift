import Cryptography
import Foundation
import Laboratory

/// A folder of scenarios with its baseline. Scenarios are found by id, by path or as a group.
///
/// Another package can use the library in its own tests: `@Test(arguments: try ScenarioLibrary(at:
/// "Scenarios").cases)`.
public struct ScenarioLibrary: Sendable {
  /// The folder, without a final slash.
  public let folder: String
  /// The reader of scenario files, which has the baseline.
  public let reader: ScenarioReader

  /// Opens the library at `folder`.
  ///
  /// The baseline is `baseline.yaml` in the folder or in the nearest folder above it, or else the baseline of the
  /// curriculum.
  ///
  /// - Throws: `Diagnostics` if there is no baseline or it cannot be read.
  public init(at folder: String) throws(Diagnostics) {
    self.folder = folder.count > 1 && folder.hasSuffix("/") ? String(folder.dropLast()) : folder
    let file = Self.baseline(above: self.folder) ?? "\(Self.curriculumFolder ?? ".")/baseline.yaml"
    reader = try ScenarioReader(baseline: try Self.read(file), file: file)
  }

  private static func baseline(above folder: String) -> String? {
    var place = URL(fileURLWithPath: folder)
    for _ in 0..<4 where place.path != "/" {
      let file = place.appendingPathComponent("baseline.yaml").path
      if FileManager.default.fileExists(atPath: file) { return file }
      place.deleteLastPathComponent()
    }
    return nil
  }

  /// Returns the curriculum that is distributed with the program.
  ///
  /// - Throws: `Diagnostics` if it cannot be found.
  public static func curriculum() throws(Diagnostics) -> ScenarioLibrary {
    guard let folder = curriculumFolder else {
      throw Diagnostics(
        "cannot find the curriculum", hint: "keep the folder Scenarios next to the program, or set TRUSTLAB_SCENARIOS")
    }
    return try ScenarioLibrary(at: folder)
  }

  /// The folder of the curriculum.
  ///
  /// The environment names the folder, or it is above the program, in the `share` folder of the installation, or in the
  /// program's sources.
  public static let curriculumFolder: String? = {
    var candidates: [String] = []
    if let named = ProcessInfo.processInfo.environment["TRUSTLAB_SCENARIOS"] { candidates.append(named) }
    var place = (Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments.first ?? ""))
      .resolvingSymlinksInPath().deletingLastPathComponent()
    for _ in 0..<8 where place.path != "/" {
      candidates.append(place.appendingPathComponent("Scenarios").path)
      candidates.append(place.appendingPathComponent("share/trustlab/Scenarios").path)
      place.deleteLastPathComponent()
    }
    let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    candidates.append(sources.deletingLastPathComponent().appendingPathComponent("Scenarios").path)
    return candidates.first { FileManager.default.fileExists(atPath: "\($0)/baseline.yaml") }
  }()

  /// The paths of all scenario files in the folder and below it, sorted.
  public var paths: [String] { Self.scenarioPaths(below: folder) }

  /// Reads all files of the folder, on all processors.
  ///
  /// - Throws: `Diagnostics` if the folder does not exist, or with all errors of the first invalid file.
  public func files() throws(Diagnostics) -> [ScenarioFile] {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue else {
      throw Diagnostics(
        "there is no folder '\(folder)'", hint: "the working directory is \(FileManager.default.currentDirectoryPath)")
    }
    return try files(at: paths)
  }

  /// Returns the files whose text contains one of these words, or refers to an Info.plist that may contain them.
  ///
  /// - Throws: `Diagnostics` with all errors of the first invalid file.
  public func files(naming words: [String]) throws(Diagnostics) -> [ScenarioFile] {
    try files(
      at: paths.filter { path in
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return true }
        return (words + [".plist"]).contains { text.contains($0) }
      })
  }

  /// Reads the files at these paths, on all processors.
  ///
  /// - Throws: `Diagnostics` with all errors of the first invalid file.
  public func files(at paths: [String]) throws(Diagnostics) -> [ScenarioFile] {
    let jobs = ProcessInfo.processInfo.activeProcessorCount
    let readings = ParallelMap.results(of: paths, jobs: jobs, progress: { _, _ in }) { path in
      Result { () throws(Diagnostics) in try file(at: path) }
    }
    var files: [ScenarioFile] = []
    for reading in readings { files.append(try reading.get()) }
    return files
  }

  /// Every case of every file. An empty folder is an error, because a test without cases would pass.
  public var cases: [Scenario] {
    get throws {
      let cases = try files().flatMap(\.cases)
      if cases.isEmpty {
        throw Diagnostics("there is no scenario in '\(folder)'", hint: "the names of scenario files end in .yaml")
      }
      return cases
    }
  }

  /// Runs one case of this library and compares it with its expectation, as `trustlab test` does.
  ///
  /// If a refused case has an accepted sibling that fails, the case proves nothing and is skipped.
  ///
  /// - Throws: `Diagnostics` if a file cannot be used.
  public func result(of scenario: Scenario, by player: ScenarioPlayer) throws(Diagnostics) -> CaseResult {
    var result = try player.play(scenario)
    let name = scenario.caseName
    let run = TestRun(
      [.file(try file(at: scenario.file))], player: player, isWanted: { $0.caseName == name },
      sibling: { id in path(ofID: id).flatMap { try? file(at: $0) } })
    if let judgement = run.entries().first?.judgement { result.judgement = judgement }
    return result
  }

  /// Reads the scenario file at `path`.
  ///
  /// - Throws: `Diagnostics` with all errors in the file.
  public func file(at path: String) throws(Diagnostics) -> ScenarioFile {
    try reader.read(try Self.read(path), path: path)
  }

  /// Returns the path of the scenario with this id; nil if the folder has none.
  public func path(ofID id: String) -> String? {
    // An id begins with its lesson, which is also its folder, so most ids need no search.
    let usual = "\(folder)/\(id.prefix { $0 != "-" })/\(id).yaml"
    if !id.contains("/"), FileManager.default.fileExists(atPath: usual) { return usual }
    return paths { $0.lowercased() == id.lowercased() }.first
  }

  /// Returns the paths of the scenarios for which `isWanted` returns true, sorted.
  public func paths(where isWanted: (_ id: String) -> Bool) -> [String] {
    paths.filter { isWanted(ScenarioLocation(path: $0).id) }
  }

  /// The ids of all scenarios, sorted.
  public var ids: [String] { paths.map { ScenarioLocation(path: $0).id } }

  /// Returns a player with keys from `keys` and files from the disk.
  ///
  /// Its clients and servers have the bug `mutant`. Its attackers search at most 2^`searchLimit` candidates; without a
  /// limit, they search only a few. The player calls `note` for every file that a scenario names.
  public static func player(
    keys: KeyStore, mutant: Mutant? = nil, searchLimit: Int? = nil,
    noting note: @escaping @Sendable (String) -> Void = { _ in }
  ) -> ScenarioPlayer {
    ScenarioPlayer(
      cast: ScenarioSetup(keys: keys, mutant: mutant, searchLimit: searchLimit) { path in
        note(path)
        return contents(atPath: path)
      })
  }

  /// Returns the bytes of a file that a scenario names; nil if the file is too large or unreadable.
  private static func contents(atPath path: String) -> [UInt8]? {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue,
      let handle = FileHandle(forReadingAtPath: path)
    else { return nil }
    let data = (try? handle.read(upToCount: largestFile + 1)) ?? Data()
    return data.count > largestFile ? nil : Array(data)
  }

  /// The maximum size of a file: 16 MiB.
  private static let largestFile = 1 << 24

  /// The name of the file that assigns the scenarios of a folder to lessons.
  package static let lessonsFile = "lessons.yaml"

  /// Returns the paths of all scenario files below a folder, sorted. The files end in `.yaml`. The baseline and the
  /// lessons are excluded.
  public static func scenarioPaths(below folder: String) -> [String] {
    let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    return names.filter { name in
      (name.hasSuffix(".yaml") || name.hasSuffix(".yml")) && !name.hasPrefix(".")
        && !["baseline.yaml", lessonsFile].contains(name)
    }.sorted().map { folder.hasSuffix("/") ? folder + $0 : "\(folder)/\($0)" }
  }

  /// Returns the contents of standard input, up to the size limit of a scenario.
  package static func standardInput() -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count <= YAMLDocument.maximumSize,
      let data = try? FileHandle.standardInput.read(upToCount: YAMLDocument.maximumSize + 1), !data.isEmpty
    {
      bytes += data
    }
    return bytes
  }

  /// Returns the bytes of the file at `path`, up to the size limit of a scenario.
  ///
  /// - Throws: `Diagnostics` if the file cannot be read.
  package static func read(_ path: String) throws(Diagnostics) -> [UInt8] {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw Diagnostics("there is no file '\(path)'", hint: "'trustlab list scenarios' prints the curriculum")
    }
    guard !isFolder.boolValue, let handle = FileHandle(forReadingAtPath: path),
      let data = try? handle.read(upToCount: YAMLDocument.maximumSize + 1)
    else {
      if !isFolder.boolValue, FileManager.default.contents(atPath: path)?.isEmpty == true { return [] }
      throw Diagnostics("cannot read the file '\(path)'", hint: "check its type and its permissions")
    }
    return Array(data)
  }
}
