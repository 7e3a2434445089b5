import Foundation
import Synchronization

/// The interpreters of Python: the one on the path, and the system's, whose modules come as packages.
public enum Python {
  private static let known = Mutex<[String: String?]>([:])

  /// The path of the first interpreter that imports `module`; nil if there is none. It is the interpreter's own path,
  /// because a wrapper may start more slowly.
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

  /// The search path of a shell on which `python3` is that interpreter itself.
  public static var searchPath: String {
    let usual = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return interpreter().map { ($0 as NSString).deletingLastPathComponent + ":" + usual } ?? usual
  }
}
