import Foundation

/// Paths for reports, relative to the repository of the current folder, the file's repository, or the current folder.
///
/// The first that exists is used. GitLab and GitHub only find a file by its path in the repository.
struct RepositoryPaths: Sendable {
  private let here: String
  private let root: String
  /// Whether the root belongs to a repository.
  private let isRepository: Bool

  /// Creates the paths for a command that runs in `folder`.
  init(in folder: String = FileManager.default.currentDirectoryPath) {
    here = folder
    let repository = Self.repository(above: folder)
    (root, isRepository) = (repository ?? folder, repository != nil)
  }

  /// Returns the nearest folder with `.git`, which is a file in a work tree and otherwise a folder.
  private static func repository(above folder: String) -> String? {
    var url = URL(fileURLWithPath: folder).standardizedFileURL
    while url.path != "/" {
      if FileManager.default.fileExists(atPath: url.appendingPathComponent(".git").path) { return url.path }
      url.deleteLastPathComponent()
    }
    return nil
  }

  /// Returns the path that identifies a file in a report, however the user wrote the path.
  func known(_ path: String) -> String {
    if path == "-" || path == Workbench.standardInput { return Workbench.standardInput }
    let url = URL(fileURLWithPath: path, relativeTo: URL(fileURLWithPath: here, isDirectory: true)).absoluteURL
    if url.standardizedFileURL.path == root { return "" }
    return Self.plain(named(path))
  }

  /// Returns the path of a file from a list. Unless it is absolute, it is already relative to the repository.
  func listed(_ path: String) -> String { path.hasPrefix("/") ? known(path) : Self.plain(path) }

  /// Returns whether a file from a list exists.
  func hasFile(_ listed: String) -> Bool {
    FileManager.default.fileExists(atPath: listed.hasPrefix("/") ? listed : "\(root)/\(listed)")
  }

  /// Returns the path without `.` and without every `..` that can be resolved.
  private static func plain(_ path: String) -> String {
    let parts = path.split(separator: "/").reduce(into: [Substring]()) { parts, part in
      if part == "..", let last = parts.last, last != ".." {
        parts.removeLast()
      } else if part != "." {
        parts.append(part)
      }
    }
    return (path.hasPrefix("/") ? "/" : "") + parts.joined(separator: "/")
  }

  /// Returns the path that a report contains for a file that the user named. A file outside the root keeps its name, as
  /// does standard input.
  @Sendable func named(_ path: String) -> String {
    if path == Workbench.standardInput { return path }
    let url = URL(fileURLWithPath: path, relativeTo: URL(fileURLWithPath: here, isDirectory: true)).absoluteURL
    if isRepository, let inside = Self.path(of: url, from: root) { return inside }
    let other = Self.repository(above: url.standardizedFileURL.deletingLastPathComponent().path)
    return other.flatMap { Self.path(of: url, from: $0) } ?? Self.path(of: url, from: root) ?? path
  }

  /// Returns the path of a file relative to `root`; nil if the file is not below `root`.
  private static func path(of url: URL, from root: String) -> String? {
    if root == "/" { return nil }
    // The folder may be reached through a symbolic link.
    let roots = [root, URL(fileURLWithPath: root).resolvingSymlinksInPath().path]
    let paths = [url.standardizedFileURL.path, url.resolvingSymlinksInPath().path]
    for (path, root) in zip(paths, roots) where path.hasPrefix(root + "/") {
      return String(path.dropFirst(root.count + 1))
    }
    return nil
  }
}
