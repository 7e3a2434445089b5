import Cryptography
import Foundation
import PKIX
import Rendering
import Scenarios

/// Reads certificates, CRLs, OCSP responses and SCTs from the files that a user names.
enum CertificateFiles {
  /// The size limit of a file, far above that of any certificate bundle.
  private static let maximumSize = 64 << 20

  /// Reads the certificates of all `paths` in order. `-` means standard input, and a folder means the certificate files
  /// in it.
  ///
  /// An unreadable certificate is reported, passed to `onUnreadable` and skipped. If `needsFirst` is true, the first
  /// certificate must be readable.
  ///
  /// - Throws: `Diagnostics` if a file has no readable certificate.
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

  /// Returns notes about unused parts of a file, and about assumptions that its format makes necessary.
  private static func notes(
    on contents: Certificate.FileContents, in path: String, needsFirst: Bool
  ) -> [String] {
    var notes: [String] = []
    for label in Set(contents.unused.map(\.label)).sorted() {
      let lines = contents.unused.filter { $0.label == label }.map(\.line)
      let name = Certificate.FileError.words([String(label.prefix(40))])
      let others = lines.count > 1 ? " (and \(lines.count - 1) more)" : ""
      notes.append("\(path):\(lines.first ?? 1): \(name) is ignored\(others); only certificates are used")
    }
    if let line = contents.trusted.first {
      notes.append(
        "\(path):\(line): the certificate is used, but the trust settings of the TRUSTED CERTIFICATE are ignored")
    }
    if needsFirst, contents.isSet, let leaf = contents.certificates.first {
      let others = contents.leafCount > 1 ? "; \(contents.leafCount - 1) more could also be the server's" : ""
      let name = (leaf.subject.commonName ?? "\(leaf.subject)").debugDescription
      notes.append("\(path): a PKCS #7 file has no order; \(name) is used as the server's certificate\(others)")
    }
    return notes
  }

  private static func contents(of path: String) throws -> Certificate.FileContents {
    let bytes = try read(path, maximumSize: maximumSize)
    do throws(Certificate.FileError) { return try Certificate.FileContents(bytes) } catch {
      throw error.diagnostics(in: path).showing(bytes)
    }
  }

  /// Returns the paths of the files in a folder, by name; nil if `path` is not a folder.
  private static func folder(_ path: String) -> [String]? {
    var isFolder: ObjCBool = false
    guard path != "-", FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue else {
      return nil
    }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return names.sorted().map { "\(path)/\($0)" }
  }

  /// Reads OCSP responses from files with one response each, in DER or Base64.
  ///
  /// - Throws: `Diagnostics` if a response cannot be read.
  static func answers(in paths: [String]) throws -> [OCSPResponse] {
    try paths.map { path in
      let bytes = try read(
        path, maximumSize: OCSPResponse.maximumSize, wanted: "a file that contains one OCSP response")
      do throws(CertificateError) { return try OCSPResponse(der: plain(bytes)) } catch {
        throw Diagnostics(
          "cannot read the OCSP response in '\(path)' at byte \(error.place), \(error.field): \(error.message)",
          hint: "save a response with: openssl ocsp -respout FILE")
      }
    }
  }

  /// Reads SCTs. A file has one SCT, an SCT list as in TLS, or an extension's value.
  ///
  /// - Throws: `Diagnostics` if a file has no SCT.
  static func timestamps(in paths: [String]) throws -> [[UInt8]] {
    try paths.flatMap { path in
      let bytes = plain(try read(path, maximumSize: 1 << 20, wanted: "an SCT file"))
      if let list = try? SignedCertificateTimestampList(bytes: bytes) { return list.items }
      if let list = try? SignedCertificateTimestampList(extensionValue: bytes) { return list.items }
      if (try? SignedCertificateTimestamp(bytes: bytes)) != nil { return [bytes] }
      throw Diagnostics(
        "there is no SCT in '\(path)'",
        hint: "use an SCT in the format of RFC 6962 section 3.2, or a SignedCertificateTimestampList")
    }
  }

  /// Reads a CT log list.
  ///
  /// - Throws: `Diagnostics` if the list cannot be read.
  static func logs(in path: String) throws -> LogList {
    let bytes = try read(path, maximumSize: LogListFile.maximumSize, wanted: "a CT log list in JSON")
    do throws(LogListFile.Invalid) { return try LogListFile(reading: bytes).list } catch {
      throw Diagnostics(
        "cannot read the CT log list '\(path)': \(error)", hint: "use the JSON log list of Apple or Google")
    }
  }

  /// Decodes Base64 and returns any other bytes unchanged.
  private static func plain(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.allSatisfy({ $0 < 0x80 && ($0 >= 0x20 || $0 == 10 || $0 == 13) }) else { return bytes }
    return (try? Base64.decode(String(decoding: bytes, as: UTF8.self))) ?? bytes
  }

  /// Reads the CRLs of all `paths` in order.
  ///
  /// - Throws: `Diagnostics` if a file cannot be read or has no CRL.
  static func lists(in paths: [String]) throws -> [CertificateRevocationList] {
    try paths.flatMap { path in
      let bytes = try read(path, maximumSize: maximumSize)
      let lists: [CertificateRevocationList]
      do throws(Certificate.FileError) {
        lists = try CertificateRevocationList.crls(inPEMOrDER: bytes)
      } catch {
        throw error.diagnostics(in: path).showing(bytes)
      }
      guard !lists.isEmpty else {
        throw Diagnostics(
          "there is no CRL in '\(path)'", hint: "pass a CRL in DER, or a PEM file that contains X509 CRL blocks")
      }
      return lists
    }
  }

  /// Reads the file at `path`; `-` is standard input. Hints name the `wanted` kind of file. If `check` throws an error
  /// for the first bytes, reading stops.
  ///
  /// - Throws: `Diagnostics` if the file cannot be read or is larger than `maximumSize`.
  static func read(
    _ path: String, maximumSize: Int, wanted: String = "a PEM or DER file",
    checking check: (ArraySlice<UInt8>) throws -> Void = { _ in }
  ) throws -> [UInt8] {
    var isFolder: ObjCBool = false
    let exists = path == "-" || FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
    guard exists else { throw Diagnostics("no such file: '\(path)'", hint: "pass \(wanted)") }
    guard !isFolder.boolValue else {
      throw Diagnostics("'\(path)' is a folder", hint: "pass \(wanted) in this folder")
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
      throw Diagnostics("cannot read '\(path)'", hint: "check that you have permission to read it")
    }
    guard handle != nil else {
      throw Diagnostics("cannot read '\(path)'", hint: "check that you have permission to read it")
    }
    guard bytes.count <= maximumSize else {
      throw Diagnostics("'\(path)' is larger than \(maximumSize >> 20) MiB", hint: "check that it is the right file")
    }
    return bytes
  }
}

extension CertificateFiles {
  /// The number of bytes to read at a time.
  private static let portion = 1 << 20
}

extension Diagnostics {
  /// Returns the diagnostics with their source lines if the file is text.
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
