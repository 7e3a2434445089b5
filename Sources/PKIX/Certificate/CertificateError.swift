/// Why bytes are not a certificate, or an extension not what its name promises.
public struct CertificateError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The offset of the byte at which reading failed, from the beginning of the certificate.
  public let place: Int
  /// The field that was being read, in the standard's words: `notBefore`.
  public let field: String
  /// What is wrong.
  public let message: String
  /// What the reader can do about it.
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

  /// The same error where the bytes that were read begin `offset` bytes into their whole.
  func shifted(by offset: Int) -> CertificateError {
    CertificateError(place: place + offset, field: field, message: message, hint: hint)
  }
}
