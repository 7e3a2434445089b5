/// Why bytes could not be read as a property list, and where.
public struct PropertyListError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What kind of obstacle it is.
  public enum Reason: String, Sendable, Hashable, CaseIterable {
    /// There are no bytes.
    case empty
    /// Neither XML nor a binary property list.
    case notAPropertyList
    /// Text in the old style of OpenStep (or JSON), which no Info.plist is in.
    case oldStyleText
    /// Text in an encoding that is not read here.
    case encoding
    /// XML that is not well-formed, or not a property list.
    case malformedXML
    /// A binary property list that is cut short or damaged.
    case damagedBinary
    /// Nested deeper than 512 levels.
    case tooDeep
    /// A binary property list that unfolds to more than a million values.
    case tooLarge
  }

  /// What kind of obstacle it is.
  public let reason: Reason
  /// What is wrong, as a sentence without a full stop.
  public let message: String
  /// What to do about it.
  public let hint: String
  /// Where in the text; nil for binary property lists.
  public let place: PropertyList.Place?
  /// The size in bytes of what was read.
  public let byteCount: Int
  /// Where in the bytes of a binary property list, when it can be told.
  public let byteOffset: Int?

  init(
    _ reason: Reason, _ message: String, hint: String, place: PropertyList.Place? = nil, byteCount: Int,
    byteOffset: Int? = nil
  ) {
    self.reason = reason
    self.message = message
    self.hint = hint
    self.place = place
    self.byteCount = byteCount
    self.byteOffset = byteOffset
  }

  /// The line in the text, from 1.
  public var line: Int? { place?.line }
  /// The column in the text in characters, from 1.
  public var column: Int? { place?.column }

  /// Place, where there is one, and message.
  public var description: String { (place.map { "\($0): " } ?? "") + message }
}
