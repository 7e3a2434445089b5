import Foundation
import Scenarios

/// Files of a zip archive, read by libarchive (BSD), which is looked for when the program runs, as libedit is.
///
/// An archive comes from anybody: names, counts and sizes are bounded, and nothing is ever written.
struct Archive {
  private typealias Handle = OpaquePointer
  private typealias New = @convention(c) () -> Handle?
  private typealias Step = @convention(c) (Handle) -> CInt
  private typealias Open = @convention(c) (Handle, UnsafePointer<CChar>, Int) -> CInt
  private typealias Next = @convention(c) (Handle, UnsafeMutablePointer<Handle?>) -> CInt
  private typealias Name = @convention(c) (Handle) -> UnsafePointer<CChar>?
  private typealias Kind = @convention(c) (Handle) -> mode_t
  private typealias Read = @convention(c) (Handle, UnsafeMutableRawPointer, Int) -> Int

  /// A bomb has more.
  private static let mostEntries = 200_000
  private static let mostBytes = 16 << 20
  /// Of all files together.
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

  /// The archive at `path`.
  ///
  /// - Throws: `Diagnostics` where libarchive is not there.
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
        "'\(path)' is an archive, and libarchive is not there to open it",
        hint: "install libarchive13 (Debian) or libarchive (Homebrew), or unzip it and give the folder Payload")
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

  /// The files whose names `isWanted`, in the order of the archive.
  ///
  /// - Throws: `Diagnostics` for what is no zip archive, and for one that is larger than any app is.
  func files(_ isWanted: (String) -> Bool) throws -> [(name: String, bytes: [UInt8])] {
    try Self.withUnicodeNames { try allFiles(isWanted) }
  }

  /// libarchive brings names that are marked as UTF-8 into the locale's characters, and the usual one has none but ASCII.
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
      // 1 is the end, -20 a warning.
      if status == 1 { return files }
      guard status == 0 || status == -20, let entry else { throw unreadable }
      count += 1
      guard count <= Self.mostEntries else { throw tooLarge("more than \(Self.mostEntries) entries") }
      guard let pointer = name(entry) else {
        throw Diagnostics(
          "'\(path)' has a file whose name cannot be read", hint: "unzip it and give the folder Payload")
      }
      let file = String(cString: pointer)
      guard isWanted(file) else { continue }
      if kind(entry) & S_IFMT == S_IFLNK {
        throw Diagnostics(
          "'\(file)' in '\(path)' is a link", hint: "links of archives are not followed: put the file there")
      }
      files.append((file, try contents(of: handle, file)))
      total += files.last?.bytes.count ?? 0
      guard total <= Self.mostOfAll else { throw tooLarge("its property lists have more than 64 MiB") }
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
      guard bytes.count <= Self.mostBytes else { throw tooLarge("'\(file)' has more than 16 MiB") }
    }
  }

  private var unreadable: Diagnostics {
    Diagnostics("'\(path)' is no archive that can be read", hint: "an .ipa is a zip archive with a folder Payload")
  }

  private func tooLarge(_ what: String) -> Diagnostics {
    Diagnostics("'\(path)' is larger than any app: \(what)", hint: "unzip it and give the folder Payload")
  }
}
