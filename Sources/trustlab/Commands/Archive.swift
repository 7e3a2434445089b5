import Foundation
import Scenarios

/// Reads files of a zip archive with libarchive (BSD), which is loaded at run time, as libedit is.
///
/// An archive is untrusted input: its names, counts and sizes are limited, and nothing is extracted to disk.
struct Archive {
  private typealias Handle = OpaquePointer
  private typealias New = @convention(c) () -> Handle?
  private typealias Step = @convention(c) (Handle) -> CInt
  private typealias Open = @convention(c) (Handle, UnsafePointer<CChar>, Int) -> CInt
  private typealias Next = @convention(c) (Handle, UnsafeMutablePointer<Handle?>) -> CInt
  private typealias Name = @convention(c) (Handle) -> UnsafePointer<CChar>?
  private typealias Kind = @convention(c) (Handle) -> mode_t
  private typealias Read = @convention(c) (Handle, UnsafeMutableRawPointer, Int) -> Int

  /// The maximum number of entries. An archive with more entries is probably a zip bomb.
  private static let mostEntries = 200_000
  private static let mostBytes = 16 << 20
  /// The limit for the total size of all files.
  private static let mostOfAll = 64 << 20

  private let path: String
  private let new: New
  private let support: [Step]
  private let open: Open
  private let next: Next
  private let name: Name
  private let kind: Kind
  private let read: Read
  private let free: Step

  /// Creates a reader for the archive at `path`.
  ///
  /// - Throws: `Diagnostics` if libarchive is not installed.
  init(_ path: String) throws {
    let names = ["libarchive.so.13", "libarchive.so", "libarchive.13.dylib", "/usr/lib/libarchive.2.dylib"]
    guard let library = names.lazy.compactMap({ dlopen($0, RTLD_NOW) }).first,
      let new = dlsym(library, "archive_read_new"), let zip = dlsym(library, "archive_read_support_format_zip"),
      let open = dlsym(library, "archive_read_open_filename"), let next = dlsym(library, "archive_read_next_header"),
      let name = dlsym(library, "archive_entry_pathname"), let kind = dlsym(library, "archive_entry_filetype"),
      let read = dlsym(library, "archive_read_data"),
      let free = dlsym(library, "archive_read_free")
    else {
      throw Diagnostics(
        "cannot open the archive '\(path)' without libarchive",
        hint: "install libarchive13 (Debian) or libarchive (Homebrew), or unzip the archive and pass its Payload folder"
      )
    }
    self.path = path
    self.new = unsafeBitCast(new, to: New.self)
    support = [unsafeBitCast(zip, to: Step.self)]
    self.open = unsafeBitCast(open, to: Open.self)
    self.next = unsafeBitCast(next, to: Next.self)
    self.name = unsafeBitCast(name, to: Name.self)
    self.kind = unsafeBitCast(kind, to: Kind.self)
    self.read = unsafeBitCast(read, to: Read.self)
    self.free = unsafeBitCast(free, to: Step.self)
  }

  /// Returns the wanted files, in the order of the archive.
  ///
  /// - Throws: `Diagnostics` if the file is not a zip archive, or if it is larger than any app.
  func files(_ isWanted: (String) -> Bool) throws -> [(name: String, bytes: [UInt8])] {
    try Self.withUnicodeNames { try allFiles(isWanted) }
  }

  /// Runs `body` in a UTF-8 locale. libarchive converts UTF-8 names to the locale's characters, and the default locale
  /// is ASCII.
  private static func withUnicodeNames<Result>(_ body: () throws -> Result) rethrows -> Result {
    let locales = ["C.UTF-8", "en_US.UTF-8"]
    guard let unicode = locales.lazy.compactMap({ newlocale(LC_CTYPE_MASK, $0, nil) }).first else { return try body() }
    let before = uselocale(unicode)
    defer {
      _ = uselocale(before)
      freelocale(unicode)
    }
    return try body()
  }

  private func allFiles(_ isWanted: (String) -> Bool) throws -> [(name: String, bytes: [UInt8])] {
    guard let handle = new() else { throw unreadable }
    defer { _ = free(handle) }
    for step in support { _ = step(handle) }
    guard open(handle, path, 1 << 16) == 0 else { throw unreadable }
    var files: [(name: String, bytes: [UInt8])] = []
    var entry: Handle?
    var (count, total) = (0, 0)
    while true {
      let status = next(handle, &entry)
      // The status 1 means the end, and -20 is a warning.
      if status == 1 { return files }
      guard status == 0 || status == -20, let entry else { throw unreadable }
      count += 1
      guard count <= Self.mostEntries else { throw tooLarge("more than \(Self.mostEntries) entries") }
      guard let pointer = name(entry) else {
        throw Diagnostics(
          "'\(path)' contains an unreadable file name", hint: "unzip the archive and pass its Payload folder")
      }
      let file = String(cString: pointer)
      guard isWanted(file) else { continue }
      if kind(entry) & S_IFMT == S_IFLNK {
        throw Diagnostics(
          "'\(file)' in '\(path)' is a link", hint: "replace the link with the file that it refers to")
      }
      files.append((file, try contents(of: handle, file)))
      total += files.last?.bytes.count ?? 0
      guard total <= Self.mostOfAll else { throw tooLarge("its property lists are larger than 64 MiB") }
    }
  }

  private func contents(of handle: Handle, _ file: String) throws -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = chunk.withUnsafeMutableBytes { buffer in
        buffer.baseAddress.map { read(handle, $0, buffer.count) } ?? 0
      }
      if count == 0 { return bytes }
      guard count > 0 else { throw unreadable }
      bytes += chunk.prefix(count)
      guard bytes.count <= Self.mostBytes else { throw tooLarge("'\(file)' is larger than 16 MiB") }
    }
  }

  private var unreadable: Diagnostics {
    Diagnostics("cannot read the archive '\(path)'", hint: "use an .ipa: a zip archive that contains a Payload folder")
  }

  private func tooLarge(_ what: String) -> Diagnostics {
    Diagnostics("'\(path)' is too large for an app: \(what)", hint: "unzip the archive and pass its Payload folder")
  }
}
