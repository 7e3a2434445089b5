import Explanation
import Foundation
import Scenarios

/// Finds scenarios that cases name as siblings: among the command's files, next to them, or in the curriculum.
struct SiblingFiles: Sendable {
  let workbench: Workbench
  /// The paths of the command's files.
  let paths: [String]

  /// Returns the file of the scenario with this id; nil if there is none, or if it cannot be read.
  func file(ofID id: String) -> ScenarioFile? { path(ofID: id).flatMap { try? workbench.read($0) } }

  private func path(ofID id: String) -> String? {
    if let own = paths.first(where: { Self.id(of: $0) == id }) { return own }
    if id.contains("/") || id.isEmpty { return nil }
    let folders = Set(paths.filter { $0 != Workbench.standardInput }.map(Self.folder))
    let beside = folders.sorted().flatMap { folder in [".yaml", ".yml"].map { "\(folder)/\(id)\($0)" } }
    return beside.first(where: Workbench.isThere) ?? (try? ScenarioLibrary.curriculum())?.path(ofID: id)
  }

  private static func id(of path: String) -> String {
    ((path as NSString).lastPathComponent as NSString).deletingPathExtension
  }

  private static func folder(of path: String) -> String {
    let folder = (path as NSString).deletingLastPathComponent
    return folder.isEmpty ? "." : folder
  }

  /// Reads the file at `path`.
  ///
  /// - Throws: `Diagnostics` if the file cannot be read, or if a case names an unknown sibling.
  func read(_ path: String) throws(Diagnostics) -> ScenarioFile {
    let file = try workbench.read(path)
    try check(file)
    return file
  }

  /// Checks the siblings that the cases of `file` name.
  ///
  /// A sibling is a case of the same file, or the id of another scenario with or without a case name.
  ///
  /// - Throws: `Diagnostics` with the place of an unknown name.
  func check(_ file: ScenarioFile) throws(Diagnostics) {
    var known: Set<String> = []
    for scenario in file.cases {
      guard let name = scenario.sibling, file.scenario(named: name) == nil, known.insert(name).inserted else {
        continue
      }
      guard let fault = fault(of: name, in: file) else { continue }
      throw file.showing(Diagnostics(fault.message, hint: fault.hint, at: scenario.siblingMark ?? scenario.tree.mark))
    }
  }

  private func fault(of name: String, in file: ScenarioFile) -> (message: String, hint: String)? {
    let parts = name.split(separator: "/", maxSplits: 1).map(String.init)
    let id = parts.first ?? ""
    guard let path = id == file.id ? file.path : path(ofID: id) else {
      let ids = (try? ScenarioLibrary.curriculum())?.ids ?? []
      let names = file.cases.map(\.caseName)
      let near = Spelling.nearest(to: name, among: names) ?? Spelling.nearest(to: name, among: ids, within: 2)
      return (
        "the sibling '\(name)' is neither a case nor a scenario",
        near.map { "did you mean '\($0)'?" } ?? "use a case of this file: \(names.prefix(12).joined(separator: ", "))"
      )
    }
    guard parts.count == 2 else { return nil }
    let found = try? workbench.read(path)
    guard let other = id == file.id ? file : found, other.scenario(named: parts[1]) == nil else { return nil }
    return ("\(id) has no case '\(parts[1])'", Spelling.hint(for: parts[1], among: other.cases.map(\.caseName)))
  }
}
