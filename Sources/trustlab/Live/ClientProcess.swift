import Foundation

/// A program of others that is run to its end, and no longer than it may take.
enum ClientProcess {
  /// How it ended.
  enum Ending: Sendable, Equatable {
    /// By itself, with this status.
    case exited(Int32)
    /// By this signal, which nobody here has sent.
    case died(Int32)
    /// Not by itself: its time was up.
    case late
  }

  /// What a program printed, on both of its outputs, and how it ended; nil where none can be started at all.
  ///
  /// `env` finds it, and says by status 127 that there is none.
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

  /// SIGTERM would not do: a thread of Dispatch's blocks it for what it starts, and programs may ignore it.
  private static func end(_ process: Process) {
    guard process.isRunning else { return }
    endGroup(of: process)
    _ = kill(process.processIdentifier, SIGKILL)
  }

  /// What a program leaves behind when it ends holds its output open, and nobody asked for that. `Process` would tell of
  /// the end only when all of them are gone.
  private static func endWhatIsLeft(by process: Process) {
    var information = siginfo_t()
    _ = waitid(P_PID, id_t(process.processIdentifier), &information, WEXITED | WNOWAIT)
    endGroup(of: process)
  }

  /// What the program has started goes with it: a process that is started here leads a group.
  private static func endGroup(of process: Process) { _ = kill(-process.processIdentifier, SIGKILL) }

  private static func ending(of process: Process) -> Ending {
    guard process.terminationReason == .uncaughtSignal else { return .exited(process.terminationStatus) }
    return process.terminationStatus == SIGKILL ? .late : .died(process.terminationStatus)
  }
}
