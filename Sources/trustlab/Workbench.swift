import Cryptography
import Foundation
import Laboratory
import Scenarios
import Synchronization

/// What every command that plays scenarios needs: where they are, and keys to play them with.
struct Workbench: Sendable {
  let player: ScenarioPlayer
  /// Where the paths start from that standard input names; nil for the working directory.
  var folder: String?
  private let shelf = LibraryShelf()

  /// A bench with this player.
  init(player: ScenarioPlayer) { self.player = player }

  /// A bench whose parties have the bug `mutant`, and whose attackers search so many bits.
  init(mutant: Mutant? = nil, searchLimit: Int? = nil) {
    player = ScenarioLibrary.player(keys: Self.keys, mutant: mutant, searchLimit: searchLimit)
  }

  /// A bench that tells `note` of every file that a scenario names and that it looks for.
  init(noting note: @escaping @Sendable (String) -> Void) {
    player = ScenarioLibrary.player(keys: Self.keys, noting: note)
  }

  /// The keys of those who take part.
  static let keys: KeyStore = {
    let cache = keyCache
    if let cache { try? FileManager.default.createDirectory(atPath: cache, withIntermediateDirectories: true) }
    return KeyStore(directory: cache)
  }()

  /// Keys follow from their owners' names, so keeping them only saves time. `TRUSTLAB_CACHE=off` keeps none.
  private static var keyCache: String? {
    let environment = ProcessInfo.processInfo.environment
    if let named = environment["TRUSTLAB_CACHE"] { return named == "off" || named.isEmpty ? nil : named }
    if let cache = environment["XDG_CACHE_HOME"], !cache.isEmpty { return "\(cache)/trustlab/keys" }
    guard let home = environment["HOME"], !home.isEmpty, home != "/" else { return nil }
    return "\(home)/.cache/trustlab/keys"
  }

  /// Whether there is a file or a folder at this path.
  static func isThere(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

  /// What standard input is called, which `-` stands for.
  static let standardInput = "<stdin>"

  /// The files that `name` stands for: a path, a folder, an id of the curriculum, a group, or standard input.
  ///
  /// - Throws: `Diagnostics` when there is no such thing.
  func paths(for name: String) throws -> [String] {
    if name == "-" { return [Self.standardInput] }
    var isFolder: ObjCBool = false
    let isThere = FileManager.default.fileExists(atPath: name, isDirectory: &isFolder)
    // A folder that happens to be called like a scenario of the curriculum does not hide it; './L1-15' names the folder.
    let isShadow =
      isFolder.boolValue && !name.contains("/") && (try? ScenarioLibrary.curriculum())?.path(ofID: name) != nil
    if isThere, !isShadow { return isFolder.boolValue ? ScenarioLibrary.scenarioPaths(below: name) : [name] }
    let curriculum = try ScenarioLibrary.curriculum()
    if name.hasPrefix("@") { return try ScenarioGroup.paths(of: name, in: curriculum).map(Self.shown) }
    if let path = curriculum.path(ofID: name) { return [Self.shown(path)] }
    if let group = try? ScenarioGroup.paths(of: "@\(name)", in: curriculum) { return group.map(Self.shown) }
    let isPath = name.contains("/") || name.hasSuffix(".yaml") || name.hasSuffix(".yml")
    throw Diagnostics(
      isPath ? "there is no file '\(name)'" : "there is no scenario '\(name)'",
      hint: Spelling.nearest(to: name, among: Self.candidates(for: name, in: curriculum)).map {
        "did you mean '\($0)'?"
      }
        ?? "'trustlab list scenarios' prints the curriculum")
  }

  /// The files that `names` stand for.
  ///
  /// - Throws: `Diagnostics` when one is nothing, or all of them together have no file in them.
  func paths(among names: [String]) throws -> [String] {
    let paths = try names.flatMap(paths)
    guard paths.isEmpty, let name = names.first else { return paths }
    throw Diagnostics(
      "there is no scenario in '\(name)'", hint: "scenarios are files of YAML, named .yaml or .yml, in it or below it")
  }

  /// What a name can be a slip of: `L99` of a lesson, and `L1-99` of a scenario.
  private static func candidates(for name: String, in curriculum: ScenarioLibrary) -> [String] {
    if name.contains("-") { return curriculum.ids }
    let lessons = Set(curriculum.ids.compactMap { $0.split(separator: "-").first.map(String.init) })
    return lessons.sorted { ($0.count, $0) < ($1.count, $1) } + curriculum.ids
  }

  /// The path from the working directory where it leads below it: what is shown is the same on every machine.
  private static func shown(_ path: String) -> String {
    let here = FileManager.default.currentDirectoryPath + "/"
    return path.hasPrefix(here) ? String(path.dropFirst(here.count)) : path
  }

  /// The one file that `name` stands for.
  func file(for name: String) throws -> ScenarioFile {
    let paths = try paths(for: name)
    guard paths.count == 1, let path = paths.first else {
      throw Diagnostics(
        "'\(name)' stands for \(paths.count) scenarios; one can be played at a time",
        hint: "'trustlab test \(name)' plays them all")
    }
    return try read(path)
  }

  /// Reads a file against the baseline that is nearest above it.
  func read(_ path: String) throws(Diagnostics) -> ScenarioFile {
    guard path == Self.standardInput else { return try library(of: path).file(at: path) }
    let place = folder.map { $0.hasSuffix("/") ? $0 + path : "\($0)/\(path)" } ?? path
    return try library(of: place).reader.read(shelf.standardInput(), path: place)
  }

  /// The library whose baseline is nearest above the file at `path`.
  func library(of path: String) throws(Diagnostics) -> ScenarioLibrary {
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    return try shelf.library(at: folder.isEmpty ? "/" : folder)
  }

  /// The files of the curriculum, which are read once.
  func curriculum() throws(Diagnostics) -> [ScenarioFile] { try shelf.curriculum() }

  /// Plays a case of `file`; what is wrong in the file is shown with its line.
  func play(_ scenario: Scenario, of file: ScenarioFile) throws(Diagnostics) -> CaseResult {
    do throws(Diagnostics) { return try player.play(scenario) } catch { throw file.showing(error) }
  }

  /// Says what is odd in `file` and in the property lists of these cases of it, without being wrong.
  func remark(on file: ScenarioFile, _ cases: [Scenario]) throws(Diagnostics) {
    var remarks = file.warnings
    for scenario in cases {
      do throws(Diagnostics) {
        for remark in try player.remarks(on: scenario) where !remarks.contains(remark) { remarks.append(remark) }
      } catch {
        throw file.showing(error)
      }
    }
    for remark in file.showing(Diagnostics(remarks)).all { Console.complain(remark.description) }
  }

  /// The case called `name`, or the file alone.
  func scenario(_ name: String?, in file: ScenarioFile) throws -> Scenario {
    let name = name ?? Scenario.mainCase
    if let scenario = file.scenario(named: name) { return scenario }
    throw Diagnostics(
      "\(file.id) has no case '\(name)'", hint: Spelling.hint(for: name, among: file.cases.map(\.caseName)))
  }
}

/// The libraries that were opened, so that the baseline of a folder is read once.
private final class LibraryShelf: Sendable {
  private let libraries = Mutex<[String: ScenarioLibrary]>([:])
  private let files = Mutex<[ScenarioFile]?>(nil)
  private let input = Mutex<[UInt8]?>(nil)

