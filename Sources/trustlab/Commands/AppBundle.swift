import Foundation
import Scenarios

/// Finds the property lists of an app, its extensions and its XPC services in a folder or an archive.
///
/// Each bundle runs in its own process with its own `Bundle.main`, so the app's property list does not apply to the
/// other bundles. App Transport Security probably also reads the property list of a service. The documentation mentions
/// apps and extensions, and Sparkle's download service has its own `NSAppTransportSecurity`.
///
/// The path of a file in an archive begins with the path of the archive: `My.ipa/Payload/My.app/Info.plist`.
enum AppBundle {
  private static let kinds = ["app", "appex", "framework", "xpc"]
  /// The folders in an app that contain nested bundles.
  private static let places = ["PlugIns", "Extensions", "Watch", "AppClips", "Contents/PlugIns", "Contents/Extensions"]

  /// Returns whether `path` is a bundle, or an archive that contains a bundle.
  static func isBundle(_ path: String) -> Bool {
    let kind = (trimmed(path) as NSString).pathExtension.lowercased()
    return kind == "ipa" || kinds.contains(kind)
  }

  /// Returns the paths of a bundle's property lists, its own first.
  ///
  /// - Throws: `Diagnostics` if the bundle has no property list.
  static func lists(in path: String) throws -> [String] {
    let path = trimmed(path)
    var seen: Set<String> = []
    let lists =
      try isArchive(path)
      ? archived(path)
      : inFolder(path, of: path, &seen) + services(in: path).flatMap { try inFolder($0, of: path, &seen) }
    guard !lists.isEmpty else {
      throw Diagnostics(
        "'\(path)' contains no Info.plist", hint: "pass a built app, or an .ipa that contains a Payload folder")
    }
    return lists
  }

  /// Returns the bytes of a property list in an archive; nil for any other path.
  static func bytes(_ path: String) throws -> [UInt8]? {
    guard let range = path.range(of: ".ipa/", options: .caseInsensitive) else { return nil }
    let archive = String(path[..<range.upperBound].dropLast())
    guard FileManager.default.fileExists(atPath: archive) else { return nil }
    let name = plain(String(path[range.upperBound...]))
    return try entries(of: archive) { $0 == name }.first?.bytes
  }

  /// Returns the path of the app's own property list in a bundle or an archive.
  ///
  /// - Throws: `Diagnostics` if there is not exactly one app. If there are several apps, the error names them.
  static func ownList(in path: String) throws -> String {
    let lists = try lists(in: path)
    let top = lists.first.map(depth)
    let apps = isArchive(trimmed(path)) ? lists.filter { depth($0) == top } : Array(lists.prefix(1))
    guard let app = apps.first, apps.count == 1 else {
      let shown = apps.prefix(3).map { "'\($0)'" }.joined(separator: ", ")
      throw Diagnostics(
        "'\(path)' contains \(apps.count) apps",
        hint: "pass the property list of one of these apps: \(shown)\(apps.count > 3 ? ", …" : "")")
    }
    return app
  }

  /// Returns the property lists of an app's extensions, watch apps and XPC services; empty for any other path.
  ///
  /// - Throws: The errors of `ownList(in:)`.
  static func nestedLists(in path: String) throws -> [String] {
    guard isBundle(path) else { return [] }
    let own = try ownList(in: path)
    return try lists(in: path).filter { $0 != own }
  }

  /// Returns the nested property lists with their paths in the app, to compare two builds:
  /// `PlugIns/Widget.appex/Info.plist`.
  static func nestedListsByPlace(in path: String) throws -> [(place: String, path: String)] {
    guard isBundle(path) else { return [] }
    let folder = (try ownList(in: path) as NSString).deletingLastPathComponent + "/"
    return try nestedLists(in: path).map { list in
      (list.hasPrefix(folder) ? String(list.dropFirst(folder.count)) : list, list)
    }
  }

  private static func depth(_ path: String) -> Int { path.split(separator: "/").count }

  private static func isArchive(_ path: String) -> Bool { path.lowercased().hasSuffix(".ipa") }

  /// Returns the wanted files of an archive, by normalized name.
  ///
  /// - Throws: `Diagnostics` if the archive contains a file twice. The second copy is installed, so checking the first
  ///   copy would be misleading.
  private static func entries(
    of archive: String, _ isWanted: (String) -> Bool
  ) throws -> [(name: String, bytes: [UInt8])] {
    guard FileKind.isRegular(archive) else { throw FileKind.refusal(of: archive) }
    let files = try Archive(archive).files { isWanted(plain($0)) }.map { (name: plain($0.name), bytes: $0.bytes) }
    var seen: Set<String> = []
    if let twice = files.first(where: { !seen.insert($0.name).inserted }) {
      throw Diagnostics(
        "'\(archive)' contains '\(twice.name)' more than once",
        hint: "repack the app without duplicates: unpacking tools do not agree on which copy to use")
    }
    return files
  }

