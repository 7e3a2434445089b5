/// A large value, stored outside its owner and copied only when a shared one changes.
///
/// An endpoint has kilobytes of members, and its configuration has more. Stored in place, they would make up most of
/// the machine code, in the functions that copy and destroy their owners. Each copy would also visit all members.
@frozen
public struct Boxed<Value: Sendable>: Sendable {
  /// A box can be sent, because its owner changes it only if no other owner shares it.
  @usableFromInline
  final class Box: @unchecked Sendable {
    @usableFromInline var value: Value

    @inlinable
    init(_ value: Value) { self.value = value }
  }

  @usableFromInline var box: Box

  /// Creates a box of its own.
  @inlinable
  public init(_ value: Value) { box = Box(value) }

  /// The value in the box.
  @inlinable
  public var value: Value {
    _read { yield box.value }
    _modify {
      if !isKnownUniquelyReferenced(&box) { box = Box(box.value) }
      yield &box.value
    }
  }
}
