import URLLoading

extension AppTransportSecurity {
  /// The kind of bundle that a property list belongs to. App Transport Security uses only the property list of the
  /// process's own bundle.
  public enum PropertyListNature: Sendable, Hashable {
    /// An app, an app extension, an XPC service, or a property list that does not state its kind.
    case app
    /// A framework, or a bundle with resources or tests.
    case framework
    /// A property list that is not an Info.plist, such as the settings of a tool, texts, or data.
    case other

    /// Determines the kind from CFBundlePackageType (which may contain a build setting) and the other keys of `root`.
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
