import Explanation

/// The fields of a message, both of its bytes on the wire and of its plaintext.
public struct Layout: Sendable {
  /// The fields of the bytes on the wire.
  public var fields: [Field] = []
  /// The fields of the plaintext; empty for unprotected bytes.
  public var plaintextFields: [Field] = []

  /// Creates a layout with these fields.
  public init(fields: [Field] = [], plaintextFields: [Field] = []) {
    self.fields = fields
    self.plaintextFields = plaintextFields
  }
}
