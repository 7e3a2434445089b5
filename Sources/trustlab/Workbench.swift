import Cryptography
import Foundation
import Laboratory
import Scenarios
import Synchronization

/// Finds, reads and plays scenarios for the commands, with cached keys.
struct Workbench: Sendable {
  let player: ScenarioPlayer
  /// The folder for relative paths in a scenario from standard input; nil for the current folder.
  var folder: String?
  private let shelf = LibraryShelf()

  init(player: ScenarioPlayer) { self.player = player }

  /// Creates a workbench whose programs have the bug `mutant` and whose attackers search at most `searchLimit` bits.
  init(mutant: Mutant? = nil, searchLimit: Int? = nil) {
    player = ScenarioLibrary.player(keys: Self.keys, mutant: mutant, searchLimit: searchLimit)
  }

  /// Creates a workbench that calls `note` with every file that a scenario names and TrustLab looks up.
  init(noting note: @escaping @Sendable (String) -> Void) {
    player = ScenarioLibrary.player(keys: Self.keys, noting: note)
  }

  /// The keys of all participants.
  static let keys: KeyStore = {
    let cache = keyCache
    if let cache { try? FileManager.default.createDirectory(atPath: cache, withIntermediateDirectories: true) }
    return KeyStore(directory: cache)
  }()

  /// The folder of the key cache. Keys derive from their owners' names, so the cache only saves time.
  /// `TRUSTLAB_CACHE=off` disables it.
  private static var keyCache: String? {
    let environment = ProcessInfo.processInfo.environment
    if let named = environment["TRUSTLAB_CACHE"] { return named == "off" || named.isEmpty ? nil : named }
    if let cache = environment["XDG_CACHE_HOME"], !cache.isEmpty { return "\(cache)/trustlab/keys" }
    guard let home = environment["HOME"], !home.isEmpty, home != "/" else { return nil }
    return "\(home)/.cache/trustlab/keys"
  }

