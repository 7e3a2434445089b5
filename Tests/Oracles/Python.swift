import Foundation
import Synchronization

/// The interpreters of Python: the one on the path, and the system's, whose modules come as packages.
public enum Python {
  private static let known = Mutex<[String: String?]>([:])

  /// The first interpreter that imports `module`; nil where none does.
  public static func interpreter(having module: String = "sys") -> String? {
    known.withLock { known in
      if let interpreter = known[module] { return interpreter }
      let interpreter = ["python3", "/usr/bin/python3"].first { Command.output([$0, "-c", "import \(module)"]) != nil }
      known[module] = .some(interpreter)
      return interpreter
    }
  }
}
