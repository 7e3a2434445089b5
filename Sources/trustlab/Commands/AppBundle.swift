import Foundation
import Scenarios

/// Whose property lists count in what a user names, a folder or an archive: those of an app, its extensions and its XPC
/// services.
///
/// Each is a process of its own, and Bundle.main is its own bundle: what an app's list says holds for none of the others.
/// That App Transport Security asks a service's list is likely: documentation names apps and extensions, and Sparkle's
/// service that downloads has an NSAppTransportSecurity of its own.
///
/// What is in an archive has a path that goes on behind the archive's: `My.ipa/Payload/My.app/Info.plist`.
enum AppBundle {
  private static let kinds = ["app", "appex", "framework", "xpc"]
  /// Where an app has others in it.
  private static let places = ["PlugIns", "Extensions", "Watch", "AppClips", "Contents/PlugIns", "Contents/Extensions"]

  /// Whether `path` names a bundle or an archive with one.
  static func isBundle(_ path: String) -> Bool {
    let kind = (trimmed(path) as NSString).pathExtension.lowercased()
    return kind == "ipa" || kinds.contains(kind)
  }

  /// The property lists of a bundle, its own first.
  ///
  /// - Throws: `Diagnostics` where it has none.
  static func lists(in path: String) throws -> [String] {
    let path = trimmed(path)
    var seen: Set<String> = []
    let lists =
      try isArchive(path)
      ? archived(path)
      : inFolder(path, of: path, &seen) + services(in: path).flatMap { try inFolder($0, of: path, &seen) }
    guard !lists.isEmpty else {
      throw Diagnostics(
        "there is no Info.plist in '\(path)'", hint: "is it a built app, or an .ipa with a folder Payload?")
    }
    return lists
  }

  /// The bytes of a list in an archive; nil for any other path.
  static func bytes(_ path: String) throws -> [UInt8]? {
    guard let range = path.range(of: ".ipa/", options: .caseInsensitive) else { return nil }
    let archive = String(path[..<range.upperBound].dropLast())
    guard FileManager.default.fileExists(atPath: archive) else { return nil }
    let name = plain(String(path[range.upperBound...]))
    return try entries(of: archive) { $0 == name }.first?.bytes
  }

  /// The list of the app itself, where a bundle or an archive is of one app.
  ///
  /// - Throws: `Diagnostics` where it is of none or of several, which are named.
  static func ownList(in path: String) throws -> String {
    let lists = try lists(in: path)
    let top = lists.first.map(depth)
    let apps = isArchive(trimmed(path)) ? lists.filter { depth($0) == top } : Array(lists.prefix(1))
    guard let app = apps.first, apps.count == 1 else {
      let shown = apps.prefix(3).map { "'\($0)'" }.joined(separator: ", ")
      throw Diagnostics(
        "there are \(apps.count) apps in '\(path)'",
        hint: "name the list of one of them: \(shown)\(apps.count > 3 ? ", …" : "")")
    }
    return app
  }

  /// The lists of the bundles in an app: extensions, watch apps and XPC services; none for a path to anything else.
  ///
  /// - Throws: `Diagnostics` where `ownList` does.
  static func nestedLists(in path: String) throws -> [String] {
    guard isBundle(path) else { return [] }
    let own = try ownList(in: path)
    return try lists(in: path).filter { $0 != own }
  }

  /// The same by their paths in the app, `PlugIns/Widget.appex/Info.plist`, so that two builds can be compared.
  static func nestedListsByPlace(in path: String) throws -> [(place: String, path: String)] {
    guard isBundle(path) else { return [] }
    let folder = (try ownList(in: path) as NSString).deletingLastPathComponent + "/"
    return try nestedLists(in: path).map { list in
      (list.hasPrefix(folder) ? String(list.dropFirst(folder.count)) : list, list)
    }
  }

  private static func depth(_ path: String) -> Int { path.split(separator: "/").count }

