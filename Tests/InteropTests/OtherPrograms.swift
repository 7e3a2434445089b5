import Foundation

/// Programs of others that read what this one writes.
enum OtherPrograms {
  /// What `arguments` print when run through `env`; nil when they fail.
  static func output(_ arguments: [String]) -> String? {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return nil }
    let data = (try? pipe.fileHandleForReading.readToEnd()) ?? Data()
    process.waitUntilExit()
    return process.terminationStatus == 0 ? String(decoding: data, as: UTF8.self) : nil
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

  static func has(module: String) -> Bool { output(["python3", "-c", "import \(module)"]) != nil }

  static let hasPython = has(module: "sys")
  static let hasJSONSchema = has(module: "jsonschema")
  static let hasJUnitParser = has(module: "junitparser")
  static let hasProve = output(["prove", "--version"]) != nil

  /// Whether `file` holds what the published schema `name` says; an empty text says yes, else why not.
  static func violation(in file: URL, of name: String) -> String {
    let schema = Program.root.appendingPathComponent("Scenarios/schema/\(name).schema.json").path
    let program = """
      import json, sys, jsonschema
      schema = json.load(open(sys.argv[1]))
      for error in jsonschema.Draft202012Validator(schema).iter_errors(json.load(open(sys.argv[2]))):
          print(error.json_path, error.message)
      """
    return output(["python3", "-c", program, schema, file.path]) ?? "not JSON"
  }
}

/// Data that is not part of the repository: `$TRUSTLAB_VECTORS`, or `../shared/data` beside the package.
enum SharedData {
  static let folder: URL = {
    if let path = ProcessInfo.processInfo.environment["TRUSTLAB_VECTORS"] { return URL(fileURLWithPath: path) }
    return Program.root.deletingLastPathComponent().appendingPathComponent("shared/data")
  }()

  /// The Info.plist files of shipped apps.
  static let plists: [String] = {
    let folder = Self.folder.appendingPathComponent("plists").path
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { $0.hasSuffix(".plist") }.sorted().map { "\(folder)/\($0)" }
  }()
}
