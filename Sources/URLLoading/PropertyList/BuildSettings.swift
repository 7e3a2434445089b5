/// Xcode's build settings, which appear as `$(NAME)` in a project's Info.plist until it is built.
///
/// The settings are read from configuration settings files ("Adding a build configuration file to your project").
public struct BuildSettings: Sendable {
  /// A defect of a configuration settings file.
  public struct Fault: Error, Sendable, Hashable {
    /// The file's path.
    public let file: String
    /// The line, from 1.
    public let line: Int
    /// A description of the defect.
    public let message: String
  }

  /// The values by name.
  public private(set) var values: [String: String] = [:]

  /// The number of files that were read. A file is counted each time it is included.
  private var filesRead = 0

  private static let mostFiles = 1000

  /// The configurations in conditions, in order, such as `Debug` or `Release*`.
  public private(set) var configurations: [String] = []
  /// The SDKs in conditions, in order, such as `iphonesimulator*` or `macosx*`.
  public private(set) var sdks: [String] = []
  /// The SDK for the comparison with conditions.
  ///
  /// It is the defined SDK, or else the one that was set in a file, or else that of devices.
  public var sdk: String { values["SDK"] ?? values["SDKROOT"] ?? "iphoneos" }
  /// The configuration of a build that does not specify one.
  private static let defaultConfiguration = "Release"
  /// The configuration for the comparison with conditions.
  public var configuration: String { values["CONFIGURATION"] ?? Self.defaultConfiguration }
  /// Whether a setting contains the configuration's name in order to build the name of another setting.
  public var usesConfiguration: Bool {
    values.values.contains { $0.contains("(CONFIGURATION") || $0.contains("{CONFIGURATION") }
  }
  /// Whether a condition matches the configuration.
  public var isNamed: Bool { configurations.contains { Self.matches(configuration, $0) } }

  /// The settings that conditions in files depend on. Define them before any file is read.
  public static let conditional: Set = ["SDK", "SDKROOT", "CONFIGURATION", "ARCH"]

  /// The number of earlier values that a later value refers to.
  ///
  /// Each earlier value is stored under a name that no file can contain.
  private var earlierCount = 0

  /// Creates build settings without values.
  public init() {}

  /// Sets a value, which takes precedence over values from files that were read before.
  ///
  /// If a setting refers to itself, the reference means its previous value, or empty text if there is none. In
  /// swift-build, this is the next value in the list of a macro's values (`MacroEvaluationProgram.swift`,
  /// `nextValueForMacro`).
  public mutating func define(_ name: String, _ value: String) {
    let earlier = "\(name)@\(earlierCount)"
    var changed = value
    for (open, close) in [("$(", ")"), ("${", "}")] {
      for end in [close, ":"] { changed = changed.replacing(open + name + end, with: open + earlier + end) }
    }
    if changed != value {
      values[earlier] = values[name] ?? ""
      earlierCount += 1
    }
    values[name] = changed
  }

  /// Reads a configuration settings file and the files that it includes.
  ///
  /// The conditions `[sdk=…]`, `[config=…]` and `[arch=…]` are compared with the defined values of SDK, CONFIGURATION
  /// and ARCH. The defaults are those of an app for devices in its release configuration.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - text: returns the text of the file at a path; nil if there is none.
  public mutating func read(_ path: String, _ text: (String) -> String?) throws(Fault) {
    try read(path, text, within: [])
  }

