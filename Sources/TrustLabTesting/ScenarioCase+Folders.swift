import Foundation
import Laboratory
import Scenarios

extension ScenarioCase {
  /// Every case of every scenario in a folder and its subfolders, in the order of the files.
  ///
  /// The path `folder` is relative to the working directory, to the folder of the test's own `file`, or to a folder
  /// above it.
  ///
  /// - Throws: `Diagnostics` if the folder does not exist or contains no scenario, because a test without cases would
  /// pass. Also throws all errors of the first file that cannot be read.
  public static func all(in folder: String, file: String = #filePath) throws(Diagnostics) -> [ScenarioCase] {
    let place = try existing(folder, near: file)
    let library = try ScenarioLibrary(at: place)
    let player = ScenarioLibrary.player(keys: KeyStore())
    let cases = try library.files().flatMap { file in
      file.cases.map { ScenarioCase($0, of: file, siblings: Siblings(library: library), player: player) }
    }
    guard cases.isEmpty else { return cases }
    throw Diagnostics("there is no scenario in '\(place)'", hint: "a scenario is a file that ends in .yaml")
  }

  /// Every case of one scenario, given by its file or by its id in the curriculum, such as `L1-15`.
  ///
  /// - Throws: `Diagnostics` if there is no such scenario, or with all errors in the scenario.
  public static func all(of name: String, file: String = #filePath) throws(Diagnostics) -> [ScenarioCase] {
    let library: ScenarioLibrary
    let path: String
    if name.hasSuffix(".yaml") || name.hasSuffix(".yml") {
      path = try existing(name, near: file)
      library = try ScenarioLibrary(at: (path as NSString).deletingLastPathComponent)
    } else {
      library = try ScenarioLibrary.curriculum()
      guard let found = library.path(ofID: name) else {
        throw Diagnostics("there is no scenario '\(name)'", hint: "'trustlab list scenarios' prints the curriculum")
      }
      path = found
    }
    let scenarios = try library.file(at: path)
    let player = ScenarioLibrary.player(keys: KeyStore())
    return scenarios.cases.map {
      ScenarioCase($0, of: scenarios, siblings: Siblings(library: library), player: player)
    }
  }

  /// Finds an existing path, because Xcode runs tests in another folder than `swift test` does.
  private static func existing(_ path: String, near file: String) throws(Diagnostics) -> String {
    if FileManager.default.fileExists(atPath: path) { return path }
    var folder = (file as NSString).deletingLastPathComponent
    while !path.hasPrefix("/"), folder.count > 1 {
      let candidate = "\(folder)/\(path)"
      if FileManager.default.fileExists(atPath: candidate) { return candidate }
      folder = (folder as NSString).deletingLastPathComponent
    }
    throw Diagnostics(
      "there is no file or folder '\(path)'",
      hint: "TrustLab searched \(FileManager.default.currentDirectoryPath) and every folder above \(file)")
  }
}
