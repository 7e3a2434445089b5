/// The operating system a client runs: what decides which of Apple's rules of which year are in force.
public struct OSVersion: Sendable, Hashable, CustomStringConvertible {
  /// The line of releases a version belongs to.
  public enum Family: String, Sendable, Hashable, CaseIterable {
    case iOS
    case macOS
    /// Apple's documentation taken literally, as it reads today, rather than any release.
    case documentation = "doc"
  }

  /// The line of releases.
  public let family: Family
  /// The major number: 18 of iOS 18.4, 10 of macOS 10.11, 0 of the documentation.
  public let major: Int
  /// The minor number: 4 of iOS 18.4, 11 of macOS 10.11.
  public let minor: Int

  /// The release `major.minor` of `family`.
  public init(_ family: Family, _ major: Int, _ minor: Int = 0) {
    self.family = family
    self.major = major
    self.minor = minor
  }

  /// Apple's documentation taken literally.
  public static let documentation = OSVersion(.documentation, 0)

  /// A release as scenarios write it: `iOS 9`, `iOS 18.4`, `macOS 10.11`, `doc`; nil when it is none.
  ///
  /// A third number, as in `iOS 9.3.5`, is read and has no effect. `OS X` is read as `macOS`.
  public init?(_ text: String) {
    if text == Family.documentation.rawValue {
      self = .documentation
      return
    }
    guard let space = text.lastIndex(of: " "), let family = Self.families[String(text[..<space])],
      let numbers = Self.numbers(text[text.index(after: space)...])
    else { return nil }
    self.init(family, numbers[0], numbers.count > 1 ? numbers[1] : 0)
  }

  /// Whether this is that release of its family or a later one. The documentation is later than every release.
  public func isAtLeast(iOS: (major: Int, minor: Int), macOS: (major: Int, minor: Int)) -> Bool {
    switch family {
    case .iOS: (major, minor) >= iOS
    case .macOS: (major, minor) >= macOS
    case .documentation: true
    }
  }

  /// As scenarios write it: `iOS 18.4`, `iOS 9`, `macOS 10.11`, `macOS 14`, `doc`.
  public var description: String {
    if family == .documentation { return family.rawValue }
    return "\(family.rawValue) \(major)" + (minor == 0 ? "" : ".\(minor)")
  }

  private static let families: [String: Family] = ["iOS": .iOS, "macOS": .macOS, "OS X": .macOS]

  private static func numbers(_ text: Substring) -> [Int]? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { part in
      part.utf8.allSatisfy { (48...57).contains($0) } && part.utf8.count <= 4 ? Int(part) : nil
    }
    guard (1...3).contains(parts.count), numbers.count == parts.count, numbers[0] > 0 else { return nil }
    return numbers
  }
}

extension OSVersion: Comparable {
  /// Earlier releases of a family come first; releases of different families are in the order of `Family`.
  public static func < (left: OSVersion, right: OSVersion) -> Bool {
    (left.family.position, left.major, left.minor) < (right.family.position, right.major, right.minor)
  }
}

extension OSVersion.Family {
  fileprivate var position: Int { Self.allCases.firstIndex(of: self) ?? Self.allCases.count }
}
