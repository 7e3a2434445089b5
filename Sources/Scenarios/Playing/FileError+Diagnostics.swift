import Cryptography
import PKIX

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
