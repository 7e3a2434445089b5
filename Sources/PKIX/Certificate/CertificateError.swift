/// The reason why bytes are not a certificate, or an extension is malformed.
public struct CertificateError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The offset of the byte at which reading failed, from the start of the certificate.
  public let place: Int
  /// The field that was read, by its name in the RFC: `notBefore`.
  public let field: String
  /// The error.
  public let message: String
  /// The hint for the user.
  public let hint: String

  /// An error at byte `place` while reading `field`.
  public init(place: Int, field: String, message: String, hint: String) {
    self.place = place
    self.field = field
    self.message = message
    self.hint = hint
  }

  /// `byte 17: notBefore: …`.
  public var description: String { "byte \(place): \(field): \(message)" }

  /// The same error, if the bytes begin at `offset` in their whole.
  func shifted(by offset: Int) -> CertificateError {
    CertificateError(place: place + offset, field: field, message: message, hint: hint)
  }
}
