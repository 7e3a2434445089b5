import Trust

extension PropertyList.Dictionary {
  /// The platform that an app was built for; nil if the Info.plist does not show it.
  ///
  /// Xcode writes the platform into the Info.plist. For watches, the keys that the author writes are also used.
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

  /// Whether the Info.plist has the keys or the device family of an app for watches.
  ///
  /// Xcode requires the keys. Without the device family, installd refuses the app (WatchKitAppInvalidUIDeviceFamily).
  private var isOfWatch: Bool {
    ["WKApplication", "WKWatchKitApp"].contains { self[$0] == .boolean(true) } || self["UIDeviceFamily"] == .array([4])
  }

  /// Returns the platform of the app.
  ///
  /// The first known value of these determines it: the platform that the app was built for, its bundle, the release
  /// that it requires. The default is iOS.
  public func platform(inBundleOf bundle: OSVersion.Family?) -> OSVersion.Family {
    if let family = platform ?? bundle { return family }
    return self["LSMinimumSystemVersion"] != nil && firstRelease(of: .iOS) == nil ? .macOS : .iOS
  }

  package static func firstReleaseKey(of family: OSVersion.Family) -> String {
    family == .macOS ? "LSMinimumSystemVersion" : "MinimumOSVersion"
  }

  /// Returns the first release of `family` that the app runs on; nil if it states none that exists.
  public func firstRelease(of family: OSVersion.Family) -> OSVersion? {
    let number = self[Self.firstReleaseKey(of: family)]?.string
    return number.flatMap { OSVersion(ofAnyPlatform: "\(family.rawValue) \($0)") }
  }

  /// The Info.plist key of the SDK that the app was linked with.
  package static let linkedSDKKey = "DTSDKName"

  /// The SDK that the app was linked with; nil unless Xcode wrote it into the built app (DTSDKName).
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
