/// A challenge that the system presents to an app: `NSURLAuthenticationChallenge`.
public struct AuthenticationChallenge: Sendable, Hashable {
  /// The protection space, which has the server, the realm and the method.
  public let space: ProtectionSpace
  /// The number of failed attempts in this load, over all schemes.
  public let previousFailureCount: Int
  /// A credential from the URL or the storage. After a failure, it is the credential that failed.
  public let proposedCredential: Credential?
  /// The status code of the response that contains the challenge, which is 401; nil for challenges of TLS.
  public let failureResponse: Int?

  /// Creates a challenge about `space`.
  public init(
    _ space: ProtectionSpace, failures: Int = 0, proposed: Credential? = nil, response: Int? = nil
  ) {
    self.space = space
    previousFailureCount = failures
    proposedCredential = proposed
    failureResponse = response
  }

  /// The authentication method.
  public var method: AuthenticationMethod { space.method }
}

/// The methods of a delegate that the system may call with a challenge.
///
/// The raw values are the keywords in scenario files.
public enum DelegateMethod: String, Sendable, Hashable, CaseIterable {
  /// The NSURLConnection method of iOS 5 and later. If the delegate implements it, the system calls no other method.
  case willSendRequest
  /// The NSURLConnection method that returns whether the app can respond for this space. It is deprecated since iOS 8.
  case canAuthenticate
  /// The NSURLConnection method that is called if the app can respond. It is deprecated since iOS 8.
  case didReceive
  /// NSURLSession's own delegate.
  case session
  /// The method of a task's delegate.
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

  /// The loader that calls the method.
  public var loader: Loader {
    switch self {
    case .willSendRequest, .canAuthenticate, .didReceive: .nsurlConnection
    case .session, .task: .urlSession
    case .navigation: .wkWebView
    }
  }
}

/// The interface that an app uses to start a load. It determines which delegate, if any, receives challenges.
///
/// The raw values are the keywords in scenario files.
public enum LoadingInterface: String, Sendable, Hashable, CaseIterable {
  /// A load with a delegate. The methods of the delegate determine which of them is called.
  case delegate
  /// `sendSynchronousRequest:returningResponse:error:`, which has no delegate.
  case synchronous
  /// `sendAsynchronousRequest:queue:completionHandler:`, which has no delegate either.
  case asynchronous
  /// A session in which only the session's own delegate is called.
  case session
  /// A session in which only the tasks' delegate is called.
  case task
  /// A web view, whose navigation delegate is called.
  case webView = "web-view"

  /// The loaders that have the interface.
  public var loaders: [Loader] {
    switch self {
    case .delegate: Loader.allCases
    case .synchronous, .asynchronous: [.nsurlConnection]
    case .session, .task: [.urlSession]
    case .webView: [.wkWebView]
    }
  }

  /// A description, as a sentence.
  public var meaning: String {
    switch self {
    case .delegate: "A load with a delegate: the system calls one of the methods that the delegate implements."
    case .synchronous, .asynchronous:
      "A load without a delegate: the system evaluates the server, and credentials must be in the URL. A final 401 "
        + "results in NSURLErrorUserCancelledAuthentication (-1012), without a response."
    case .session: "A session that calls only its session delegate, and never for Basic and Digest."
    case .task: "A session that calls only its task delegate, for every challenge."
    case .webView: "A web view, which calls its navigation delegate."
    }
  }

  /// Whether the interface does not use a delegate.
  public var hasNoDelegate: Bool { self == .synchronous || self == .asynchronous }
}
