import Foundation
import Scenarios
import URLLoading

/// An app's property list as a user names it.
struct AppSettings {
  let file: InfoPlistFile
  /// What was taken for the app's settings, in words.
  let caption: String

  static let none = "No plist: the app changes nothing of App Transport Security."
  /// The largest property list that is read.
  private static let maximumSize = 64 << 20

  /// Reads the file at `path`; `-` is standard input.
  ///
  /// - Throws: `Diagnostics` or `Diagnostics` when it cannot be read.
  init(_ path: String, settings: BuildSettings = .init()) throws {
    // Of a bundle the app's own list counts.
    let isBundle = AppBundle.isBundle(path)
    let path = isBundle ? try AppBundle.ownList(in: path) : path
    let name = path == "-" ? "<stdin>" : path
    file = try InfoPlistFile(try Self.bytes(path, isNamed: !isBundle), path: name, settings: settings)
    caption =
      switch file.origin {
      case .infoPlist: "NSAppTransportSecurity of \(name)."
      case .dictionaryItself: "\(name), taken as the NSAppTransportSecurity dictionary itself."
      case .absent: "\(name) has no NSAppTransportSecurity: the app changes nothing."
      case .notADictionary: "NSAppTransportSecurity of \(name) is no dictionary: as if it were not there."
      }
  }

  /// The bytes of the file at `path`; `-` is standard input.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - what: what it should be.
  ///   - isNamed: whether the user named the file itself, which may then be a pipe; what lies in a folder may not, for
  ///     nobody might ever write into it.
  /// - Throws: `Diagnostics` when it cannot be read.
  static func bytes(
    _ path: String, _ what: String = "the app's Info.plist", isNamed: Bool = true
  ) throws -> [UInt8] {
    if path == "-" { return try bytes(of: .standardInput, "<stdin>") }
    if let bytes = try AppBundle.bytes(path) { return bytes }
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw Diagnostics("there is no file '\(path)'", hint: "give \(what); - is standard input")
    }
    guard !isFolder.boolValue else {
      throw Diagnostics("'\(path)' is a folder", hint: "give the Info.plist in it")
    }
    guard isNamed || FileKind.isRegular(path) else { throw FileKind.refusal(of: path) }
    guard let handle = FileHandle(forReadingAtPath: path) else {
      throw Diagnostics("cannot read '\(path)'", hint: "may you read it?")
    }
    return try bytes(of: handle, path)
  }

  private static func bytes(of handle: FileHandle, _ name: String) throws -> [UInt8] {
    var bytes: [UInt8] = []
    while let data = try? handle.read(upToCount: 1 << 20), !data.isEmpty {
      bytes += data
      guard bytes.count <= maximumSize else {
        throw Diagnostics("'\(name)' is larger than 64 MiB", hint: "an Info.plist has a few kilobytes")
      }
    }
    return bytes
  }
}

/// What a path leads to.
enum FileKind {
  /// Whether it is a file, through links: no pipe and no device, from which bytes may come for ever, or never.
  static func isRegular(_ path: String) -> Bool {
    let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    let attributes = try? FileManager.default.attributesOfItem(atPath: target)
    return attributes?[.type] as? FileAttributeType == .typeRegular
  }

  static func refusal(of path: String) -> Diagnostics {
    Diagnostics("'\(path)' is no file, but a pipe, a device or a folder", hint: "put the file itself there")
  }
}

extension AppSettings? {
  var configuration: AppTransportSecurity.Configuration { self?.file.configuration ?? .empty }
}

/// The property lists that a user's words stand for.
enum PropertyListPaths {
  /// The file itself, or all property lists below a folder, in order; hidden folders are passed over.
  ///
  /// - Throws: `Diagnostics` when there is nothing of the kind.
  static func paths(for name: String) throws -> [String] {
    if AppBundle.isBundle(name) { return try AppBundle.lists(in: name) }
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
      throw Diagnostics("there is no property list in '\(name)'", hint: "give the app's Info.plist")
    }
    return paths.sorted()
  }
}
