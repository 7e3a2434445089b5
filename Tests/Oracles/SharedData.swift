import Foundation

/// Data that is not part of the repository: `$TRUSTLAB_VECTORS`, or `../shared/data` next to the package.
public enum SharedData {
  /// Its folder, which may not exist.
  public static let folder: URL = {
    if let path = ProcessInfo.processInfo.environment["TRUSTLAB_VECTORS"] { return URL(fileURLWithPath: path) }
    let root = (0..<3).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
    return root.deletingLastPathComponent().appendingPathComponent("shared/data")
  }()

  /// The path of a file in it.
  public static func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  /// Whether a file or folder is in it.
  public static func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }

  /// The bytes of a file in it.
  public static func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: folder.appendingPathComponent(name)))
  }

  /// The decoded content of a JSON file in it.
  public static func decode<Content: Decodable>(_ name: String) throws -> Content {
    try JSONDecoder().decode(Content.self, from: Data(contentsOf: folder.appendingPathComponent(name)))
  }

  /// The Info.plist files of shipped apps, by name.
  public static let plists = names(in: "plists").filter { $0.hasSuffix(".plist") }

  /// The sorted names of the files in one of its folders; empty if that does not exist.
  public static func names(in name: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path(name))) ?? []).sorted()
  }
}
