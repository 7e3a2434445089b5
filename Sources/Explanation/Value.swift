/// A secret or public value of a connection, with the ways in which it can be obtained.
///
/// The values that a party knows are computed from the values that it has and from derivations. They are not recorded.
public struct Value: Sendable, Hashable, Identifiable {
  /// The name that identifies the value.
  public typealias ID = ValueName

  /// One way to obtain a value.
  public enum Derivation: Sendable, Hashable {
    /// This party generated, chose or created the value, and therefore has it.
    case generated(by: Party)
    /// The value was sent in the clear, so that every party that observes the network has it.
    case published
    /// The value is computed by a method from other values. A party with all of them and the required capability has
    /// it.
    case computed(Method, from: [ID])
  }

  /// The name of the value.
  public let id: ID
  /// The bytes of the value; empty if it has no useful representation as bytes.
  public let bytes: [UInt8]
  /// All known ways to obtain the value, without duplicates, in order of appearance.
  public private(set) var derivations: [Derivation]

  /// Creates a value with these derivations.
  public init(_ id: ID, _ bytes: [UInt8], _ derivations: Derivation...) {
    self.init(id, bytes, derivations: derivations)
  }

  /// Creates a value with these derivations.
  public init(_ id: ID, _ bytes: [UInt8], derivations: [Derivation]) {
    self.id = id
    self.bytes = bytes
    self.derivations = []
    for derivation in derivations { add(derivation) }
  }

  /// Returns the same value with another derivation.
  public func adding(_ derivation: Derivation) -> Value {
    var value = self
    value.add(derivation)
    return value
  }

  /// Adds a derivation, unless the value already has it.
  public mutating func add(_ derivation: Derivation) {
    if !derivations.contains(derivation) { derivations.append(derivation) }
  }
}
