import Cryptography
import PKIX
import URLLoading

extension Certificate.FileError {
  /// Returns the error with its place in the file at `path`, or with `mark`. A scenario names the file at `mark`.
  ///
  /// The path `-` means standard input.
  public func diagnostics(in path: String, at mark: SourceMark? = nil) -> Diagnostics {
    let isInput = path == "-"
    let place = isInput ? "standard input" : path
    let name = isInput ? place : "'\(path)'"
    return switch self {
    case .pem(let error):
      Diagnostics(error.message, hint: remedy, at: SourceMark(file: place, line: error.line, column: error.column))
    case .certificate(let error, let line):
      Diagnostics(
        "cannot read the certificate at byte \(error.place), \(error.field): \(error.message)", hint: remedy,
        at: SourceMark(file: place, line: line ?? 1, column: 1))
    case .noCertificate(let labels):
      Diagnostics(
        "there is no certificate in \(name), but \(Self.words(labels))", hint: remedy, at: mark)
    case .empty:
      Diagnostics(
        mark == nil ? "\(isInput ? "" : "the file ")\(name) is empty" : "there is no certificate in \(name)",
        hint: remedy, at: mark)
    }
  }

  /// The hint for the error, without a final period.
  public var remedy: String {
    switch self {
    case .pem(let error): error.hint
    case .certificate(let error, _): error.hint
    case .noCertificate(let labels): Self.hint(for: labels)
    case .empty: Self.blocks
    }
  }

  private static let blocks = "a PEM file contains -----BEGIN CERTIFICATE----- blocks"

  private static func hint(for labels: [String]) -> String {
    if labels.contains(where: { $0.hasSuffix("PRIVATE KEY") }) {
      return "pass the file with its certificate, not the private key"
    }
    if labels.contains(where: { $0.hasSuffix("CERTIFICATE REQUEST") }) {
      return "pass the certificate that the CA issued for the request"
    }
    if labels.contains(where: { $0 != "CERTIFICATE" && $0.uppercased() == "CERTIFICATE" }) {
      return "write the label in capitals: -----BEGIN CERTIFICATE-----"
    }
    if labels.contains("X509 CRL") {
      return "pass a CRL with --crl; this argument needs the file with the certificates"
    }
    if labels.contains("PKCS12") {
      return "extract the certificates: openssl pkcs12 -in FILE -nokeys -passin pass:PASSPHRASE"
    }
    return labels.contains("PKCS7")
      ? "extract the certificates: openssl pkcs7 -print_certs -in FILE (-inform DER)" : blocks
  }
}

extension PropertyListError {
  /// Returns the error with its place in the file at `path`, or else at `fallback`.
  ///
  /// - Parameter bytes: the contents of the file, to show the line; empty to omit it.
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