  private mutating func read(
    _ path: String, _ text: (String) -> String?, within stack: [String]
  ) throws(Fault) {
    guard var content = text(path) else { throw Fault(file: path, line: 1, message: "the file does not exist") }
    // A byte order mark is not part of a name.
    if content.unicodeScalars.first == "\u{FEFF}" { content.unicodeScalars.removeFirst() }
    filesRead += 1
    if filesRead > Self.mostFiles { throw Fault(file: path, line: 1, message: "too many files are included") }
    for (index, written) in content.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      func fault(_ message: String) -> Fault { Fault(file: path, line: index + 1, message: message) }
      let line = Self.withoutComment(written)
      if line.isEmpty { continue }
      if line.hasPrefix("#include") {
        let isOptional = line.hasPrefix("#include?")
        let parts = line.split(separator: "\"", omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw fault("#include needs a file name in quotes") }
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
        let included = parts[1].hasPrefix("/") ? String(parts[1]) : folder + parts[1]
        if (stack + [path]).contains(where: { Self.normalized($0) == Self.normalized(included) }) {
          throw fault("'\(parts[1])' includes itself")
        }
        if stack.count > 30 { throw fault("includes are nested too deeply") }
        if text(included) == nil {
          if isOptional { continue }
          throw fault("the file '\(included)' does not exist")
        }
        try read(included, text, within: stack + [path])
        continue
      }
      guard let equals = Self.assignment(in: line) else { throw fault("the line does not have the form NAME = VALUE") }
      let head = line[..<equals].trimmed
      let value = Self.withoutSemicolon(line[line.index(after: equals)...].trimmed)
      guard let name = head.split(separator: "[").first.map({ String($0).trimmed }), !name.isEmpty else {
        throw fault("the setting has no name")
      }
      guard Self.isName(name) else { throw fault("'\(name)' is not a valid setting name") }
      guard holds(head) else { continue }
      let inherited = values[name] ?? ""
      let count = value.ranges(of: "$(inherited)").count
      guard value.utf8.count + count * inherited.utf8.count <= Self.longest else {
        throw fault("the setting '\(name)' is longer than 64 KiB")
      }
      define(name, String(value).replacing("$(inherited)", with: inherited))
    }
  }

  /// Returns the path without `.` and `..`, so that two spellings of one path are equal.
  private static func normalized(_ path: String) -> [Substring] {
    path.split(separator: "/").reduce(into: []) { parts, part in
      if part == "..", let last = parts.last, last != ".." {
        parts.removeLast()
      } else if part != "." {
        parts.append(part)
      }
    }
  }

  /// Returns whether a text contains only ASCII letters, digits and underscores, and does not begin with a digit.
  private static func isName(_ name: String) -> Bool {
    name.first?.isNumber == false && name.utf8.allSatisfy { (48...57).contains($0) || $0 == 95 || isLetter($0) }
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (65...90).contains(byte) || (97...122).contains(byte) }

  /// Returns the value without the semicolon that may end a line.
  private static func withoutSemicolon(_ value: String) -> String {
    value.hasSuffix(";") ? String(value.dropLast()).trimmed : value
  }

  /// Returns the index of the first `=` outside brackets.
  private static func assignment(in line: String) -> String.Index? {
    var depth = 0
    return line.indices.first { index in
      if line[index] == "[" { depth += 1 }
      if line[index] == "]" { depth -= 1 }
      return line[index] == "=" && depth == 0
    }
  }

  private static func withoutComment(_ line: Substring) -> String {
    // Like Xcode, this also treats the slashes of a URL as the beginning of a comment.
    let text = line.firstRange(of: "//").map { line[..<$0.lowerBound] } ?? line
    return String(text).trimmed
  }

  /// Returns whether the conditions of `NAME[sdk=iphoneos*][config=Debug]` match.
  private mutating func holds(_ head: String) -> Bool {
    let written = head.split(separator: "[").dropFirst().flatMap { $0.split(separator: "]") }
    var conditions: [[String]] = []
    for condition in written.flatMap({ $0.split(separator: ",") }) {
      let parts = condition.split(separator: "=", maxSplits: 1).map { String($0).trimmed }
      if parts.count == 2 { conditions.append(parts) }
    }
    for condition in conditions where condition[0] == "config" && !configurations.contains(condition[1]) {
      configurations.append(condition[1])
    }
    for condition in conditions where condition[0] == "sdk" && !sdks.contains(condition[1]) {
      sdks.append(condition[1])
    }
    return conditions.allSatisfy { condition in
      let actual =
        switch condition[0] {
        case "sdk": sdk
        case "config": configuration
        case "arch": values["ARCH"] ?? "arm64"
        default: ""
        }
      return Self.matches(actual, condition[1])
    }
  }

  private static func matches(_ actual: String, _ pattern: String) -> Bool {
    pattern.hasSuffix("*") ? actual.hasPrefix(pattern.dropLast()) : actual == pattern
  }
}

extension StringProtocol {
  fileprivate var trimmed: String {
    var text = self[...]
    while let first = text.first, first.isWhitespace { text = text.dropFirst() }
    while let last = text.last, last.isWhitespace { text = text.dropLast() }
    return String(text)
  }
}
