/// A named part of a message, a record or a certificate, with the range of its bytes.
public struct Field: Sendable, Hashable {
  /// The name in the standard, such as `client_version` or `tbsCertificate`.
  public let name: String
  /// The range of the field's bytes in the complete data (not in the parent field).
  public let range: Range<Int>
  /// The meaning of the bytes as text, such as `TLS 1.2 (0x0303)`.
  public let meaning: String
  /// The parts of this field, in the order of their bytes.
  public let children: [Field]

  /// Creates a field for the bytes in `range`, with their `meaning`.
  public init(_ name: String, _ range: Range<Int>, meaning: String = "", children: [Field] = []) {
    self.name = name
    self.range = range
    self.meaning = meaning
    self.children = children
  }

  /// Returns the field with its ranges moved by `offset` bytes.
  public func shifted(by offset: Int) -> Field {
    Field(
      name, (range.lowerBound + offset)..<(range.upperBound + offset), meaning: meaning,
      children: children.map { $0.shifted(by: offset) })
  }

  /// Returns the field with the last part of every field named `name` replaced.
  public func opening(_ name: String, _ replacement: (Field) -> Field) -> Field {
    var parts = children.map { $0.opening(name, replacement) }
    if self.name == name, let last = parts.popLast() { parts.append(replacement(last)) }
    return Field(self.name, range, meaning: meaning, children: parts)
  }

  /// The first field named `name` in this field and all fields below it, depth first.
  public func first(_ name: String) -> Field? {
    if self.name == name { return self }
    for child in children {
      if let found = child.first(name) { return found }
    }
    return nil
  }
}
