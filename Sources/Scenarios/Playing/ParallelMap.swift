import Foundation
import Synchronization

/// Does the same to many things on several threads; the results are in the order of the things.
public enum ParallelMap {
  /// `transform` of each of `items`, on at most `jobs` threads at once.
  ///
  /// - Parameters:
  ///   - items: what it is done to.
  ///   - jobs: the most threads.
  ///   - progress: told how many are done of how many, by one thread at a time and never backwards.
  ///   - transform: what is done.
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
