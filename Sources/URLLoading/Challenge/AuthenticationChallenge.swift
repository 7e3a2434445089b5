/// One question of the system to an app: `NSURLAuthenticationChallenge`.
public struct AuthenticationChallenge: Sendable, Hashable {
  /// What it is about.
  public let space: ProtectionSpace
  /// How many attempts of this load have failed so far, over all schemes together.
  public let previousFailureCount: Int
  /// A credential that the system has: out of the URL or the storage. With failures it is the one that has failed.
  public let proposedCredential: Credential?
  /// The status code of the response that asked: 401; nil for challenges of TLS.
  public let failureResponse: Int?

  /// A challenge about `space`.
  public init(
    _ space: ProtectionSpace, failures: Int = 0, proposed: Credential? = nil, response: Int? = nil
  ) {
    self.space = space
    previousFailureCount = failures
    proposedCredential = proposed
    failureResponse = response
  }

  /// What is asked.
  public var method: AuthenticationMethod { space.method }
}

/// The methods of a delegate that the system may call with a challenge.
///
/// Raw values are the words of scenarios.
public enum DelegateMethod: String, Sendable, Hashable, CaseIterable {
  /// NSURLConnection, iOS 5 and later: the only one that is called where it is there.
  case willSendRequest
  /// NSURLConnection: is the app able to answer for this space? Deprecated with iOS 8.
  case canAuthenticate
  /// NSURLConnection: called after a yes. Deprecated with iOS 8.
  case didReceive
  /// NSURLSession's own delegate.
  case session
  /// The delegate of a task.
  case task
  /// WKWebView's navigation delegate.
  case navigation

  /// The method's selector.
  public var selector: String {
    switch self {
    case .willSendRequest: "connection:willSendRequestForAuthenticationChallenge:"
    case .canAuthenticate: "connection:canAuthenticateAgainstProtectionSpace:"
    case .didReceive: "connection:didReceiveAuthenticationChallenge:"
    case .session: "URLSession:didReceiveChallenge:completionHandler:"
    case .task: "URLSession:task:didReceiveChallenge:completionHandler:"
    case .navigation: "webView:didReceiveAuthenticationChallenge:completionHandler:"
    }
  }

  /// The loader that calls it.
  public var loader: Loader {
    switch self {
    case .willSendRequest, .canAuthenticate, .didReceive: .nsurlConnection
    case .session, .task: .urlSession
    case .navigation: .wkWebView
    }
  }
}

/// How an app starts a load, which says whether anyone of it is asked.
///
/// Raw values are the words of scenarios.
public enum LoadingInterface: String, Sendable, Hashable, CaseIterable {
  /// With a delegate, whose methods say which of them is asked.
  case delegate
  /// `sendSynchronousRequest:returningResponse:error:`, which has no delegate.
  case synchronous
  /// `sendAsynchronousRequest:queue:completionHandler:`, which has none either.
  case asynchronous
  /// A session whose own delegate alone is asked.
  case session
  /// A session whose tasks' delegate alone is asked.
  case task
  /// A web view, whose navigation delegate is asked.
  case webView = "web-view"

  /// The loaders that have it.
  public var loaders: [Loader] {
    switch self {
    case .delegate: Loader.allCases
    case .synchronous, .asynchronous: [.nsurlConnection]
    case .session, .task: [.urlSession]
    case .webView: [.wkWebView]
    }
  }

  /// What it is, as a sentence.
  public var meaning: String {
    switch self {
    case .delegate: "A load with a delegate, whose methods say which of them is asked."
    case .synchronous, .asynchronous:
      "A load without a delegate: the system decides about the server, credentials must be in the URL, and a final 401 is "
        + "NSURLErrorUserCancelledAuthentication (-1012) without a response."
    case .session: "A session whose own delegate alone is asked: never about Basic and Digest."
    case .task: "A session whose tasks' delegate alone is asked, about everything."
    case .webView: "A web view, whose navigation delegate is asked."
    }
  }

  /// Whether the interface has no place for a delegate.
  public var hasNoDelegate: Bool { self == .synchronous || self == .asynchronous }
}
