/// A part of a run of tests: of every `count` cases one, so that all parts together have every case once.
public struct Shard: Sendable, Hashable {
  /// Which part, from 0.
  public let index: Int
  /// How many parts there are.
  public let count: Int

  /// Part `index` of `count`; nil where there is no such part.
  public init?(index: Int, count: Int) {
    guard count > 0, (0..<count).contains(index) else { return nil }
    self.index = index
    self.count = count
  }

  /// A part as `--shard` writes it, counted from 1: `2/3`; nil when it is none.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { part in part.utf8.allSatisfy { (48...57).contains($0) } ? Int(part) : nil }
    guard parts.count == 2, numbers.count == 2, numbers[0] > 0 else { return nil }
    self.init(index: numbers[0] - 1, count: numbers[1])
  }

  /// Everything.
  public static let whole = Shard(whole: ())

  private init(whole: Void) { (index, count) = (0, 1) }

  /// Whether the case at `position` falls to this part.
  func has(_ position: Int) -> Bool { position % count == index }
}
