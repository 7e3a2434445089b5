import Foundation
import Synchronization

/// Handles Ctrl-C, which interrupts the current command but not the session.
enum Interruption {
  /// The flag that the signal handler sets and long commands check.
  private static let flag = Atomic<Bool>(false)

  static var isRequested: Bool { flag.load(ordering: .relaxed) }

  /// Clears the interruption. Returns whether the user had interrupted a command.
  @discardableResult static func clear() -> Bool { flag.exchange(false, ordering: .relaxed) }

  /// Installs the handler for SIGINT. It is installed without SA_RESTART, so that it also interrupts waiting for a
  /// line.
  static func catchSignal() {
    clear()
    var action = sigaction()
    #if os(Linux)
      action.__sigaction_handler.sa_handler = { _ in Interruption.request() }
    #else
      action.__sigaction_u.__sa_handler = { _ in Interruption.request() }
    #endif
    sigaction(SIGINT, &action, nil)
    // The parent process may have blocked signals.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGINT)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
  }

  private static func request() { flag.store(true, ordering: .relaxed) }
}
