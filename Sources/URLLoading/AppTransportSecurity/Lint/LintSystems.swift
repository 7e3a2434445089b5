import Trust

extension AppTransportSecurity {
  /// The systems that a property list is looked at for.
  struct LintSystems {
    /// One of each era of interest, or those that someone named.
    let all: [OSVersion]

    /// Those named; else what the app says it runs on; else everything since iOS 10, when App Transport Security took
    /// the shape it still has.
    init(named: [OSVersion], infoPlist: PropertyList.Dictionary) {
      if !named.isEmpty {
        all = named
      } else if let first = Self.first(infoPlist["MinimumOSVersion"], of: .iOS) {
        all = [first] + Self.iOS.filter { $0 > first }
      } else if let first = Self.first(infoPlist["LSMinimumSystemVersion"], of: .macOS) {
        all = [first] + Self.macOS.filter { $0 > first }
      } else {
        all = Self.iOS
      }
    }

    private static let iOS = [(10, 0), (14, 0), (17, 0), (18, 4), (26, 4)].map { OSVersion(.iOS, $0.0, $0.1) }
    private static let macOS = [(10, 12), (11, 0), (14, 0), (15, 4), (26, 4)].map { OSVersion(.macOS, $0.0, $0.1) }

    private static func first(_ value: PropertyList?, of family: OSVersion.Family) -> OSVersion? {
      value?.string.flatMap { OSVersion("\(family.rawValue) \($0)") }
    }

    /// Those with App Transport Security.
    var covered: [OSVersion] { all.filter { Profile($0).name != .none } }

    /// Whether some of them know the three keys of iOS 10, whose presence turns `NSAllowsArbitraryLoads` off.
    var knowNewerGlobals: Bool { all.contains { Profile($0).knowsNewerGlobals } }
  }
}

extension AppTransportSecurity.Key {
  /// The first releases that know the key, of each family; nil where there are none.
  var firstReleases: (iOS: OSVersion, macOS: OSVersion)? {
    let releases = since.split(separator: ",").map { $0.drop { $0 == " " } }.compactMap { OSVersion(String($0)) }
    guard let iOS = releases.first(where: { $0.family == .iOS }),
      let macOS = releases.first(where: { $0.family == .macOS })
    else { return nil }
    return (iOS, macOS)
  }

  /// Whether some release is known to read it.
  public var wasEverRead: Bool { firstReleases != nil }

  /// Whether `os` is older than the key.
  func isUnknown(to os: OSVersion) -> Bool {
    guard let first = firstReleases else { return false }
    return !os.isAtLeast(iOS: (first.iOS.major, first.iOS.minor), macOS: (first.macOS.major, first.macOS.minor))
  }
}
