import Foundation

/// Runs another program, the oracle of a test.
enum Program {
  /// What `arguments` print when run through `env`; nil when they fail.
  static func output(_ arguments: [String], input: String = "") -> String? {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    let (stdin, stdout) = (Pipe(), Pipe())
    process.standardInput = stdin
    process.standardOutput = stdout
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return nil }
    stdin.fileHandleForWriting.write(Data(input.utf8))
    try? stdin.fileHandleForWriting.close()
    let data = (try? stdout.fileHandleForReading.readToEnd()) ?? Data()
    process.waitUntilExit()
    return process.terminationStatus == 0 ? String(decoding: data, as: UTF8.self) : nil
  }

  static let hasKeytool = output(["sh", "-c", "keytool -help"]) != nil
  static let hasPython = output(["python3", "-c", "import hmac"]) != nil
  static let hasJSONSchema = output(["python3", "-c", "import jsonschema"]) != nil
}
