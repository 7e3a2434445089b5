/// A release of a library that evaluates servers for an app.
public struct LibraryVersion: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// The libraries.
  public enum Name: String, Sendable, Hashable, CaseIterable {
    /// AFNetworking: AFSecurityPolicy.
    case afNetworking = "AFNetworking"
    /// Alamofire, with ServerTrustPolicy, or ServerTrustEvaluating since 5.
    case alamofire = "Alamofire"
    /// TrustKit: TSKPinningValidator.
    case trustKit = "TrustKit"
  }

  /// The library.
  public let library: Name
  /// The release's numbers: 2, 5, 1.
  public let numbers: [Int]

  /// Creates a release from its numbers; nil if there is no such release.
  ///
  /// An incomplete number means the last release that begins with it. The `v` of a tag is ignored, so `v3.1` is read as
  /// `3.1`.
  public init?(_ library: Name, _ text: String) {
    let parts = Self.number(text).split(separator: ".", omittingEmptySubsequences: false)
    let wanted = parts.compactMap { Int($0) }
    guard !wanted.isEmpty, wanted.count == parts.count, wanted.count <= 3,
      let release = library.releases.last(where: { Array($0.prefix(wanted.count)) == wanted })
    else { return nil }
    self.library = library
    numbers = release
  }

  /// Finds the release nearest to a number; nil if `text` is not a number.
  ///
  /// It is the last release before the number, or else the first release.
  public init?(nearestTo text: String, of library: Name) {
    let wanted = Self.number(text).split(separator: ".", omittingEmptySubsequences: false).compactMap { Int($0) }
    guard !wanted.isEmpty, let first = library.releases.first else { return nil }
    self.library = library
    numbers = library.releases.last { !wanted.lexicographicallyPrecedes($0) } ?? first
  }

  /// Returns the number after the `v` of a tag.
  private static func number(_ text: String) -> Substring {
    text.lowercased().hasPrefix("v") ? text.dropFirst() : text[...]
  }

  /// Returns the last release covered by `text` that changed the library's decisions; nil if there is none.
  ///
  /// For example, `AFNetworking 2.5` means 2.5.4, and 2.5.3 changed decisions.
  public func change(within text: String) -> String? {
    let count = text.split(separator: " ").last?.split(separator: ".").count ?? 3
    let prefix = numbers.prefix(count)
    let meant = library.releases.filter { $0.starts(with: prefix) }
    let change = library.changes.last { meant.dropFirst().contains($0) }
    return change.map { $0.map(String.init).joined(separator: ".") }
  }

  /// Reads a library and a release number, such as `AFNetworking 2.5.1`.
  public init?(_ text: String) {
    let parts = text.split(separator: " ").map(String.init)
    guard parts.count == 2, let library = Name(rawValue: parts[0]) else { return nil }
    self.init(library, parts[1])
  }

  private init(_ library: Name, numbers: [Int]) {
    self.library = library
    self.numbers = numbers
  }

  /// The number alone: `2.5.1`.
  public var number: String { numbers.map(String.init).joined(separator: ".") }

  /// The library and the release number, such as `AFNetworking 2.5.1`.
  public var description: String { "\(library.rawValue) \(number)" }

  /// Returns whether this is the given release or a later one.
  public func isAtLeast(_ numbers: Int...) -> Bool { !self.numbers.lexicographicallyPrecedes(numbers) }

  /// Orders releases by their numbers.
  public static func < (left: LibraryVersion, right: LibraryVersion) -> Bool {
    left.numbers.lexicographicallyPrecedes(right.numbers)
  }

  /// Every release of every library, in order.
  public static let all = Name.allCases.flatMap { name in
    name.releases.map { LibraryVersion(name, numbers: $0) }
  }
}

extension LibraryVersion.Name {
  /// Every release, in order.
  var releases: [[Int]] {
    switch self {
    case .afNetworking: Self.afNetworkingReleases
    case .alamofire: Self.alamofireReleases
    case .trustKit: Self.trustKitReleases
    }
  }

  /// The releases in which decisions changed.
  fileprivate var changes: [[Int]] {
    switch self {
    case .afNetworking:
      [
        [1, 1, 0], [1, 2, 0], [1, 2, 1], [1, 3, 2], [1, 3, 3], [2, 0, 0], [2, 0, 1], [2, 1, 0], [2, 2, 0], [2, 2, 1],
        [2, 3, 0], [2, 5, 0], [2, 5, 1], [2, 5, 2], [2, 5, 3], [2, 6, 0], [3, 0, 0], [3, 1, 0], [3, 2, 0], [4, 0, 0],
        [4, 0, 1],
      ]
    case .alamofire: [[1, 3, 0], [2, 0, 0], [4, 3, 0], [5, 0, 0]]
    case .trustKit:
      [
        [1, 2, 5], [1, 4, 0], [1, 4, 1], [1, 4, 2], [1, 5, 1], [1, 5, 3], [1, 6, 0], [1, 6, 2], [1, 7, 0], [3, 0, 5],
      ]
    }
  }

  /// The releases of AFNetworking, from the tags of its repository.
  private static let afNetworkingReleases = lines([
    (1, 0, 1), (1, 1, 0), (1, 2, 1), (1, 3, 4), (2, 0, 3), (2, 1, 0), (2, 2, 4), (2, 3, 1), (2, 4, 1), (2, 5, 4),
    (2, 6, 3), (2, 7, 0), (3, 0, 4), (3, 1, 0), (3, 2, 1), (4, 0, 1),
  ])
  private static let alamofireReleases = lines([
    (1, 0, 1), (1, 1, 5), (1, 2, 3), (1, 3, 1), (2, 0, 2), (3, 0, 1), (3, 1, 5), (3, 2, 1), (3, 3, 1), (3, 4, 2),
    (3, 5, 1), (4, 0, 1), (4, 1, 0), (4, 2, 0), (4, 3, 0), (4, 4, 0), (4, 5, 1), (4, 6, 0), (4, 7, 3), (4, 8, 2),
    (4, 9, 1), (5, 0, 5), (5, 1, 0), (5, 2, 2), (5, 3, 0), (5, 4, 4), (5, 5, 0), (5, 6, 4), (5, 7, 1), (5, 8, 1),
    (5, 9, 1), (5, 10, 2), (5, 11, 2), (5, 12, 0),
  ])
  private static let trustKitReleases = lines([
    (1, 2, 5), (1, 3, 4), (1, 4, 2), (1, 5, 3), (1, 6, 5), (1, 7, 0), (2, 0, 1), (3, 0, 7),
  ])

  /// Returns the releases of each minor version up to its last patch. For example, `(2, 5, 4)` means 2.5.0 to 2.5.4.
  private static func lines(_ lines: [(major: Int, minor: Int, last: Int)]) -> [[Int]] {
    lines.flatMap { line in (0...line.last).map { [line.major, line.minor, $0] } }
  }
}
