import Foundation
import Oracles

/// Other programs that read TrustLab's output.
enum OtherPrograms {
  /// The output of `arguments`, run through `env`; nil if they fail.
  static func output(_ arguments: [String]) -> String? { Command.output(arguments) }

  /// The output of a Python program, run by an interpreter that has `module`; nil if it fails.
  static func python(_ program: String, _ arguments: String..., having module: String = "sys") -> String? {
    Python.interpreter(having: module).flatMap { output([$0, "-c", program] + arguments) }
  }

  /// Whether `openssl` with these arguments succeeds in `folder`.
  static func openssl(_ arguments: [String], in folder: URL) -> Bool {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["openssl"] + arguments
    process.currentDirectoryURL = folder
    (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
    process.standardInput = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }

  /// The violations of the published schema `name` in `file`; empty if there are none.
  static func violation(in file: URL, of name: String) -> String {
    let schema = Program.root.appendingPathComponent("Scenarios/schema/\(name).schema.json").path
    let program = """
      import json, sys, jsonschema
      schema = json.load(open(sys.argv[1]))
      for error in jsonschema.Draft202012Validator(schema).iter_errors(json.load(open(sys.argv[2]))):
          print(error.json_path, error.message)
      """
    return python(program, schema, file.path, having: "jsonschema") ?? "not JSON"
  }
}

extension SharedData {
  /// The Info.plist files of shipped apps.
  static let plistPaths = plists.map { path("plists/\($0)") }
}