  /// Returns whether a file or folder exists at `path`.
  static func isThere(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

  /// The path that messages show for standard input (`-`).
  static let standardInput = "<stdin>"

  /// Returns the files that `name` refers to: a path, a folder, a scenario id, a group, or standard input.
  ///
  /// - Throws: `Diagnostics` if nothing has that name.
  func paths(for name: String) throws -> [String] {
    if name == "-" { return [Self.standardInput] }
    var isFolder: ObjCBool = false
    let isThere = FileManager.default.fileExists(atPath: name, isDirectory: &isFolder)
    // A folder named like a scenario of the curriculum does not hide the scenario; './L1-15' means the folder.
    let isShadow =
      isFolder.boolValue && !name.contains("/") && (try? ScenarioLibrary.curriculum())?.path(ofID: name) != nil
    if isThere, !isShadow { return isFolder.boolValue ? ScenarioLibrary.scenarioPaths(below: name) : [name] }
    let curriculum = try ScenarioLibrary.curriculum()
    if name.hasPrefix("@") { return try ScenarioGroup.paths(of: name, in: curriculum).map(Self.shown) }
    if let path = curriculum.path(ofID: name) { return [Self.shown(path)] }
    if let group = try? ScenarioGroup.paths(of: "@\(name)", in: curriculum) { return group.map(Self.shown) }
    let isPath = name.contains("/") || name.hasSuffix(".yaml") || name.hasSuffix(".yml")
    throw Diagnostics(
      isPath ? "no such file: '\(name)'" : "no such scenario: '\(name)'",
      hint: Spelling.nearest(to: name, among: Self.candidates(for: name, in: curriculum)).map {
        "did you mean '\($0)'?"
      }
        ?? "'trustlab list scenarios' lists all scenarios")
  }

  /// Returns the files that `names` refer to.
  ///
  /// - Throws: `Diagnostics` if nothing has one of the names, or if no scenario file is found.
  func paths(among names: [String]) throws -> [String] {
    let paths = try names.flatMap(paths)
    guard paths.isEmpty, let name = names.first else { return paths }
    throw Diagnostics(
      "there is no scenario in '\(name)'", hint: "pass a folder that contains .yaml or .yml files, at any depth")
  }

  /// Returns the files that `names` refer to, each once; without a name, the folder Scenarios or else the curriculum.
  func files(orDefault names: [String]) throws -> [ScenarioFile] {
    let named = names.isEmpty && Self.isThere("Scenarios") ? ["Scenarios"] : names
    var seen = Set<String>()
    return try (named.isEmpty ? ScenarioLibrary.curriculum().paths : paths(among: named))
      .filter { seen.insert($0).inserted }.map { try read($0) }
  }

  /// Returns the names for which `name` may be a misspelling: lessons for `L99`, scenarios for `L1-99`.
  private static func candidates(for name: String, in curriculum: ScenarioLibrary) -> [String] {
    if name.contains("-") { return curriculum.ids }
    let lessons = Set(curriculum.ids.compactMap { $0.split(separator: "-").first.map(String.init) })
    return lessons.sorted { ($0.count, $0) < ($1.count, $1) } + curriculum.ids
  }

  /// Returns the path relative to the current folder if the file is below it. The output is thus the same on every
  /// computer.
  private static func shown(_ path: String) -> String {
    let here = FileManager.default.currentDirectoryPath + "/"
    return path.hasPrefix(here) ? String(path.dropFirst(here.count)) : path
  }

  /// Returns the only file that `name` refers to.
  func file(for name: String) throws -> ScenarioFile {
    let paths = try paths(for: name)
    guard paths.count == 1, let path = paths.first else {
      throw Diagnostics(
        "'\(name)' refers to \(paths.count) scenarios, but the command accepts only one",
        hint: "pass one scenario; 'trustlab test \(name)' plays all of them")
    }
    return try read(path)
  }

  /// Reads a file together with the nearest baseline in its folder or above.
  func read(_ path: String) throws(Diagnostics) -> ScenarioFile {
    guard path == Self.standardInput else { return try library(of: path).file(at: path) }
    let place = folder.map { $0.hasSuffix("/") ? $0 + path : "\($0)/\(path)" } ?? path
    return try library(of: place).reader.read(shelf.standardInput(), path: place)
  }

  /// Returns the library with the nearest baseline in the folder of `path` or above.
  func library(of path: String) throws(Diagnostics) -> ScenarioLibrary {
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    return try shelf.library(at: folder.isEmpty ? "/" : folder)
  }

  /// Returns the files of the curriculum, which are read only once.
  func curriculum() throws(Diagnostics) -> [ScenarioFile] { try shelf.curriculum() }

  /// Plays a case of `file`. If an error occurs, adds the line in the file.
  func play(_ scenario: Scenario, of file: ScenarioFile) throws(Diagnostics) -> CaseResult {
    do throws(Diagnostics) { return try player.play(scenario) } catch { throw file.showing(error) }
  }

  /// Prints warnings about `file` and about the property lists of its `cases`.
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

  /// Returns the case named `name`, or the file's main case if `name` is nil.
  func scenario(_ name: String?, in file: ScenarioFile) throws -> Scenario {
    let name = name ?? Scenario.mainCase
    if let scenario = file.scenario(named: name) { return scenario }
    throw Diagnostics(
      "\(file.id) has no case '\(name)'", hint: Spelling.hint(for: name, among: file.cases.map(\.caseName)))
  }
}

/// A cache of opened libraries, so that a folder's baseline is read only once.
private final class LibraryShelf: Sendable {
  private let libraries = Mutex<[String: ScenarioLibrary]>([:])
  private let files = Mutex<[ScenarioFile]?>(nil)
  private let input = Mutex<[UInt8]?>(nil)

  /// Returns the bytes of standard input, which can be read only once.
  func standardInput() -> [UInt8] {
    input.withLock { bytes in
      let read = bytes ?? ScenarioLibrary.standardInput()
      bytes = read
      return read
    }
  }

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

/// A named group of scenarios: `@L1`, `@handshake`, `@seed-000`, `@disputed`.
enum ScenarioGroup {
  private static let lessons = [
    "http": "L0", "handshake": "L1", "rsa": "L2", "chains": "L3", "names": "L4", "incidents": "L5", "secrecy": "L7",
    "randomness": "L8", "ats": "L9", "os": "L10", "challenges": "L11", "pinning": "L12", "client-certificates": "L13",
    "diagnostics": "L14",
  ]

  /// Returns the paths of a group's scenarios. Reads the files only if their ids do not determine the group.
  static func paths(of group: String, in library: ScenarioLibrary) throws -> [String] {
    let name = String(group.dropFirst())
    let isToldByFiles = name == "disputed" || name.hasPrefix("seed-")
    let members =
      try isToldByFiles
      ? library.files().filter { isMember($0, of: name) }.map(\.path)
      : library.paths { $0.hasPrefix((lessons[name] ?? name) + "-") }
    guard !members.isEmpty else {
      throw Diagnostics(
        "no such group: '\(group)'",
        hint: Spelling.hint(for: group, among: lessons.keys.sorted().map { "@\($0)" } + ["@disputed", "@seed-000"]))
    }
    return members
  }

  private static func isMember(_ file: ScenarioFile, of name: String) -> Bool {
    guard let about = file.cases.first?.about else { return false }
    return name == "disputed" ? about.disputed != nil : about.sources.contains("seed \(name.dropFirst(5))")
  }
}
