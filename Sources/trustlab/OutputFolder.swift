import Foundation

/// A folder that a command writes files to.
struct OutputFolder {
  private let path: String

  /// The folder at `path`, made with all above it when it is missing.
  ///
  /// - Throws: `Complaint` when there is something else, or it cannot be made.
  init(_ path: String) throws {
    self.path = path
    var isFolder: ObjCBool = false
    if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) {
      guard isFolder.boolValue else {
        throw Complaint(message: "'\(path)' is a file, not a folder", hint: "name a folder, new or old")
      }
      return
    }
    do {
      guard !path.isEmpty else { throw CocoaError(.fileNoSuchFile) }
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    } catch {
      throw Complaint(message: "cannot make the folder '\(path)'", hint: "may you write above it?")
    }
  }

  /// Writes a file beside its place and moves it there, so that nobody reads half of it, what it replaces stays whole
  /// until then, and a secret is never readable by others.
  ///
  /// - Throws: `Complaint` when it cannot be written.
  func write(_ bytes: [UInt8], to name: String, isSecret: Bool) throws {
    let place = "\(path)/\(name)"
    let unfinished = "\(place).\(ProcessInfo.processInfo.processIdentifier)"
    unlink(unfinished)
    let descriptor = open(unfinished, O_WRONLY | O_CREAT | O_EXCL, isSecret ? 0o600 : 0o644)
    guard descriptor >= 0 else {
      throw Complaint(message: "cannot write '\(place)'", hint: "may you write to that folder?")
    }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    do {
      try handle.write(contentsOf: Data(bytes))
      try handle.close()
      guard rename(unfinished, place) == 0 else { throw CocoaError(.fileWriteUnknown) }
    } catch {
      unlink(unfinished)
      throw Complaint(message: "cannot write '\(place)'", hint: "is there a folder of that name, or no room left?")
    }
  }
}