  /// Normalizes a name in the way that unpacking does: `./Payload//My.app/Info.plist` is `Payload/My.app/Info.plist`.
  private static func plain(_ name: String) -> String {
    name.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
  }

  private static func archived(_ path: String) throws -> [String] {
    guard FileManager.default.fileExists(atPath: path) else {
      throw Diagnostics("no such file: '\(path)'", hint: "pass the path of an .ipa, an .app or an Info.plist")
    }
    let names = try entries(of: path, isList).map(\.name)
    return names.sorted { ($0.split(separator: "/").count, $0) < ($1.split(separator: "/").count, $1) }.map {
      "\(path)/\($0)"
    }
  }

  /// Returns whether the name is the property list of an app, extension or service below `Payload`. A framework can
  /// also contain services.
  private static func isList(_ name: String) -> Bool {
    let parts = name.split(separator: "/").map(String.init)
    guard parts.count >= 3, parts.first == "Payload", parts.last == "Info.plist", !parts.contains("..") else {
      return false
    }
    let folders = parts.dropLast()
    let kinds = folders.map { ($0 as NSString).pathExtension }
    if kinds.contains("bundle") { return false }
    let isService = kinds.dropLast(folders.last == "Contents" ? 1 : 0).last == "xpc"
    return isService || (kinds.last == "app" || kinds.last == "appex") && !kinds.contains("framework")
  }

  /// Returns the property lists of the bundle at `path` and of its nested bundles. Links out of `root` or to a folder
  /// in `seen` are not followed.
  ///
  /// - Throws: `Diagnostics` if the bundle's own list is such a link, because checking only the nested lists would pass
  ///   an unchecked app.
  private static func inFolder(
    _ path: String, of root: String, _ seen: inout Set<String>
  ) throws(Diagnostics) -> [String] {
    let files = FileManager.default
    guard seen.insert(URL(fileURLWithPath: path).resolvingSymlinksInPath().path).inserted else { return [] }
    func isInside(_ file: String) -> Bool { isInsideBundle(file, root) }
    let own = ownLists(of: path).first { files.fileExists(atPath: $0) && isInside($0) }
    if own == nil, let link = linkOut(of: path, root) { throw refusal(ofLink: link, outOf: root) }
    let inner = places.flatMap { place -> [String] in
      let names = (try? files.contentsOfDirectory(atPath: "\(path)/\(place)")) ?? []
      return names.sorted().map { "\(path)/\(place)/\($0)" }.filter(isBundle)
    }
    // An app extension that cannot be checked must not pass.
    if let link = inner.first(where: { !isInside($0) }) { throw refusal(ofLink: link, outOf: root) }
    var lists = [own].compactMap(\.self)
    for bundle in inner { lists += try inFolder(bundle, of: root, &seen) }
    return lists
  }

  /// Returns the error for a link that leads out of a bundle or folder.
  static func refusal(ofLink link: String, outOf root: String) -> Diagnostics {
    Diagnostics(
      "'\(link)' is a link that leads outside '\(root)'",
      hint: isBundle(root)
        ? "pass the property list itself, or lint the built app"
        : "pass the file that the link refers to")
  }

  /// Returns the XPC services in the bundle at `path`, in `Contents/XPCServices` of an app or in a framework.
  private static func services(in path: String) -> [String] {
    let names = FileManager.default.enumerator(atPath: path)
    var services: [String] = []
    while let name = names?.nextObject() as? String {
      guard (name as NSString).pathExtension.lowercased() == "xpc" else { continue }
      names?.skipDescendants()
      services.append("\(path)/\(name)")
    }
    return services.sorted().filter { isInsideBundle($0, path) }
  }

  /// Returns the possible places of a bundle's own property list: in an iOS app, a macOS app and a framework.
  private static func ownLists(of path: String) -> [String] {
    ["Info.plist", "Contents/Info.plist", "Resources/Info.plist"].map { "\(path)/\($0)" }
  }

  /// Returns whether a file is below a folder after links are resolved.
  static func isInsideBundle(_ file: String, _ root: String) -> Bool {
    let top = URL(fileURLWithPath: root).resolvingSymlinksInPath().path
    let resolved = URL(fileURLWithPath: file).resolvingSymlinksInPath().path
    return resolved == top || resolved.hasPrefix(top + "/")
  }

  /// Returns the bundle's own property list if it is a link to a place outside `root`.
  private static func linkOut(of path: String, _ root: String) -> String? {
    ownLists(of: path).first { list in
      (try? FileManager.default.destinationOfSymbolicLink(atPath: list)) != nil && !isInsideBundle(list, root)
    }
  }

  private static func trimmed(_ path: String) -> String { path.hasSuffix("/") ? String(path.dropLast()) : path }
}
