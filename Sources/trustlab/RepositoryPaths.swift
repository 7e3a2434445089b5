import Foundation

/// Paths as services around a build want them in a report: from the folder of the repository in which a command is run,
/// or in which the file lies, or where there is none from the working directory. GitLab and GitHub find no file by another
/// path.
struct RepositoryPaths: Sendable {
  private let here: String
  private let root: String
  /// Whether the root is that of a repository.
  private let isRepository: Bool

  /// Paths for a command that is run in `folder`.
  init(in folder: String = FileManager.default.currentDirectoryPath) {
    here = folder
    let repository = Self.repository(above: folder)
    (root, isRepository) = (repository ?? folder, repository != nil)
  }

  /// The folder with `.git`, which a work tree has as a file.
  private static func repository(above folder: String) -> String? {
    var url = URL(fileURLWithPath: folder).standardizedFileURL
    while url.path != "/" {
      if FileManager.default.fileExists(atPath: url.appendingPathComponent(".git").path) { return url.path }
      url.deleteLastPathComponent()
    }
    return nil
  }

  /// The path by which a file is known again, however the user has called it: as in a report.
  func known(_ path: String) -> String {
    if path == "-" || path == Workbench.standardInput { return Workbench.standardInput }
    let url = URL(fileURLWithPath: path, relativeTo: URL(fileURLWithPath: here, isDirectory: true)).absoluteURL
    if url.standardizedFileURL.path == root { return "" }
    return Self.plain(named(path))
  }

  /// The path of a file that stands in a list: from the repository's folder already, unless it is absolute.
  func listed(_ path: String) -> String { path.hasPrefix("/") ? known(path) : Self.plain(path) }

  /// Whether a file of a list is there.
  func hasFile(_ listed: String) -> Bool {
    FileManager.default.fileExists(atPath: listed.hasPrefix("/") ? listed : "\(root)/\(listed)")
  }

  /// The path without `.` and `..` that can go.
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

  /// The path of a file that the user has called so; what lies elsewhere, and standard input, keeps its name.
  @Sendable func named(_ path: String) -> String {
    if path == Workbench.standardInput { return path }
    let url = URL(fileURLWithPath: path, relativeTo: URL(fileURLWithPath: here, isDirectory: true)).absoluteURL
    if isRepository, let inside = Self.path(of: url, from: root) { return inside }
    let other = Self.repository(above: url.standardizedFileURL.deletingLastPathComponent().path)
    return other.flatMap { Self.path(of: url, from: $0) } ?? Self.path(of: url, from: root) ?? path
  }

  /// The way to a file from the folder that it lies in; nil where it lies elsewhere.
  private static func path(of url: URL, from root: String) -> String? {
    if root == "/" { return nil }
    // A folder may be reached by a link.
    let roots = [root, URL(fileURLWithPath: root).resolvingSymlinksInPath().path]
    let paths = [url.standardizedFileURL.path, url.resolvingSymlinksInPath().path]
    for (path, root) in zip(paths, roots) where path.hasPrefix(root + "/") {
      return String(path.dropFirst(root.count + 1))
    }
    return nil
  }
}
