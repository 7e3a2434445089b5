import Foundation

/// Paths for reports, relative to the repository of the working directory, else the file's repository, else the working
/// directory.
///
/// GitLab and GitHub find a file only by its path in the repository.
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

  /// The nearest folder with `.git`, which is a file in a work tree and a folder elsewhere.
  private static func repository(above folder: String) -> String? {
    var url = URL(fileURLWithPath: folder).standardizedFileURL
    while url.path != "/" {
      if FileManager.default.fileExists(atPath: url.appendingPathComponent(".git").path) { return url.path }
      url.deleteLastPathComponent()
    }
    return nil
  }

  /// The path that identifies a file in a report, however the user wrote it.
  func known(_ path: String) -> String {
    if path == "-" || path == Workbench.standardInput { return Workbench.standardInput }
    let url = URL(fileURLWithPath: path, relativeTo: URL(fileURLWithPath: here, isDirectory: true)).absoluteURL
    if url.standardizedFileURL.path == root { return "" }
    return Self.plain(named(path))
  }

  /// The path of a file from a list. Unless absolute, it is already relative to the repository.
  func listed(_ path: String) -> String { path.hasPrefix("/") ? known(path) : Self.plain(path) }

  /// Whether a file from a list exists.
  func hasFile(_ listed: String) -> Bool {
    FileManager.default.fileExists(atPath: listed.hasPrefix("/") ? listed : "\(root)/\(listed)")
  }

  /// The path without `.` and without every `..` that can be resolved.
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

  /// The path in a report of a file that the user named. A file outside the root keeps its name, as does standard
  /// input.
  @Sendable func named(_ path: String) -> String {
    if path == Workbench.standardInput { return path }
    let url = URL(fileURLWithPath: path, relativeTo: URL(fileURLWithPath: here, isDirectory: true)).absoluteURL
    if isRepository, let inside = Self.path(of: url, from: root) { return inside }
    let other = Self.repository(above: url.standardizedFileURL.deletingLastPathComponent().path)
    return other.flatMap { Self.path(of: url, from: $0) } ?? Self.path(of: url, from: root) ?? path
  }

  /// The path of a file relative to `root`; nil if the file is not below it.
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
