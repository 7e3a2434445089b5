// The expansion of build settings.
extension BuildSettings {
  /// The maximum length of a value in bytes. A setting is one line of text, so a longer value refers to itself.
  static let longest = 1 << 16
  /// The maximum number of replacements in one text.
  private static let mostReplacements = 1000

  /// Returns whether a text contains a setting that has not been replaced.
  public static func isUnexpanded(_ text: String) -> Bool {
    text.utf8.contains(UInt8(ascii: "$")) && (text.contains("$(") || text.contains("${"))
  }

  /// Returns the property list with known settings replaced in its keys and texts.
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

  /// Replaces `$(NAME)`, `${NAME}` and `$(NAME:operator)` with their values, which may contain other settings.
  ///
  /// Unknown settings are not replaced. Names can also contain settings, as in `$(HOST_$(KIND))`; the inner setting is
  /// replaced first.
  public func expanded(_ text: String) -> String {
    var left = Self.mostReplacements
    return expanded(text, within: [], &left)
  }

  private func expanded(_ text: String, within names: [String], _ left: inout Int) -> String {
    guard names.count < 16, text.utf8.count <= Self.longest, Self.isUnexpanded(text) else { return text }
    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    var index = 0
    for reference in Self.references(in: bytes) {
      result += bytes[index..<reference.lowerBound]
      let inner = String(decoding: bytes[(reference.lowerBound + 2)..<(reference.upperBound - 1)], as: UTF8.self)
      if left > 0, result.count <= Self.longest, let value = value(of: inner, within: names, &left) {
        result += value.utf8
      } else {
        result += bytes[reference]
      }
      index = reference.upperBound
    }
    return String(decoding: result + bytes[index...], as: UTF8.self)
  }

  /// Returns the value of `NAME:operator:operator` during the expansion of the values of `names`.
  ///
  /// The result is nil if the name or an operator is unknown, or if the value would contain itself.
  private func value(of inner: String, within names: [String], _ left: inout Int) -> String? {
    let (head, operators) = Self.parts(of: inner)
    let name = expanded(head, within: names + [""], &left)
    left -= 1
    var value =
      !name.isEmpty && names.contains(name)
      ? nil : known(name, within: names).map { expanded($0, within: names + [name], &left) }
    for written in operators {
      guard let step = Operator(written) else { return nil }
      if case .fallback(let text) = step {
        if value?.isEmpty ?? true { value = expanded(text, within: names + [name], &left) }
      } else {
        guard let known = value, !Self.isUnexpanded(known), let changed = step.applied(to: known) else { return nil }
        value = changed
      }
    }
    return value
  }

  /// Returns the unexpanded value of a name. An empty name has an empty value.
  ///
  /// `http:/$()/` is a way to write two slashes, which otherwise begin a comment in these files.
  private func known(_ name: String, within names: [String]) -> String? {
    if name.isEmpty { return "" }
    let isInSetting = names.contains { !$0.isEmpty }
    return values[name] ?? (name == "CONFIGURATION" && isInSetting ? configuration : nil)
  }

  /// The settings whose expansion never ends, in order. They refer to themselves, or to such a setting.
  public var endless: [String] {
    var open = values.mapValues { Set(Self.names(in: $0)).filter { values[$0] != nil } }
    var users: [String: [String]] = [:]
    for (name, used) in open { for other in used { users[other, default: []].append(name) } }
    var ending = open.filter { $0.value.isEmpty }.map(\.key)
    while let name = ending.popLast() {
      open[name] = nil
      for user in users[name] ?? [] where open[user]?.remove(name) != nil && open[user]?.isEmpty == true {
        ending.append(user)
      }
    }
    return open.keys.sorted()
  }

  /// Returns the literal names in a text. Names that contain other settings are known only after expansion.
  private static func names(in text: String) -> [String] {
    let bytes = Array(text.utf8)
    return references(in: bytes).map {
      parts(of: String(decoding: bytes[($0.lowerBound + 2)..<($0.upperBound - 1)], as: UTF8.self)).name
    }
  }

