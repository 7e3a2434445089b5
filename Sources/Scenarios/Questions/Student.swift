import Cryptography

/// Who is asked: the same student is always asked the same, another one with other numbers and in another order.
///
/// Nothing is random: all follows from the id, so that a teacher can print any student's sheet again.
public struct Student: Sendable, Hashable {
  /// Any text: a name, a number; empty for whoever did not say.
  public let id: String

  /// The student called `id`.
  public init(_ id: String = "") { self.id = id }

  /// A number from 0 up to, not including, `count`; 0 when there is nothing to choose from.
  func choice(of count: Int, for label: String) -> Int {
    var random = stream(label)
    return Self.number(below: count, &random)
  }

  /// The items in an order of this student's own (R. Durstenfeld's shuffle).
  func shuffled<Item>(_ items: [Item], for label: String) -> [Item] {
    var items = items
    var random = stream(label)
    for end in items.indices.reversed() { items.swapAt(end, Self.number(below: end + 1, &random)) }
    return items
  }

  /// One of the items; nil when there is none.
  public func pick<Item>(_ items: [Item], for label: String) -> Item? {
    let place = choice(of: items.count, for: label)
    return items.indices.contains(place) ? items[place] : nil
  }

  private func stream(_ label: String) -> DeterministicRandom {
    DeterministicRandom(seed: .number(0), label: "student/\(id)/\(label)")
  }

  private static func number(below count: Int, _ random: inout DeterministicRandom) -> Int {
    guard count > 1 else { return 0 }
    // 32 bits for a handful of things: the bias is below one in a hundred million.
    let number = random.bytes(4).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return Int(number % UInt64(count))
  }
}
