import URLLoading

extension AppTransportSecurity {
  /// What a property list belongs to: App Transport Security reads that of a process's own bundle alone.
  public enum PropertyListNature: Sendable, Hashable {
    /// An app, an app extension or an XPC service, or something that does not say what it is.
    case app
    /// A framework, a bundle of resources or of tests.
    case framework
    /// No Info.plist: settings of a tool, texts, data.
    case other

    /// What `root` is, by its CFBundlePackageType (a build setting may stand there) and its other keys.
    public init(_ root: PropertyList.Dictionary) {
      switch root["CFBundlePackageType"]?.string {
      case "FMWK", "BNDL": self = .framework
      case _?: self = .app
      case nil:
        let isOfBundle = root.keys.contains { key in
          key.hasPrefix("CFBundle") || key.hasPrefix("UI") || key.hasPrefix("LS")
            || key == Key.appTransportSecurity.name
            || key == "NSExtension" || key.hasSuffix("UsageDescription")
        }
        self = isOfBundle ? .app : .other
      }
    }
  }
}
