import Foundation
import Simulator

extension ScenarioPlayer {
  /// What comes out of `scenario` when each of `values` is laid over what stands at `path`, in the order of the values;
  /// played on all processors.
  ///
  /// - Parameter others: Cases of the same file, which may use what a changed one uses no more.
  /// - Parameter progress: told how many are done of how many, by one thread at a time.
  /// - Parameter isInterrupted: Asked before each run; once it is so, the values that are left are not played and have
  ///   no outcome.
  /// - Returns: For each value that was played its outcome, or what is wrong with the scenario that it makes.
  public func sweep(
    _ path: ScenarioPath, over values: [Node], of scenario: Scenario, beside others: [Scenario] = [],
    progress: @Sendable (Int, Int) -> Void = { _, _ in }, isInterrupted: @Sendable () -> Bool = { false }
  ) -> [Result<Outcome, Diagnostics>] {
    let jobs = ProcessInfo.processInfo.activeProcessorCount
    let results = ParallelMap.results(of: values, jobs: jobs, progress: progress) { value in
      isInterrupted()
        ? nil
        : Result { () throws(Diagnostics) in
          try play(try scenario.changing(path, to: value, beside: others)).outcome
        }
    }
    return results.prefix { $0 != nil }.compactMap(\.self)
  }
}
