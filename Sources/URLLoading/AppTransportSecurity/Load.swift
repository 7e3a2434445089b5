import Trust

extension AppTransportSecurity {
  /// One load: what is loaded, with what, on what.
  public struct Load: Sendable, Hashable {
    /// What is loaded; every redirect is a load of its own.
    public var url: LoadURL
    /// The system it happens on.
    public var os: OSVersion
    /// What the app loads it with.
    public var loader: Loader
    /// Whether the network says that an address is direct; nil to tell it from the address.
    ///
    /// How systems tell it for addresses of private networks is not public.
    public var isDirect: Bool?
    /// Whether the app is one of Apple's own, and the system is set up to let those load what they like.
    public var isApplesOwn: Bool
    /// The SDK that the app is linked against; nil for what its Info.plist says, and where that says nothing, for the
    /// system's own.
    public var linkedSDK: OSVersion?

    /// A load.
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

    /// Whether the host is an unqualified name or ends in `.local`.
    var hasLocalName: Bool {
      let host = url.host
      if host.isEmpty || url.address != nil { return false }
      return host.hasSuffix(".local") || host.hasSuffix(".local.") || !host.utf8.contains(UInt8(ascii: "."))
    }

    /// Whether the host is an address that needs no router.
    var hasDirectAddress: Bool { url.address.map { isDirect ?? $0.isDirect } ?? false }
  }
}

/// What an app loads a URL with: App Transport Security covers the URL Loading System and what sits on it.
///
/// Raw values are the words of scenarios and of the command line.
public enum Loader: String, Sendable, Hashable, CaseIterable {
  case urlSession = "URLSession"
  case nsurlConnection = "NSURLConnection"
  case wkWebView = "WKWebView"
  case uiWebView = "UIWebView"
  case avFoundation = "AVFoundation"
  case networkFramework = "Network.framework"

  /// Whether App Transport Security covers loads made with it: not below the URL Loading System.
  public var isCovered: Bool { self != .networkFramework }
  /// Whether the system has it at all: NSURLSession came with iOS 7 and OS X 10.9, WKWebView with iOS 8 and OS X 10.10.
  public func isAvailable(on os: OSVersion) -> Bool {
    switch self {
    case .wkWebView: os.isAtLeast(iOS: (8, 0), macOS: (10, 10))
    case .urlSession: os.isAtLeast(iOS: (7, 0), macOS: (10, 9))
    default: true
    }
  }
  /// Whether it shows web content, which `NSAllowsArbitraryLoadsInWebContent` is about.
  public var isWebView: Bool { self == .wkWebView || self == .uiWebView }
}
