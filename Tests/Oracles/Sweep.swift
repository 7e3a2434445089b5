import Foundation

/// How much of what they could look at the long sweeps look at: all of it, or of `$TRUSTLAB_SWEEP_EVERY` cases one.
public enum Sweep {
  /// The program that `$TRUSTLAB` names, a release build: sweeps that call it look at every case.
  public static let program = ProcessInfo.processInfo.environment["TRUSTLAB"]

  /// Of so many cases a sweep looks at one that calls the program.
  public static let everyByProgram = program == nil ? every : 1

  /// Of so many cases a sweep looks at one: 1 where nothing else is said.
  public static let every = max(
    1, ProcessInfo.processInfo.environment["TRUSTLAB_SWEEP_EVERY"].flatMap(Int.init) ?? 1)

  /// The part that is looked at, from the middle of the first `every` elements on; never none of some.
  public static func part<Element>(of all: [Element]) -> [Element] {
    let first = min(every / 2, max(0, all.count - 1))
    return stride(from: first, to: all.count, by: every).map { all[$0] }
  }
}
