import Foundation
import Synchronization

/// Ctrl-C: it ends the command at hand, not the session.
enum Interruption {
  /// Set by the signal, read by long commands.
  private static let flag = Atomic<Bool>(false)

  static var isRequested: Bool { flag.load(ordering: .relaxed) }

  /// Forgets an interruption; says whether there was one.
  @discardableResult static func clear() -> Bool { flag.exchange(false, ordering: .relaxed) }

  /// From now on SIGINT only asks: without SA_RESTART, so that waiting for a line ends too.
  static func catchSignal() {
    clear()
    var action = sigaction()
    #if os(Linux)
      action.__sigaction_handler.sa_handler = { _ in Interruption.request() }
    #else
      action.__sigaction_u.__sa_handler = { _ in Interruption.request() }
    #endif
    sigaction(SIGINT, &action, nil)
    // Whoever started the program may have left signals blocked.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGINT)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
  }

  private static func request() { flag.store(true, ordering: .relaxed) }
}
