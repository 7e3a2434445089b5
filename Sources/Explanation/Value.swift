/// A secret or public value of a connection that knows how it was made.
///
/// The knowledge of a party follows from the values it holds and their derivations; it is not recorded.
public struct Value: Sendable, Hashable, Identifiable {
  /// A value is known by its name.
  public typealias ID = ValueName

  /// One way to obtain a value.
  public enum Derivation: Sendable, Hashable {
    /// Drawn, chosen or created by this party, which therefore holds it.
    case generated(by: Party)
    /// Sent in the clear: every party that sees the network has it.
    case published
    /// Computed by a method from other values: a party that has them all, and the capability, has this one.
    case computed(Method, from: [ID])
  }

  /// The value's name.
  public let id: ID
  /// The value itself; empty if it has no useful byte form.
  public let bytes: [UInt8]
  /// All known ways to obtain it, in order of appearance, each once.
  public private(set) var derivations: [Derivation]

  /// A value made in these ways.
  public init(_ id: ID, _ bytes: [UInt8], _ derivations: Derivation...) {
    self.init(id, bytes, derivations: derivations)
  }

  /// A value made in these ways.
  public init(_ id: ID, _ bytes: [UInt8], derivations: [Derivation]) {
    self.id = id
    self.bytes = bytes
    self.derivations = []
    for derivation in derivations { add(derivation) }
  }

  /// Returns the same value with one more derivation.
  public func adding(_ derivation: Derivation) -> Value {
    var value = self
    value.add(derivation)
    return value
  }

  /// Adds a derivation, unless the value has it already.
  public mutating func add(_ derivation: Derivation) {
    if !derivations.contains(derivation) { derivations.append(derivation) }
  }
}
