import Foundation

/// The share of their cases that long sweeps check: all, or one in `$TRUSTLAB_SWEEP_EVERY`.
public enum Sweep {
  /// A sweep checks one case in this many: 1 by default.
  public static let every = max(
    1, ProcessInfo.processInfo.environment["TRUSTLAB_SWEEP_EVERY"].flatMap(Int.init) ?? 1)

  /// The checked part, from the middle of the first `every` elements; never empty if `all` is not.
  public static func part<Element>(of all: [Element]) -> [Element] {
    let first = min(every / 2, max(0, all.count - 1))
    return stride(from: first, to: all.count, by: every).map { all[$0] }
  }
}
