/// Xcode's build settings, which stand as `$(NAME)` in the Info.plist of a project until it is built.
///
/// Read from configuration settings files: "Adding a build configuration file to your project".
public struct BuildSettings: Sendable {
  /// What is wrong with a configuration settings file.
  public struct Fault: Error, Sendable, Hashable {
    /// The file.
    public let file: String
    /// The line, from 1.
    public let line: Int
    /// What is wrong.
    public let message: String
  }

  /// The values by name.
  public private(set) var values: [String: String] = [:]

  /// How many files were read: one that is included is read again each time.
  private var filesRead = 0

  /// A setting has a line of text; what is longer doubles itself.
  private static let longest = 1 << 16
  private static let mostFiles = 1000
  /// How many settings are put into one text.
  private static let mostReplacements = 1000

  /// No settings.
  public init() {}

  /// Sets a value, which wins over those of files that are read before it.
  public mutating func define(_ name: String, _ value: String) { values[name] = value }

  /// Reads a configuration settings file and what it includes.
  ///
  /// Conditions `[sdk=…]`, `[config=…]` and `[arch=…]` hold where the setting SDK, CONFIGURATION or ARCH, as it was defined,
  /// matches; of an app for devices in its release configuration where nothing was.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - text: what a file of a path says; nil where there is none.
  public mutating func read(_ path: String, _ text: (String) -> String?) throws(Fault) {
    try read(path, text, within: [])
  }

  private mutating func read(
    _ path: String, _ text: (String) -> String?, within stack: [String]
  ) throws(Fault) {
    guard let content = text(path) else { throw Fault(file: path, line: 1, message: "there is no such file") }
    filesRead += 1
    if filesRead > Self.mostFiles { throw Fault(file: path, line: 1, message: "too many files are included") }
    for (index, written) in content.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      func fault(_ message: String) -> Fault { Fault(file: path, line: index + 1, message: message) }
      let line = Self.withoutComment(written)
      if line.isEmpty { continue }
      if line.hasPrefix("#include") {
        let isOptional = line.hasPrefix("#include?")
        let parts = line.split(separator: "\"", omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw fault("an include names a file in quotes") }
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
        let included = parts[1].hasPrefix("/") ? String(parts[1]) : folder + parts[1]
        if (stack + [path]).contains(where: { Self.normalized($0) == Self.normalized(included) }) {
          throw fault("'\(parts[1])' includes itself")
        }
        if stack.count > 30 { throw fault("includes are nested too deep") }
        if text(included) == nil {
          if isOptional { continue }
          throw fault("there is no file '\(included)'")
        }
        try read(included, text, within: stack + [path])
        continue
      }
      guard let equals = Self.assignment(in: line) else { throw fault("a setting is NAME = VALUE") }
      let head = line[..<equals].trimmed
      let value = line[line.index(after: equals)...].trimmed
      guard let name = head.split(separator: "[").first.map({ String($0).trimmed }), !name.isEmpty else {
        throw fault("a setting has a name")
      }
      guard holds(head) else { continue }
      let inherited = values[name] ?? ""
      let count = value.ranges(of: "$(inherited)").count
      guard value.utf8.count + count * inherited.utf8.count <= Self.longest else {
        throw fault("the setting '\(name)' has more than 64 KiB")
      }
      values[name] = String(value).replacing("$(inherited)", with: inherited)
    }
  }

  /// The path without `.` and `..`, so that two ways to write one file are one.
  private static func normalized(_ path: String) -> [Substring] {
    path.split(separator: "/").reduce(into: []) { parts, part in
      if part == "..", let last = parts.last, last != ".." {
        parts.removeLast()
      } else if part != "." {
        parts.append(part)
      }
    }
  }

  /// The first `=` outside of brackets.
  private static func assignment(in line: String) -> String.Index? {
    var depth = 0
    return line.indices.first { index in
      if line[index] == "[" { depth += 1 }
      if line[index] == "]" { depth -= 1 }
      return line[index] == "=" && depth == 0
    }
  }

  private static func withoutComment(_ line: Substring) -> String {
    // A URL's slashes begin a comment too: that is how these files are read.
    let text = line.firstRange(of: "//").map { line[..<$0.lowerBound] } ?? line
    return String(text).trimmed
  }

  /// Whether the conditions of `NAME[sdk=iphoneos*][config=Debug]` hold.
  private func holds(_ head: String) -> Bool {
    head.split(separator: "[").dropFirst().flatMap { $0.split(separator: "]") }.flatMap { $0.split(separator: ",") }
      .allSatisfy { condition in
        let parts = condition.split(separator: "=", maxSplits: 1).map { String($0).trimmed }
        guard parts.count == 2 else { return true }
        let actual =
          switch parts[0] {
          case "sdk": values["SDK"] ?? "iphoneos"
          case "config": values["CONFIGURATION"] ?? "Release"
          case "arch": values["ARCH"] ?? "arm64"
          default: ""
          }
        let pattern = parts[1]
        return pattern.hasSuffix("*") ? actual.hasPrefix(pattern.dropLast()) : actual == pattern
      }
  }
}

// Expanding.
extension BuildSettings {
  /// The same list with what is known of settings put into its keys and texts.
  public func expanded(_ plist: PropertyList) -> PropertyList {
    if values.isEmpty { return plist }
    switch plist {
    case .string(let text): return .string(expanded(text))
    case .array(let items): return .array(items.map(expanded))
    case .dictionary(let dictionary):
      return .dictionary(
        .init(
          entries: dictionary.entries.map {
            .init(key: expanded($0.key), value: expanded($0.value), place: $0.place)
          }))
    default: return plist
    }
  }

  /// `$(NAME)`, `${NAME}` and `$(NAME:default=VALUE)` with their values, which may name others; what is not known stays.
  public func expanded(_ text: String) -> String {
    var left = Self.mostReplacements
    return expanded(text, depth: 0, &left)
  }

  private func expanded(_ text: String, depth: Int, _ left: inout Int) -> String {
    guard depth < 16, text.contains("$"), text.utf8.count <= Self.longest else { return text }
    var result = ""
    var rest = text[...]
    while let dollar = rest.firstIndex(of: "$") {
      result += rest[..<dollar]
      let after = rest.index(after: dollar)
      let closing: Character? =
        after < rest.endIndex ? (rest[after] == "(" ? ")" : rest[after] == "{" ? "}" : nil) : nil
      guard let closing, let end = rest[after...].firstIndex(of: closing) else {
        result.append("$")
        rest = rest[after...]
        continue
      }
      let words = rest[rest.index(after: after)..<end].split(separator: ":", maxSplits: 1).map(String.init)
      let fallback = words.dropFirst().first.flatMap { $0.hasPrefix("default=") ? String($0.dropFirst(8)) : nil }
      if left > 0, result.utf8.count <= Self.longest, let name = words.first, let value = values[name] ?? fallback {
        left -= 1
        result += expanded(value, depth: depth + 1, &left)
      } else {
        result += rest[dollar...end]
      }
      rest = rest[rest.index(after: end)...]
    }
    return result + rest
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
