import Trust

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
  /// Whether the system has it at all: WKWebView came with iOS 8 and OS X 10.10.
  public func isAvailable(on os: OSVersion) -> Bool {
    self != .wkWebView || os.isAtLeast(iOS: (8, 0), macOS: (10, 10))
  }
  /// Whether it shows web content, which `NSAllowsArbitraryLoadsInWebContent` is about.
  public var isWebView: Bool { self == .wkWebView || self == .uiWebView }
}
