import Foundation
import Synchronization

/// The interpreters of Python: the one on the path, and the system's, whose modules come as packages.
public enum Python {
  private static let known = Mutex<[String: String?]>([:])

  /// The first interpreter that imports `module`, by its own path, since what stands in for it may take longer to start
  /// than it; nil where none does.
  public static func interpreter(having module: String = "sys") -> String? {
    known.withLock { known in
      if let interpreter = known[module] { return interpreter }
      let interpreter = ["python3", "/usr/bin/python3"].lazy.compactMap { name in
        Command.output([name, "-c", "import sys, \(module); print(sys.executable)"])
      }.first?.trimmingCharacters(in: .newlines)
      known[module] = .some(interpreter)
      return interpreter
    }
  }

  /// Where a shell looks for programs so that `python3` is that interpreter at once.
  public static var searchPath: String {
    let usual = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return interpreter().map { ($0 as NSString).deletingLastPathComponent + ":" + usual } ?? usual
  }
}
