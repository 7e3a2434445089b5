import Synchronization

/// A value that is computed when it is first read, and then shared by all readers.
public final class OnDemand<Value: Sendable>: Sendable {
  private enum State {
    case open(@Sendable () -> Value)
    case done(Value)
  }

  private let state: Mutex<State>

  /// Creates a value that `compute` returns at the first read.
  public init(_ compute: @escaping @Sendable () -> Value) { state = Mutex(.open(compute)) }

  /// Creates a value that is already known.
  public init(done value: Value) { state = Mutex(.done(value)) }

  /// The value. If it is being computed, readers wait for it.
  public var value: Value {
    state.withLock { state in
      switch state {
      case .done(let value): return value
      case .open(let compute):
        let value = compute()
        state = .done(value)
        return value
      }
    }
  }
}
