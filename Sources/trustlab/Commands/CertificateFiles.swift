import Cryptography
import Foundation
import PKIX
import Rendering
import Scenarios

/// Certificates in the files that a user names.
enum CertificateFiles {
  /// No bundle of certificates comes near: what is larger is something else.
  private static let maximumSize = 64 << 20

  /// The certificates of all `paths` in order; `-` is standard input, and a folder stands for those of its files that hold
  /// any. One that cannot be read is ignored, with a word on it, and passed to `onUnreadable`; not the first of all where
  /// that is `needsFirst`.
  ///
  /// - Throws: `Diagnostics` when a file holds none that can be read.
  static func certificates(
    in paths: [String], needsFirst: Bool = false, onUnreadable: (String) -> Void = { _ in }
  ) throws -> [Certificate] {
    var certificates: [Certificate] = []
    for path in paths {
      if let files = folder(path) {
        certificates += files.flatMap { (try? Self.contents(of: $0).certificates) ?? [] }
        continue
      }
      let contents = try Self.contents(of: path)
      for one in contents.unreadable {
        let error = Certificate.FileError.certificate(one.error, line: one.line).diagnostics(in: path)
        if needsFirst, certificates.isEmpty, !contents.isFirstReadable { throw error }
        Console.complain("ignored: \(error)")
        onUnreadable("\(path)\(one.line.map { ":\($0)" } ?? ""), \(one.error)")
      }
      for note in notes(on: contents, in: path, needsFirst: needsFirst && certificates.isEmpty) {
        Console.complain("note: \(note)")
      }
      certificates += contents.certificates
    }
    return certificates
  }

  /// What of a file is not used, and what was found although the file does not say it.
  private static func notes(
    on contents: Certificate.FileContents, in path: String, needsFirst: Bool
  ) -> [String] {
    var notes: [String] = []
    for label in Set(contents.unused.map(\.label)).sorted() {
      let lines = contents.unused.filter { $0.label == label }.map(\.line)
      let name = Certificate.FileError.words([String(label.prefix(40))])
      let others = lines.count > 1 ? ", nor are \(lines.count - 1) more like it" : ""
      notes.append("\(path):\(lines.first ?? 1): \(name) is not used\(others); only certificates are read here")
    }
    if let line = contents.trusted.first {
      notes.append("\(path):\(line): the trust settings of a TRUSTED CERTIFICATE are not used, the certificate is")
    }
    if needsFirst, contents.isSet, let leaf = contents.certificates.first {
      let others = contents.leafCount > 1 ? "; \(contents.leafCount - 1) more may be it" : ""
      let name = (leaf.subject.commonName ?? "\(leaf.subject)").debugDescription
      notes.append("\(path): PKCS #7 has no order (a SET); \(name) is taken as the server's certificate\(others)")
    }
    return notes
  }

  private static func contents(of path: String) throws -> Certificate.FileContents {
    let bytes = try read(path, maximumSize: maximumSize)
    do throws(Certificate.FileError) { return try Certificate.FileContents(bytes) } catch {
      throw error.diagnostics(in: path).showing(bytes)
    }
  }

  /// The files in the folder at `path`, by name; nil where it is no folder.
  private static func folder(_ path: String) -> [String]? {
    var isFolder: ObjCBool = false
    guard path != "-", FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue else {
      return nil
    }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return names.sorted().map { "\(path)/\($0)" }
  }

  /// Answers of responders, one in each file: DER, or base 64 of it.
  ///
  /// - Throws: `Diagnostics` when one cannot be read.
  static func answers(in paths: [String]) throws -> [OCSPResponse] {
    try paths.map { path in
      let bytes = try read(path, maximumSize: OCSPResponse.maximumSize, wanted: "a file of one OCSP response")
      do throws(CertificateError) { return try OCSPResponse(der: plain(bytes)) } catch {
        throw Diagnostics(
          "the OCSP response in '\(path)' cannot be read at byte \(error.place), \(error.field): \(error.message)",
          hint: "openssl ocsp -respout FILE writes one")
      }
    }
  }

  /// Signed certificate timestamps: each file holds one, or a list as TLS has it, or an extension's value.
  ///
  /// - Throws: `Diagnostics` when one cannot be read.
  static func timestamps(in paths: [String]) throws -> [[UInt8]] {
    try paths.flatMap { path in
      let bytes = plain(try read(path, maximumSize: 1 << 20, wanted: "a file of timestamps"))
      if let list = try? SignedCertificateTimestampList(bytes: bytes) { return list.items }
      if let list = try? SignedCertificateTimestampList(extensionValue: bytes) { return list.items }
      if (try? SignedCertificateTimestamp(bytes: bytes)) != nil { return [bytes] }
      throw Diagnostics(
        "there is no signed certificate timestamp in '\(path)'",
        hint: "write one as RFC 6962 section 3.2 has it, or a SignedCertificateTimestampList")
    }
  }

  /// A list of logs.
  ///
  /// - Throws: `Diagnostics` when it cannot be read.
  static func logs(in path: String) throws -> LogList {
    let bytes = try read(path, maximumSize: LogListFile.maximumSize, wanted: "a list of logs in JSON")
    do throws(LogListFile.Invalid) { return try LogListFile(reading: bytes).list } catch {
      throw Diagnostics("the list of logs in '\(path)' cannot be read: \(error)", hint: "Apple's and Google's are JSON")
    }
  }

  /// Bytes as they are, or what base 64 in their place says.
  private static func plain(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.allSatisfy({ $0 < 0x80 && ($0 >= 0x20 || $0 == 10 || $0 == 13) }) else { return bytes }
    return (try? Base64.decode(String(decoding: bytes, as: UTF8.self))) ?? bytes
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
    guard bytes.first != 0x30, let text = TextEncoding.text(of: Array(bytes.prefix(1 << 20))) else {
      return self
    }
    let lines = text.split(omittingEmptySubsequences: false) { $0.isNewline }
    return Diagnostics(
      all.map { one in
        guard let mark = one.mark, lines.indices.contains(mark.line - 1) else { return one }
        return Diagnostic(
          one.message, hint: one.hint, at: mark, line: String(lines[mark.line - 1].prefix(80)), severity: one.severity)
      })
  }
}
