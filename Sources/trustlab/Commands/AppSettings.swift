import Foundation
import Scenarios
import URLLoading

/// An app's property list, read from the path that a user names.
struct AppSettings {
  let file: InfoPlistFile
  /// The description of the settings that is printed in the output.
  let caption: String

  static let none = "Without a property list, the app uses the default App Transport Security settings."
  /// The size limit of a property list.
  private static let maximumSize = 64 << 20

  /// Reads the file at `path`; `-` is standard input.
  ///
  /// - Throws: `Diagnostics` if the file cannot be read.
  init(_ path: String, settings: BuildSettings = .init()) throws {
    // In a bundle, the app's own list applies.
    let isBundle = AppBundle.isBundle(path)
    let path = isBundle ? try AppBundle.ownList(in: path) : path
    let name = path == "-" ? "<stdin>" : path
    file = try InfoPlistFile(try Self.bytes(path, isNamed: !isBundle), path: name, settings: settings)
    caption =
      switch file.origin {
      case .infoPlist: "NSAppTransportSecurity of \(name)."
      case .dictionaryItself: "\(name) is the NSAppTransportSecurity dictionary itself."
      case .absent: "\(name) has no NSAppTransportSecurity, so the app uses the default settings."
      case .notADictionary: "NSAppTransportSecurity in \(name) is not a dictionary, so the system ignores it."
      }
  }

  /// Returns the bytes of the file at `path`; `-` is standard input.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - what: The description of the expected file, for hints.
  ///   - isNamed: Whether the user named the file itself. If so, the file may be a pipe. A pipe in a folder may never
  ///     have a writer.
  /// - Throws: `Diagnostics` if the file cannot be read.
  static func bytes(
    _ path: String, _ what: String = "the app's Info.plist", isNamed: Bool = true
  ) throws -> [UInt8] {
    if path == "-" { return try bytes(of: .standardInput, "<stdin>") }
    if let bytes = try AppBundle.bytes(path) { return bytes }
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw Diagnostics("no such file: '\(path)'", hint: "pass \(what), or - for standard input")
    }
    guard !isFolder.boolValue else {
      throw Diagnostics("'\(path)' is a folder", hint: "pass the Info.plist in this folder")
    }
    guard isNamed || FileKind.isRegular(path) else { throw FileKind.refusal(of: path) }
    guard let handle = FileHandle(forReadingAtPath: path) else {
      throw Diagnostics("cannot read '\(path)'", hint: "check that you have permission to read it")
    }
    return try bytes(of: handle, path)
  }

  private static func bytes(of handle: FileHandle, _ name: String) throws -> [UInt8] {
    var bytes: [UInt8] = []
    while let data = try? handle.read(upToCount: 1 << 20), !data.isEmpty {
      bytes += data
      guard bytes.count <= maximumSize else {
        throw Diagnostics(
          "'\(name)' is larger than 64 MiB", hint: "check that it is an Info.plist, which usually has a few kilobytes")
      }
    }
    return bytes
  }
}

/// Checks the kind of a file.
enum FileKind {
  /// Returns whether the path leads to a regular file. A read from a pipe or device may block or never end.
  static func isRegular(_ path: String) -> Bool {
    let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    let attributes = try? FileManager.default.attributesOfItem(atPath: target)
    return attributes?[.type] as? FileAttributeType == .typeRegular
  }

  static func refusal(of path: String) -> Diagnostics {
    Diagnostics("'\(path)' is not a regular file", hint: "replace the pipe, device or folder with a regular file")
  }
}

extension AppSettings? {
  var configuration: AppTransportSecurity.Configuration { self?.file.configuration ?? .empty }
}

/// Finds the property lists that a path refers to.
enum PropertyListPaths {
  /// Returns the file itself, or all property lists below a folder in order. Hidden folders are skipped.
  ///
  /// - Throws: `Diagnostics` if the folder or bundle has no property list.
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
      throw Diagnostics("there is no property list in '\(name)'", hint: "pass the app's Info.plist")
    }
    return paths.sorted()
  }
}
