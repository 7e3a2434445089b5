import Cryptography
import Explanation
import Foundation
import Site
import Synchronization

/// The folder that a site is written to, with a manifest of the written files.
final class SiteFolder: Sendable {
  /// The file that lists the others, each with its hash, as `sha256sum` does.
  static let manifest = "site.sha256"

  private let path: String
  private let folder: OutputFolder
  /// The hashes of the written files, by their names.
  private let written = Mutex<[String: String]>([:])

  /// Opens the folder at `path`, and creates it if necessary.
  ///
  /// - Throws: `Diagnostics` if the folder cannot be created.
  init(_ path: String) throws {
    self.path = path
    folder = try OutputFolder(path)
  }

  /// Writes a file of the site.
  func write(_ file: SiteFile) throws {
    try folder.createFolder(of: file.path)
    try folder.write(file.bytes, to: file.path, isSecret: false)
    written.withLock { $0[file.path] = Self.hash(of: file.bytes) }
  }

  /// Deletes the files of the former site that the new one lacks, and writes the manifest.
  func finish() throws {
    let files = written.withLock(\.self)
    // Some file systems ignore the case of names.
    let names = Set(files.keys.map { $0.lowercased() })
    for (name, hash) in former where !names.contains(name.lowercased()) { delete(name, hash) }
    let lines = files.sorted { $0.key < $1.key }.map { "\($0.value)  \($0.key)\n" }
    try folder.write(Array(lines.joined().utf8), to: Self.manifest, isSecret: false)
  }

  /// The files that the manifest lists; empty if there is none.
  private var former: [(name: String, hash: String)] {
    let text = try? String(contentsOfFile: "\(path)/\(Self.manifest)", encoding: .utf8)
    return (text ?? "").split(separator: "\n").compactMap { line in
      let parts = line.split(separator: " ", maxSplits: 1)
      return parts.count == 2 ? (String(parts[1].drop { $0 == " " }), String(parts[0])) : nil
    }
  }

  /// Deletes a file if it is as TrustLab wrote it, then its folders if they are empty.
  ///
  /// A manifest may come from elsewhere. No name leads out of the folder, not even through a symbolic link.
  private func delete(_ name: String, _ hash: String) {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.allSatisfy({ !$0.isEmpty && !$0.hasPrefix(".") }) else { return }
    let folders = parts.indices.dropFirst().map { "\(path)/\(parts[..<$0].joined(separator: "/"))" }
    let file = "\(path)/\(name)"
    guard folders.allSatisfy({ Self.type(of: $0) == .typeDirectory }), Self.type(of: file) == .typeRegular,
      let bytes = FileManager.default.contents(atPath: file), Self.hash(of: Array(bytes)) == hash
    else { return }
    unlink(file)
    // A folder that still has files stays.
    for folder in folders.reversed() { rmdir(folder) }
  }

  /// The type of a file. A symbolic link has a type of its own.
  private static func type(of path: String) -> FileAttributeType? {
    (try? FileManager.default.attributesOfItem(atPath: path))?[.type] as? FileAttributeType
  }

  private static func hash(of bytes: [UInt8]) -> String { Hex.string(Hash.sha256.digest(bytes)) }
}
