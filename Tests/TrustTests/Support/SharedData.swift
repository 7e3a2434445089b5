import Foundation

/// Data that is not part of the repository: `$TRUSTLAB_VECTORS`, or `../shared/data` beside the package.
enum SharedData {
  static let missing = "the shared data is not there; set TRUSTLAB_VECTORS"

  private static let folder: URL = {
    if let path = ProcessInfo.processInfo.environment["TRUSTLAB_VECTORS"] { return URL(fileURLWithPath: path) }
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    return tests.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("shared/data")
  }()

  static func exists(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: folder.appendingPathComponent(name).path)
  }

  static func decode<Content: Decodable>(_ name: String) throws -> Content {
    try JSONDecoder().decode(Content.self, from: Data(contentsOf: folder.appendingPathComponent(name)))
  }
}
