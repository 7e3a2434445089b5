import Foundation

/// Runs an external program until it ends or reaches its time limit.
enum ClientProcess {
  /// The way in which the program ended.
  enum Ending: Sendable, Equatable {
    /// The program exited with this status.
    case exited(Int32)
    /// The program was ended by a signal that TrustLab did not send.
    case died(Int32)
    /// TrustLab ended the program because it reached its time limit.
    case late
  }

  /// Runs a program, and returns how it ended and both outputs; nil if no program can be started.
  ///
  /// `env` finds the program, and exits with status 127 if it is not installed.
  static func run(_ words: [String], seconds: Int) -> (ending: Ending, text: String)? {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = words
    let pipe = Pipe()
    process.standardInput = FileHandle.nullDevice
    (process.standardOutput, process.standardError) = (pipe, pipe)
    guard (try? process.run()) != nil else { return nil }
    DispatchQueue.global().async { endWhatIsLeft(by: process) }
    let timer = DispatchSource.makeTimerSource()
    timer.schedule(deadline: .now() + .seconds(seconds))
    timer.setEventHandler { end(process) }
    timer.activate()
    let data = (try? pipe.fileHandleForReading.readToEnd()) ?? Data()
    process.waitUntilExit()
    timer.cancel()
    return (ending(of: process), String(decoding: data, as: UTF8.self))
  }

  /// Ends a process with SIGKILL. SIGTERM is not enough, because a Dispatch thread blocks it for child processes and
  /// programs may ignore it.
  private static func end(_ process: Process) {
    guard process.isRunning else { return }
    endGroup(of: process)
    _ = kill(process.processIdentifier, SIGKILL)
  }

  /// Ends the child processes that a program leaves behind. They keep its output open, so `Process` would not report
  /// the end.
  private static func endWhatIsLeft(by process: Process) {
    var information = siginfo_t()
    _ = waitid(P_PID, id_t(process.processIdentifier), &information, WEXITED | WNOWAIT)
    endGroup(of: process)
  }

  /// Ends the program and its child processes. Each program leads a process group.
  private static func endGroup(of process: Process) { _ = kill(-process.processIdentifier, SIGKILL) }

  private static func ending(of process: Process) -> Ending {
    guard process.terminationReason == .uncaughtSignal else { return .exited(process.terminationStatus) }
    return process.terminationStatus == SIGKILL ? .late : .died(process.terminationStatus)
  }
}
