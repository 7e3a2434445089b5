import Explanation

/// The existing releases, and messages for releases that do not exist.
///
/// The last release of each line is from "Apple security releases" (support.apple.com/100100). Lines that may still get
/// releases are open (iOS 18, macOS 15, tvOS 18, visionOS 2, and release 26 of every family). For them, any second
/// number up to 9 is accepted, because future releases are not known.
extension OSVersion {
  /// Returns the last second number for each first number. For example, iOS 8 ended with 8.4. In 2025, Apple's first
  /// numbers changed from 18 and 15 to 26.
  private static func lastMinors(of family: Family) -> [Int: Int] {
    switch family {
    case .iOS: lastOfIOS
    case .macOS: [10: lastOfMacOS10.count - 1, 11: 7, 12: 7, 13: 7, 14: 8, 15: open, 26: open]
    case .tvOS: lastOfTVOS
    case .watchOS: lastOfWatchOS
    case .visionOS: [1: 3, 2: open, 26: open]
    case .documentation: [:]
    }
  }

  /// The maximum second number of an open line.
  private static let open = 9
  /// The maximum third number, except for macOS 10, whose third numbers are listed.
  ///
  /// The highest third numbers include those of iOS 16.7.12 and macOS 11.7.10.
  private static let openThird = 19

  private static let lastOfIOS = [
    2: 2, 3: 2, 4: 3, 5: 1, 6: 1, 7: 1, 8: 4, 9: 3, 10: 3, 11: 4, 12: 5, 13: 7, 14: 8, 15: 8, 16: 7, 17: 7, 18: open,
    26: open,
  ]
  private static let lastOfTVOS = [
    9: 2, 10: 2, 11: 4, 12: 4, 13: 4, 14: 7, 15: 6, 16: 6, 17: 6, 18: open, 26: open,
  ]
  private static let lastOfWatchOS = [
    1: 0, 2: 2, 3: 2, 4: 3, 5: 3, 6: 3, 7: 6, 8: 8, 9: 6, 10: 6, 11: 6, 26: open,
  ]
  /// The last third number of each macOS 10 release: 10.0.4 to 10.15.7.
  ///
  /// For macOS 10, the second number names the release.
  private static let lastOfMacOS10 = [4, 5, 8, 9, 11, 8, 8, 5, 5, 5, 5, 6, 6, 6, 6, 7]

  private static func lastThird(_ family: Family, _ major: Int, _ minor: Int) -> Int {
    guard family == .macOS, major == 10 else { return openThird }
    return lastOfMacOS10.indices.contains(minor) ? lastOfMacOS10[minor] : 0
  }

  /// Returns whether `family` has a release with these one to three numbers.
  static func exists(_ family: Family, _ numbers: [Int]) -> Bool {
    guard let major = numbers.first, let last = lastMinors(of: family)[major] else { return false }
    let minor = numbers.count > 1 ? numbers[1] : 0
    return minor <= last && (numbers.count < 3 || numbers[2] <= lastThird(family, major, minor))
  }

  /// Describes the releases of a family.
  public static func releases(of family: Family) -> String {
    switch family {
    case .iOS: "iOS 2 to 18 and 26"
    case .macOS: "macOS 10.0 to 10.15, 11 to 15 and 26"
    case .tvOS: "tvOS 9 to 18 and 26"
    case .watchOS: "watchOS 1 to 11 and 26"
    case .visionOS: "visionOS 1, 2 and 26"
    case .documentation: "doc"
    }
  }
}

// Suggestions.
extension OSVersion {
  /// Returns the error for `text`, which is not a release that scenarios support.
  public static func message(for text: String) -> String {
    guard let (family, numbers) = asked(text), !family.isBesideIOS, !exists(family, numbers) else {
      return "unknown operating system '\(text)'"
    }
    return "\(text) does not exist"
  }

  /// Returns the suggestion for `text`, which is not a release. If it names a family, the suggestion is the nearest
  /// release.
  public static func hint(for text: String) -> String {
    let usual = "write iOS 10, iOS 18.4, macOS 10.13 or doc"
    let words = text.split(separator: " ").map(String.init)
    let others = Family.allCases.filter(\.isBesideIOS)
    if let name = words.first, let family = others.first(where: { $0.rawValue.lowercased() == name.lowercased() }) {
      let numbers = releases(of: family).dropFirst(family.rawValue.count + 1)
      return "\(family.rawValue) (\(numbers)) is not simulated: \(usual)"
    }
    guard let near = nearest(to: text) else {
      guard let name = defaultName(of: text), name != text else { return usual }
      return OSVersion(name).map { "did you mean '\($0)'?" } ?? hint(for: name)
    }
    if let limit = end(of: text) { return "\(limit); did you mean '\(near)'?" }
    return "did you mean '\(near)'? There are \(releases(of: near.family))"
  }