  /// What came on standard input, which can be read once.
  func standardInput() -> [UInt8] {
    input.withLock { bytes in
      let read = bytes ?? ScenarioLibrary.standardInput()
      bytes = read
      return read
    }
  }

  /// The files of the curriculum.
  func curriculum() throws(Diagnostics) -> [ScenarioFile] {
    if let files = files.withLock(\.self) { return files }
    let read = try ScenarioLibrary.curriculum().files()
    files.withLock { $0 = read }
    return read
  }

  func library(at folder: String) throws(Diagnostics) -> ScenarioLibrary {
    if let library = libraries.withLock({ $0[folder] }) { return library }
    let library = try ScenarioLibrary(at: folder)
    libraries.withLock { $0[folder] = library }
    return library
  }
}

/// Scenarios that belong together: `@L1`, `@handshake`, `@seed-000`, `@disputed`.
enum ScenarioGroup {
  private static let lessons = [
    "http": "L0", "handshake": "L1", "rsa": "L2", "chains": "L3", "names": "L4", "incidents": "L5", "secrecy": "L7",
    "randomness": "L8", "ats": "L9", "os": "L10", "challenges": "L11", "pinning": "L12", "client-certificates": "L13",
    "diagnostics": "L14",
  ]

  /// The paths of the scenarios of `library` that belong to the group; files are read only where no id says it.
  static func paths(of group: String, in library: ScenarioLibrary) throws -> [String] {
    let name = String(group.dropFirst())
    let isToldByFiles = name == "disputed" || name.hasPrefix("seed-")
    let members =
      try isToldByFiles
      ? library.files().filter { isMember($0, of: name) }.map(\.path)
      : library.paths { $0.hasPrefix((lessons[name] ?? name) + "-") }
    guard !members.isEmpty else {
      throw Diagnostics(
        "there is no group '\(group)'",
        hint: Spelling.hint(for: group, among: lessons.keys.sorted().map { "@\($0)" } + ["@disputed", "@seed-000"]))
    }
    return members
  }

  private static func isMember(_ file: ScenarioFile, of name: String) -> Bool {
    guard let about = file.cases.first?.about else { return false }
    return name == "disputed" ? about.disputed != nil : about.sources.contains("seed \(name.dropFirst(5))")
  }
}
