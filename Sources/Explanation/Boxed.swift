/// A large value kept beside the one that has it, and copied only where it is changed while others have it too.
///
/// An endpoint has kilobytes of members, and what it is configured with has more. Kept in place, what copies, moves and
/// destroys the values around it would be most of the machine code, and every copy of those would go through all members.
@frozen
public struct Boxed<Value: Sendable>: Sendable {
  /// Nobody changes a box that somebody else has too, so that it can be sent.
  @usableFromInline
  final class Box: @unchecked Sendable {
    @usableFromInline var value: Value

    @inlinable
    init(_ value: Value) { self.value = value }
  }

  @usableFromInline var box: Box

  /// A box of its own.
  @inlinable
  public init(_ value: Value) { box = Box(value) }

  /// What is in it.
  @inlinable
  public var value: Value {
    _read { yield box.value }
    _modify {
      if !isKnownUniquelyReferenced(&box) { box = Box(box.value) }
      yield &box.value
    }
  }
}
