import Cryptography
import PKIX
import URLLoading

extension Certificate.FileError {
  /// The error with its place in the file, or where the scenario names the file.
  func diagnostics(in file: FileReference) -> Diagnostics {
    switch self {
    case .pem(let error):
      Diagnostics(
        error.message, hint: error.hint, at: SourceMark(file: file.path, line: error.line, column: error.column))
    case .certificate(let error, let line):
      Diagnostics(
        "the certificate cannot be read at byte \(error.place), \(error.field): \(error.message)", hint: error.hint,
        at: line.map { SourceMark(file: file.path, line: $0, column: 1) }
          ?? SourceMark(file: file.path, line: 1, column: 1))
    case .empty:
      Diagnostics(
        "there is no certificate in '\(file.path)'", hint: "a PEM file holds -----BEGIN CERTIFICATE----- blocks",
        at: file.mark)
    }
  }
}

extension PropertyListError {
  /// The error with its place in the file at `path`, else at `fallback`.
  ///
  /// - Parameter bytes: the file, to show the line; empty to leave it out.
  func diagnostics(inFile path: String, fallback: SourceMark? = nil, bytes: [UInt8] = []) -> Diagnostics {
    guard let place else {
      let offset = byteOffset.map { " (byte \($0))" } ?? ""
      return Diagnostics("\(path): \(message)\(offset)", hint: hint, at: fallback)
    }
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let line = lines.indices.contains(place.line - 1) ? String(decoding: lines[place.line - 1], as: UTF8.self) : nil
    return Diagnostics(
      message, hint: hint, at: SourceMark(file: path, line: place.line, column: place.column), line: line)
  }
}
