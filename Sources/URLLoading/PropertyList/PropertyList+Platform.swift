import Trust

extension PropertyList.Dictionary {
  /// The platform that an app was built for, as Xcode writes it into the Info.plist, or that of watches where its author has
  /// written that it is for one; nil where nothing says.
  public var platform: OSVersion.Family? {
    let names =
      (self["CFBundleSupportedPlatforms"]?.array?.compactMap(\.string) ?? [])
      + [self["DTPlatformName"]?.string].compactMap(\.self)
    let families: [(prefix: String, family: OSVersion.Family)] = [
      ("macosx", .macOS), ("iphone", .iOS), ("appletv", .tvOS), ("watch", .watchOS), ("xr", .visionOS),
    ]
    let built = families.first { prefix, _ in names.contains { $0.lowercased().hasPrefix(prefix) } }?.family
    return built ?? (isOfWatch ? .watchOS : nil)
  }

  /// The keys that Xcode demands of an app for watches, and the number of their family (installd refuses one without it:
  /// WatchKitAppInvalidUIDeviceFamily).
  private var isOfWatch: Bool {
    ["WKApplication", "WKWatchKitApp"].contains { self[$0] == .boolean(true) } || self["UIDeviceFamily"] == .array([4])
  }

  /// Whose it is: by the platform that it was built for, else by the bundle that it lies in, else by the release that
  /// it needs; iOS where nothing says.
  public func platform(inBundleOf bundle: OSVersion.Family?) -> OSVersion.Family {
    if let family = platform ?? bundle { return family }
    return self["LSMinimumSystemVersion"] != nil && firstRelease(of: .iOS) == nil ? .macOS : .iOS
  }

  /// The key of the first release of `family` that an app runs on.
  package static func firstReleaseKey(of family: OSVersion.Family) -> String {
    family == .macOS ? "LSMinimumSystemVersion" : "MinimumOSVersion"
  }

  /// The first release of `family` that the app runs on; nil where it names none that there is.
  public func firstRelease(of family: OSVersion.Family) -> OSVersion? {
    let number = self[Self.firstReleaseKey(of: family)]?.string
    return number.flatMap { OSVersion(ofAnyPlatform: "\(family.rawValue) \($0)") }
  }

  /// The key of an Info.plist with the SDK that the app was linked with.
  package static let linkedSDKKey = "DTSDKName"

  /// The SDK that the app was linked with, where Xcode has written it into the built app: DTSDKName.
  public var linkedSDK: OSVersion? {
    guard let name = self[Self.linkedSDKKey]?.string else { return nil }
    let families = [
      ("iphoneos", "iOS"), ("iphonesimulator", "iOS"), ("macosx", "macOS"), ("appletvos", "tvOS"),
      ("watchos", "watchOS"), ("xros", "visionOS"),
    ]
    return families.lazy.compactMap { prefix, family in
      name.hasPrefix(prefix) ? OSVersion(ofAnyPlatform: "\(family) \(name.dropFirst(prefix.count))") : nil
    }.first
  }
}