  /// Returns the first operator of a text that TrustLab does not support.
  package static func unknownOperator(in text: String) -> String? {
    let bytes = Array(text.utf8)
    for reference in references(in: bytes) {
      let inner = String(decoding: bytes[(reference.lowerBound + 2)..<(reference.upperBound - 1)], as: UTF8.self)
      if let unknown = parts(of: inner).operators.first(where: { Operator($0) == nil }) { return unknown }
    }
    return nil
  }

  /// Returns the ranges of the outermost `$(…)` and `${…}`, in order.
  private static func references(in bytes: [UInt8]) -> [Range<Int>] {
    var open: [(start: Int, close: UInt8)] = []
    var found: [Range<Int>] = []
    for (index, byte) in bytes.enumerated() {
      let next = index + 1 < bytes.count ? bytes[index + 1] : 0
      if byte == UInt8(ascii: "$"), next == UInt8(ascii: "(") {
        open.append((index, UInt8(ascii: ")")))
      } else if byte == UInt8(ascii: "$"), next == UInt8(ascii: "{") {
        open.append((index, UInt8(ascii: "}")))
      } else if let last = open.last, byte == last.close {
        open.removeLast()
        while let inner = found.last, inner.lowerBound > last.start { found.removeLast() }
        found.append(last.start..<(index + 1))
      }
    }
    return found
  }

  /// Splits a setting into its name and its operators at the colons, except for colons inside nested settings.
  private static func parts(of inner: String) -> (name: String, operators: [String]) {
    let bytes = Array(inner.utf8)
    var texts: [String] = []
    var start = 0
    var nested = references(in: bytes)[...]
    for (index, byte) in bytes.enumerated() {
      if let next = nested.first, index >= next.upperBound { nested = nested.dropFirst() }
      guard byte == UInt8(ascii: ":"), nested.first?.contains(index) != true else { continue }
      texts.append(String(decoding: bytes[start..<index], as: UTF8.self))
      start = index + 1
    }
    let last = String(decoding: bytes[start...], as: UTF8.self)
    return (texts.first ?? last, Array((texts + [last]).dropFirst()))
  }
}

extension BuildSettings {
  /// The text operators of swift-build, Xcode's open-source build system (`MacroEvaluationProgram.swift`).
  ///
  /// Its other operators are for paths.
  private enum Operator {
    case lower, upper, identifier, rfc1034identifier, c99extidentifier
    /// The operator `default=VALUE`, for a setting that is not set or is empty.
    case fallback(String)

    init?(_ written: String) {
      switch written {
      case "lower": self = .lower
      case "upper": self = .upper
      case "identifier": self = .identifier
      case "rfc1034identifier": self = .rfc1034identifier
      case "c99extidentifier": self = .c99extidentifier
      case _ where written.hasPrefix("default="): self = .fallback(String(written.dropFirst(8)))
      default: return nil
      }
    }

    /// Applies the operator to a value; nil if the result is uncertain.
    func applied(to value: String) -> String? {
      switch self {
      case .lower: value.lowercased()
      case .upper: value.uppercased()
      case .identifier: Self.replacing(in: value, by: "_")
      case .rfc1034identifier: Self.replacing(in: value, by: "-")
      case .c99extidentifier:
        // Many letters outside ASCII are kept, and a separate rule applies to a leading digit.
        value.utf8.allSatisfy { $0 < 128 } && value.first?.isNumber != true ? Self.replacing(in: value, by: "_") : nil
      case .fallback: value
      }
    }

    /// Replaces everything except ASCII letters and digits, and a leading digit, with `mark`.
    private static func replacing(in value: String, by mark: Character) -> String? {
      // Combined characters are decomposed first.
      guard value.utf8.allSatisfy({ $0 < 128 }) else { return nil }
      return String(
        value.enumerated().map { index, character in
          character.isLetter || character == mark || index > 0 && character.isNumber ? character : mark
        })
    }
  }
}
