import Trust

extension AppTransportSecurity {
  /// A URL load: the URL, the loader and the system.
  public struct Load: Sendable, Hashable {
    /// The URL. Every redirect is a separate load.
    public var url: LoadURL
    /// The system that the load runs on.
    public var os: OSVersion
    /// The API that the app uses.
    public var loader: Loader
    /// Whether the network reports the address as direct. If it is nil, the address itself determines this.
    ///
    /// Apple does not document how systems classify addresses of private networks.
    public var isDirect: Bool?
    /// Whether the app is one of Apple's own, and the system's settings exempt such apps.
    public var isApplesOwn: Bool
    /// The SDK that the app is linked against.
    ///
    /// If it is nil, the SDK in the app's Info.plist is used, or else the system's own SDK.
    public var linkedSDK: OSVersion?

    /// Creates a load.
    public init(
      _ url: LoadURL, os: OSVersion, loader: Loader = .urlSession, isDirect: Bool? = nil, linkedSDK: OSVersion? = nil,
      isApplesOwn: Bool = false
    ) {
      self.url = url
      self.os = os
      self.loader = loader
      self.isDirect = isDirect
      self.linkedSDK = linkedSDK
      self.isApplesOwn = isApplesOwn
    }

    var hasLocalName: Bool {
      let host = url.host
      if host.isEmpty || url.address != nil { return false }
      return host.hasSuffix(".local") || host.hasSuffix(".local.") || !host.utf8.contains(UInt8(ascii: "."))
    }

    /// Whether the host is an address that is reachable without a router.
    var hasDirectAddress: Bool { url.address.map { isDirect ?? $0.isDirect } ?? false }
  }
}

/// An API that loads URLs. App Transport Security covers the URL Loading System and the APIs that are based on it.
///
/// The raw values are the keywords in scenario files and on the command line.
public enum Loader: String, Sendable, Hashable, CaseIterable {
  case urlSession = "URLSession"
  case nsurlConnection = "NSURLConnection"
  case wkWebView = "WKWebView"
  case uiWebView = "UIWebView"
  case avFoundation = "AVFoundation"
  case networkFramework = "Network.framework"

  /// Whether App Transport Security covers the loader. It does not cover APIs below the URL Loading System.
  public var isCovered: Bool { self != .networkFramework }
  /// Returns whether the system has the API.
  ///
  /// NSURLSession was introduced with iOS 7 and OS X 10.9, and WKWebView with iOS 8 and OS X 10.10.
  public func isAvailable(on os: OSVersion) -> Bool {
    switch self {
    case .wkWebView: os.isAtLeast(iOS: (8, 0), macOS: (10, 10))
    case .urlSession: os.isAtLeast(iOS: (7, 0), macOS: (10, 9))
    default: true
    }
  }
  /// Whether the loader shows web content, so that `NSAllowsArbitraryLoadsInWebContent` applies.
  public var isWebView: Bool { self == .wkWebView || self == .uiWebView }
}
