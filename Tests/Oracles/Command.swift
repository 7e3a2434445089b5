import Foundation

/// Runs another program.
public enum Command {
  /// The output of `arguments`, run through `env`; nil if they fail.
  ///
  /// The input is read from a file: a program that ends before it has read all of a pipe would end this process as
  /// well.
  public static func output(_ arguments: [String], input: String = "") -> String? {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("trustlab-input-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    guard (try? Data(input.utf8).write(to: file)) != nil, let stdin = try? FileHandle(forReadingFrom: file) else {
      return nil
    }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    let stdout = Pipe()
    process.standardInput = stdin
    process.standardOutput = stdout
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return nil }
    let data = (try? stdout.fileHandleForReading.readToEnd()) ?? Data()
    process.waitUntilExit()
    return process.terminationStatus == 0 ? String(decoding: data, as: UTF8.self) : nil
  }
}

extension Process {
  /// Kills the process if it runs.
  ///
  /// SIGTERM is not enough: a program that a Dispatch thread starts inherits that this signal is blocked.
  public func endAtOnce() {
    if isRunning { _ = kill(processIdentifier, SIGKILL) }
  }
}
