/// A large value kept beside the one that has it, and copied only where it is changed while others have it too.
///
/// An endpoint has kilobytes of members. Kept in place, what copies, assigns and destroys the values around it would be
/// most of the module's machine code, and every copy of those would go through all members.
struct Boxed<Value: Sendable>: Sendable {
  /// Nobody changes a box that somebody else has too, so that it can be sent.
  private final class Box: @unchecked Sendable {
    var value: Value

    init(_ value: Value) { self.value = value }
  }

  private var box: Box

  init(_ value: Value) { box = Box(value) }

  var value: Value {
    _read { yield box.value }
    _modify {
      if !isKnownUniquelyReferenced(&box) { box = Box(box.value) }
      yield &box.value
    }
  }
}
