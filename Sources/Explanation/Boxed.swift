/// A large value that is stored outside its owner and copied only when a shared value changes.
///
/// An endpoint has kilobytes of members, and its configuration has more. If they were stored in place, the functions
/// that copy and destroy their owners would be most of the machine code. Each copy would also visit all members.
@frozen
public struct Boxed<Value: Sendable>: Sendable {
  /// The storage of the value. It is sendable, because an owner changes it only if no other owner shares it.
  @usableFromInline
  final class Box: @unchecked Sendable {
    @usableFromInline var value: Value

    @inlinable
    init(_ value: Value) { self.value = value }
  }

  @usableFromInline var box: Box

  /// Creates a box that contains `value`.
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