  private static func isArchive(_ path: String) -> Bool { path.lowercased().hasSuffix(".ipa") }

  /// The files of an archive by their plain names, those that are wanted.
  ///
  /// - Throws: `Diagnostics` where one is there twice: what is installed is the one that is unpacked last, and who looks at
  ///   the other one is deceived.
  private static func entries(
    of archive: String, _ isWanted: (String) -> Bool
  ) throws -> [(name: String, bytes: [UInt8])] {
    guard FileKind.isRegular(archive) else { throw FileKind.refusal(of: archive) }
    let files = try Archive(archive).files { isWanted(plain($0)) }.map { (name: plain($0.name), bytes: $0.bytes) }
    var seen: Set<String> = []
    if let twice = files.first(where: { !seen.insert($0.name).inserted }) {
      throw Diagnostics(
        "'\(archive)' has '\(twice.name)' more than once",
        hint: "which of them counts goes by who unpacks it: pack the app anew, each file once")
    }
    return files
  }

  /// A name in an archive as it is unpacked: `Payload/My.app/Info.plist` of `./Payload//My.app/Info.plist`.
  private static func plain(_ name: String) -> String {
    name.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
  }

  private static func archived(_ path: String) throws -> [String] {
    guard FileManager.default.fileExists(atPath: path) else {
      throw Diagnostics("there is no file '\(path)'", hint: "give an .ipa, an .app or an Info.plist")
    }
    let names = try entries(of: path, isList).map(\.name)
    return names.sorted { ($0.split(separator: "/").count, $0) < ($1.split(separator: "/").count, $1) }.map {
      "\(path)/\($0)"
    }
  }

  /// `Payload/My.app/Info.plist`, and the same of an extension or a service in it; a framework may have services too.
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

  /// The list of the bundle at `path` and of those in it; links that lead out of `root`, or back to what was `seen`, are
  /// not followed.
  ///
  /// - Throws: `Diagnostics` where a bundle's own list is such a link: to go by the others alone would be to pass it.
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
    // An extension that nobody looked at would pass unseen.
    if let link = inner.first(where: { !isInside($0) }) { throw refusal(ofLink: link, outOf: root) }
    var lists = [own].compactMap(\.self)
    for bundle in inner { lists += try inFolder(bundle, of: root, &seen) }
    return lists
  }

  /// Why a link is not followed that leads out of a bundle, or of another folder.
  static func refusal(ofLink link: String, outOf root: String) -> Diagnostics {
    Diagnostics(
      "'\(link)' leads by a link out of '\(root)'",
      hint: isBundle(root)
        ? "links out of a bundle are not followed: name the list itself, or lint the app as it is built"
        : "links out of a folder are not followed: name the file itself")
  }

  /// The XPC services in the bundle at `path`, wherever they lie: in Contents/XPCServices of an app, or in a framework.
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

  /// Where a bundle has its own list: an app of iOS, one of macOS, a framework.
  private static func ownLists(of path: String) -> [String] {
    ["Info.plist", "Contents/Info.plist", "Resources/Info.plist"].map { "\(path)/\($0)" }
  }

  /// Whether a file lies below a folder, whatever links lead to it.
  static func isInsideBundle(_ file: String, _ root: String) -> Bool {
    let top = URL(fileURLWithPath: root).resolvingSymlinksInPath().path
    let resolved = URL(fileURLWithPath: file).resolvingSymlinksInPath().path
    return resolved == top || resolved.hasPrefix(top + "/")
  }

  /// The list of the bundle at `path` that is there as a link to somewhere outside of `root`.
  private static func linkOut(of path: String, _ root: String) -> String? {
    ownLists(of: path).first { list in
      (try? FileManager.default.destinationOfSymbolicLink(atPath: list)) != nil && !isInsideBundle(list, root)
    }
  }

  private static func trimmed(_ path: String) -> String { path.hasSuffix("/") ? String(path.dropLast()) : path }
}
