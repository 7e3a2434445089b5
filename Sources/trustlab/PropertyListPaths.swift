import Foundation

/// The property lists that a user's words stand for.
enum PropertyListPaths {
  /// The file itself, or all property lists below a folder, in order; hidden folders are passed over.
  ///
  /// - Throws: `Complaint` when there is nothing of the kind.
  static func paths(for name: String) throws -> [String] {
    var isFolder: ObjCBool = false
    guard name != "-", FileManager.default.fileExists(atPath: name, isDirectory: &isFolder), isFolder.boolValue else {
      return [name]
    }
    let folder = name.hasSuffix("/") ? String(name.dropLast()) : name
    let names = FileManager.default.enumerator(
      at: URL(fileURLWithPath: name), includingPropertiesForKeys: nil, options: [.skipsHiddenFiles])
    let root = URL(fileURLWithPath: name).standardizedFileURL.path
    var paths: [String] = []
    while let url = names?.nextObject() as? URL {
      let path = url.standardizedFileURL.path
      guard path.hasSuffix(".plist"), path.hasPrefix(root) else { continue }
      paths.append(folder + path.dropFirst(root.count))
    }
    guard !paths.isEmpty else {
      throw Complaint(message: "there is no property list in '\(name)'", hint: "give the app's Info.plist")
    }
    return paths.sorted()
  }
}
