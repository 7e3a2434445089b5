import Foundation
import Synchronization

/// Transforms many items on several threads and returns the results in the order of the items.
public enum ParallelMap {
  /// Calls `transform` for each of `items`, on at most `jobs` threads at once.
  ///
  /// - Parameters:
  ///   - items: the items.
  ///   - jobs: the maximum number of threads.
  ///   - progress: receives the finished number and the total number, in order and from one thread at a time.
  ///   - transform: the transformation of an item.
  public static func results<Item: Sendable, Result: Sendable>(
    of items: [Item], jobs: Int, progress: @Sendable (Int, Int) -> Void = { _, _ in },
    _ transform: @Sendable (Item) -> Result
  ) -> [Result] {
    let shared = Mutex(Shared<Result>(results: Array(repeating: nil, count: items.count)))
    DispatchQueue.concurrentPerform(iterations: max(1, min(jobs, items.count))) { _ in
      while let index = shared.withLock({ $0.take() }) {
        let result = transform(items[index])
        shared.withLock { shared in
          shared.results[index] = result
          shared.done += 1
          progress(shared.done, items.count)
        }
      }
    }
    return shared.withLock { $0.results.compactMap { $0 } }
  }

  private struct Shared<Result: Sendable>: Sendable {
    var results: [Result?]
    var next = 0
    var done = 0

    mutating func take() -> Int? {
      guard next < results.count else { return nil }
      next += 1
      return next - 1
    }
  }
}
