/// A client's operating system, which determines the rules of Apple that apply.
public struct OSVersion: Sendable, Hashable, CustomStringConvertible {
  /// The family of releases.
  public enum Family: String, Sendable, Hashable, CaseIterable {
    case iOS
    case macOS
    /// Families for which only App Transport Security is simulated, with the iOS of the same year.
    case tvOS, watchOS, visionOS
    /// The literal interpretation of Apple's current documentation, instead of a release.
    case documentation = "doc"
  }

  /// The family of releases.
  public let family: Family
  /// The major number: 18 for iOS 18.4, 10 for macOS 10.11, and 0 for the documentation.
  public let major: Int
  /// The minor number: 4 for iOS 18.4, and 11 for macOS 10.11.
  public let minor: Int

  /// Creates the release `major.minor` of `family`.
  public init(_ family: Family, _ major: Int, _ minor: Int = 0) {
    self.family = family
    self.major = major
    self.minor = minor
  }

  /// The literal interpretation of Apple's documentation.
  public static let documentation = OSVersion(.documentation, 0)

  /// Reads a release in the spelling of scenarios: `iOS 9`, `iOS 18.4`, `macOS 10.11`, `doc`; nil if it does not exist.
  ///
  /// A third number, as in `iOS 9.3.5`, is accepted but has no effect. For macOS 10, it must exist; for other systems,
  /// it can be up to 19. `OS X` is read as `macOS`.
  public init?(_ text: String) {
    if text == Family.documentation.rawValue {
      self = .documentation
      return
    }
    guard let space = text.lastIndex(of: " "), let family = Self.families[String(text[..<space])],
      let numbers = Self.numbers(text[text.index(after: space)...]), Self.exists(family, numbers)
    else { return nil }
    self.init(family, numbers[0], numbers.count > 1 ? numbers[1] : 0)
  }

  /// Reads a release of any Apple platform, such as `tvOS 17.4` or `visionOS 1`, including platforms that scenarios do
  /// not support.
  public init?(ofAnyPlatform text: String) {
    let name = String(text.prefix { $0 != " " })
    guard let family = Family(rawValue: name), family.isBesideIOS else {
      self.init(text)
      return
    }
    guard let numbers = Self.numbers(text.dropFirst(name.count + 1)), Self.exists(family, numbers) else { return nil }
    self.init(family, numbers[0], numbers.count > 1 ? numbers[1] : 0)
  }

  /// The iOS of the same year for tvOS, watchOS and visionOS, which share its frameworks; the release itself for
  /// others.
  public var contemporary: OSVersion {
    switch family {
    case .iOS, .macOS, .documentation: self
    case .tvOS: OSVersion(.iOS, major, minor)
    // watchOS 2 was released with iOS 9, and visionOS 1 with iOS 17; since 2025, all systems have the same number.
    case .watchOS: OSVersion(.iOS, major < 26 ? major + 7 : major, minor)
    case .visionOS: OSVersion(.iOS, major < 26 ? major + 16 : major, minor)
    }
  }

  /// Returns whether this is the given release of its family or a later one. The documentation is later than every
  /// release.
  public func isAtLeast(iOS: (major: Int, minor: Int), macOS: (major: Int, minor: Int)) -> Bool {
    switch family {
    case .iOS: (major, minor) >= iOS
    case .macOS: (major, minor) >= macOS
    case .tvOS, .watchOS, .visionOS: (contemporary.major, contemporary.minor) >= iOS
    case .documentation: true
    }
  }

  /// The release in the spelling of scenarios: `iOS 18.4`, `iOS 9`, `macOS 10.11`, `macOS 14`, `doc`.
  public var description: String {
    if family == .documentation { return family.rawValue }
    return "\(family.rawValue) \(major)" + (minor == 0 ? "" : ".\(minor)")
  }

  private static let families: [String: Family] = ["iOS": .iOS, "macOS": .macOS, "OS X": .macOS]

  /// Reads the one to three numbers of a release; nil for other text.
  ///
  /// - Parameter isExact: whether `18.04` is rejected instead of read as 18.4.
  static func numbers(_ text: Substring, isExact: Bool = true) -> [Int]? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { part in
      let isNumber = part.utf8.allSatisfy { (48...57).contains($0) } && part.utf8.count <= 4
      return isNumber && !(isExact && part.count > 1 && part.first == "0") ? Int(part) : nil
    }
    guard (1...3).contains(parts.count), numbers.count == parts.count, numbers[0] > 0 else { return nil }
    return numbers
  }
}

extension OSVersion: Comparable {
  /// Orders releases within a family. Releases of different families have the order of `Family`.
  public static func < (left: OSVersion, right: OSVersion) -> Bool {
    (left.family.position, left.major, left.minor) < (right.family.position, right.major, right.minor)
  }
}

extension OSVersion.Family {
  /// Whether only App Transport Security is simulated for the system, with the iOS of the same year.
  public var isBesideIOS: Bool { [.tvOS, .watchOS, .visionOS].contains(self) }

  fileprivate var position: Int { Self.allCases.firstIndex(of: self) ?? Self.allCases.count }
}
