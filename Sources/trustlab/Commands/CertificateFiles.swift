import Foundation
import PKIX
import Scenarios

/// Certificates in the files that a user names.
enum CertificateFiles {
  /// No bundle of certificates comes near: what is larger is something else.
  private static let maximumSize = 64 << 20

  /// The certificates of all `paths` in order; `-` is standard input.
  ///
  /// - Throws: `Diagnostics` when one cannot be read.
  static func certificates(in paths: [String]) throws -> [Certificate] {
    try paths.flatMap { path in
      let bytes = try read(path, maximumSize: maximumSize)
      do throws(Certificate.FileError) {
        return try Certificate.certificates(inPEMOrDER: bytes)
      } catch {
        throw error.diagnostics(in: path).showing(bytes)
      }
    }
  }

  /// The revocation lists of all `paths` in order.
  ///
  /// - Throws: `Diagnostics` when one cannot be read, or holds none.
  static func lists(in paths: [String]) throws -> [CertificateRevocationList] {
    try paths.flatMap { path in
      let bytes = try read(path, maximumSize: maximumSize)
      let lists: [CertificateRevocationList]
      do throws(Certificate.FileError) {
        lists = try CertificateRevocationList.lists(inPEMOrDER: bytes)
      } catch {
        throw error.diagnostics(in: path).showing(bytes)
      }
      guard !lists.isEmpty else {
        throw Diagnostics("there is no revocation list in '\(path)'", hint: "name a file of X509 CRL blocks")
      }
      return lists
    }
  }

  /// The bytes of the file at `path`, `-` is standard input; `wanted` is what the user should name. What `check` says of
  /// the first of them ends the reading.
  ///
  /// - Throws: `Diagnostics` when there are none to be had, or more than `maximumSize`.
  static func read(
    _ path: String, maximumSize: Int, wanted: String = "a PEM or DER file",
    checking check: (ArraySlice<UInt8>) throws -> Void = { _ in }
  ) throws -> [UInt8] {
    var isFolder: ObjCBool = false
    let exists = path == "-" || FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
    guard exists else { throw Diagnostics("there is no file '\(path)'", hint: "name \(wanted)") }
    guard !isFolder.boolValue else {
      throw Diagnostics("'\(path)' is a folder", hint: "name \(wanted) in it")
    }
    let handle = path == "-" ? FileHandle.standardInput : FileHandle(forReadingAtPath: path)
    var bytes: [UInt8] = []
    do {
      while bytes.count <= maximumSize, let data = try handle?.read(upToCount: Self.portion), !data.isEmpty {
        if bytes.isEmpty { try check(Array(data)[...]) }
        bytes += data
      }
    } catch let error as Diagnostics {
      throw error
    } catch {
      throw Diagnostics("the file '\(path)' cannot be read", hint: "may you read it?")
    }
    guard handle != nil else { throw Diagnostics("the file '\(path)' cannot be read", hint: "may you read it?") }
    guard bytes.count <= maximumSize else {
      throw Diagnostics("'\(path)' is larger than \(maximumSize >> 20) MiB", hint: "is it the right file?")
    }
    return bytes
  }
}

extension CertificateFiles {
  /// How much is read at once.
  private static let portion = 1 << 20
}

extension Diagnostics {
  /// These diagnostics with the line each is about, where the file is text.
  fileprivate func showing(_ bytes: [UInt8]) -> Diagnostics {
    guard bytes.first != 0x30, let text = String(validating: bytes.prefix(1 << 20), as: UTF8.self) else { return self }
    let lines = text.split(omittingEmptySubsequences: false) { $0.isNewline }
    return Diagnostics(
      all.map { one in
        guard let mark = one.mark, lines.indices.contains(mark.line - 1) else { return one }
        return Diagnostic(
          one.message, hint: one.hint, at: mark, line: String(lines[mark.line - 1].prefix(200)), severity: one.severity)
      })
  }
}
