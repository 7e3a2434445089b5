import Synchronization

/// A value that is worked out when somebody asks for it, once, and shared by all who ask.
public final class OnDemand<Value: Sendable>: Sendable {
  private enum State {
    case open(@Sendable () -> Value)
    case done(Value)
  }

  private let state: Mutex<State>

  /// What `compute` will give.
  public init(_ compute: @escaping @Sendable () -> Value) { state = Mutex(.open(compute)) }

  /// What is there already.
  public init(done value: Value) { state = Mutex(.done(value)) }

  /// The value; the first to ask waits for it.
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
