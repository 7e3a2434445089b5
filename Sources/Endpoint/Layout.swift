import Explanation

/// The fields of a message: of its bytes on the wire, and of what protected bytes say.
public struct Layout: Sendable {
  /// The fields of the bytes on the wire.
  public var fields: [Field] = []
  /// The fields of the plaintext; none where the bytes on the wire say it themselves.
  public var plaintextFields: [Field] = []

  /// These fields.
  public init(fields: [Field] = [], plaintextFields: [Field] = []) {
    self.fields = fields
    self.plaintextFields = plaintextFields
  }
}
