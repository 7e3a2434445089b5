/// A named part of a message, a record or a certificate, with the bytes it occupies.
public struct Field: Sendable, Hashable {
  /// The standard's own name: `client_version`, `tbsCertificate`.
  public let name: String
  /// The bytes of the whole (not of the parent) that this field occupies.
  public let range: Range<Int>
  /// The meaning of the bytes, in words: `TLS 1.2 (0x0303)`.
  public let meaning: String
  /// The parts of this field, in the order of their bytes.
  public let children: [Field]

  /// A field of `range` bytes that means `meaning`.
  public init(_ name: String, _ range: Range<Int>, meaning: String = "", children: [Field] = []) {
    self.name = name
    self.range = range
    self.meaning = meaning
    self.children = children
  }

  /// Returns the field for a whole that begins `offset` bytes later.
  public func shifted(by offset: Int) -> Field {
    Field(
      name, (range.lowerBound + offset)..<(range.upperBound + offset), meaning: meaning,
      children: children.map { $0.shifted(by: offset) })
  }

  /// Returns the field, with the last part of every field called `name` replaced.
  public func opening(_ name: String, _ replacement: (Field) -> Field) -> Field {
    var parts = children.map { $0.opening(name, replacement) }
    if self.name == name, let last = parts.popLast() { parts.append(replacement(last)) }
    return Field(self.name, range, meaning: meaning, children: parts)
  }

  /// The first field called `name`, this one or any below it, depth first.
  public func first(_ name: String) -> Field? {
    if self.name == name { return self }
    for child in children {
      if let found = child.first(name) { return found }
    }
    return nil
  }
}