  /// Returns the name in the spelling of scenarios: `iOS 18.4` for `iPadOS18.4`. The release need not exist.
  ///
  /// The result is nil if the text contains no number, or no system that scenarios know.
  public static func defaultName(of name: String) -> String? {
    let letters = name.lowercased().prefix { !$0.isNumber }.filter { $0 != " " }
    let families = ["ios": "iOS", "ipados": "iOS", "macos": "macOS", "osx": "macOS"]
    let number = name.drop { !$0.isNumber }
    return number.isEmpty ? nil : families[letters].map { "\($0) \(number)" }
  }

  /// Describes the end of the line that `text` exceeds, such as `the last iOS 8 is 8.4`; nil if there is no such line.
  public static func end(of text: String) -> String? {
    guard let (family, numbers) = asked(text), !exists(family, numbers),
      let last = lastMinors(of: family)[numbers[0]]
    else { return nil }
    let major = numbers[0]
    let minor = numbers.count > 1 ? numbers[1] : 0
    let line = "\(family.rawValue) \(major)"
    if minor > last {
      let end = "\(major)" + (last == 0 ? "" : ".\(last)")
      return last == open ? "\(line) is accepted up to \(end)" : "the last \(line) is \(end)"
    }
    let third = lastThird(family, major, minor)
    if family == .macOS, major == 10 { return "the last \(line).\(minor) is \(major).\(minor).\(third)" }
    return "the third number is at most \(third)"
  }

  /// Returns the release nearest to `text`, which names a family and a number, but not an existing release.
  public static func nearest(to text: String) -> OSVersion? {
    guard let (family, numbers) = asked(text) else { return nil }
    let lasts = lastMinors(of: family)
    let minor = numbers.count > 1 ? numbers[1] : 0
    if let last = lasts[numbers[0]], minor <= last { return OSVersion(family, numbers[0], minor) }
    if let meant = withDotElsewhere(family, numbers) { return meant }
    let major = lasts.keys.min { (abs($0 - numbers[0]), $0) < (abs($1 - numbers[0]), $1) } ?? numbers[0]
    guard major == numbers[0], let last = lasts[major], last != open else { return OSVersion(family, major) }
    return OSVersion(family, major, last)
  }

  /// Returns the release with the same digits and its dot in another place, such as iOS 18.4 for iOS 8.14.
  private static func withDotElsewhere(_ family: Family, _ numbers: [Int]) -> OSVersion? {
    guard numbers.count > 1 else { return nil }
    let (major, minor) = (String(numbers[0]), String(numbers[1]))
    let digits = (major + minor).sorted()
    let releases = lastMinors(of: family).sorted { $0.key < $1.key }.flatMap { first, last in
      (0...last).dropFirst().map { OSVersion(family, first, $0) }
    }
    let same = releases.filter { release in
      String(release.major).count != major.count && "\(release.major)\(release.minor)".sorted() == digits
    }
    let nearest = Spelling.nearest(to: "\(major).\(minor)", among: same.map { "\($0.major).\($0.minor)" })
    return same.first { "\($0.major).\($0.minor)" == nearest }
  }

  /// Returns the family and the numbers in `text`, for any platform and in any case; nil if there are none.
  private static func asked(_ text: String) -> (family: Family, numbers: [Int])? {
    let words = text.split(separator: " ").map { $0.lowercased() }
    let name = words.dropLast().joined(separator: " ")
    let named = Family.allCases.first { $0 != .documentation && $0.rawValue.lowercased() == name }
    guard let last = words.last, let numbers = numbers(last[...], isExact: false),
      let family = named ?? (name == "os x" ? .macOS : nil)
    else { return nil }
    return (family, numbers)
  }
}

// The releases as a regular expression.
extension OSVersion {
  /// A regular expression for the texts that `init` reads.
  public static let pattern = "^(iOS \(expression(of: .iOS))|(macOS|OS X) \(expression(of: .macOS))|doc)$"

  private static func expression(of family: Family) -> String {
    let lines = lastMinors(of: family).sorted { $0.key < $1.key }.map { major, last in
      let minors = (0...last).map { ($0, "(\\.\(upTo(lastThird(family, major, $0))))?") }
      return (major, "(\\.\(alternatives(minors)))?")
    }
    return alternatives(lines)
  }

  /// Combines numbers that have the same continuation.
  private static func alternatives(_ numbers: [(number: Int, tail: String)]) -> String {
    var groups: [(numbers: [Int], tail: String)] = []
    for (number, tail) in numbers {
      if let same = groups.firstIndex(where: { $0.tail == tail }) {
        groups[same].numbers.append(number)
      } else {
        groups.append(([number], tail))
      }
    }
    let words = groups.map { group in
      let last = group.numbers.count - 1
      if last > 0, group.numbers == Array(0...last) { return upTo(last) + group.tail }
      let numbers = group.numbers.map(String.init).joined(separator: "|")
      return (last > 0 ? "(\(numbers))" : numbers) + group.tail
    }
    return words.count == 1 ? words[0] : "(" + words.joined(separator: "|") + ")"
  }

  /// Returns an expression for the numbers from 0 to `last`, which must be below 20.
  private static func upTo(_ last: Int) -> String { last < 10 ? "[0-\(last)]" : "([0-9]|1[0-\(last - 10)])" }
}
