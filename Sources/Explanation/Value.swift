/// A secret or public value of a connection that knows how it was made.
///
/// What a party knows is the closure of what it holds over the derivations: nobody writes knowledge down.
public struct Value: Sendable, Hashable, Identifiable {
  /// The RFC's name (`client_random`, `premaster_secret`) or `NAME.key` for a private key.
  public typealias ID = String

  /// One way to come by a value.
  public enum Derivation: Sendable, Hashable {
    /// Drawn, chosen or created by this party, which therefore holds it.
    case generated(by: Party)
    /// Sent in the clear: whoever sees the network has it.
    case published
    /// Computed by a method from other values: whoever has them all, and the capability, has this one.
    case computed(Method, from: [ID])
  }

  /// The value's name.
  public let id: ID
  /// The value itself; empty where a value has no byte form worth showing.
  public let bytes: [UInt8]
  /// All known ways to come by it, in order of appearance, each once.
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

  /// The same value with one more way to come by it.
  public func adding(_ derivation: Derivation) -> Value {
    var value = self
    value.add(derivation)
    return value
  }

  /// Records one more way to come by the value.
  public mutating func add(_ derivation: Derivation) {
    if !derivations.contains(derivation) { derivations.append(derivation) }
  }
}
