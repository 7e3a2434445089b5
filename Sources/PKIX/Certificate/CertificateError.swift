/// The reason why bytes are not a certificate, or why an extension is malformed.
public struct CertificateError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The offset of the byte at which the error occurred, from the start of the certificate.
  public let place: Int
  /// The name of the field in the RFC, such as `notBefore`.
  public let field: String
  /// The error.
  public let message: String
  /// A hint that helps the user to fix the certificate.
  public let hint: String

  /// Creates an error that occurred at byte `place` of `field`.
  public init(place: Int, field: String, message: String, hint: String) {
    self.place = place
    self.field = field
    self.message = message
    self.hint = hint
  }

  /// `byte 17: notBefore: …`.
  public var description: String { "byte \(place): \(field): \(message)" }

  /// Returns the same error with its location moved by `offset`.
  func shifted(by offset: Int) -> CertificateError {
    CertificateError(place: place + offset, field: field, message: message, hint: hint)
  }
}
