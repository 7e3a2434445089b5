/// What a challenge asks for: `NSURLProtectionSpace.authenticationMethod`.
///
/// Raw values are the words of scenarios; `constant` is Apple's name.
public enum AuthenticationMethod: String, Sendable, Hashable, CaseIterable {
  /// Whether to go on with a server that shows this chain.
  case serverTrust = "ServerTrust"
  /// Who the client is, by a certificate: RFC 5246 section 7.4.4.
  case clientCertificate = "ClientCertificate"
  /// SPNEGO, which is Kerberos to most: RFC 4559.
  case negotiate = "Negotiate"
  /// NTLM over HTTP: MS-NTHT.
  case ntlm = "NTLM"
  /// RFC 7616.
  case httpDigest = "Digest"
  /// RFC 7617.
  case httpBasic = "Basic"
  /// What the protocol uses by default; its constant has the same content as that of Basic.
  case `default` = "Default"
  /// A form in a page. The HTTP loader never raises it; it is there for those who write an NSURLProtocol.
  case htmlForm = "HTMLForm"

  /// Apple's name of the constant: `NSURLAuthenticationMethodHTTPBasic`.
  public var constant: String {
    switch self {
    case .httpDigest, .httpBasic: "NSURLAuthenticationMethodHTTP\(rawValue)"
    default: "NSURLAuthenticationMethod\(rawValue)"
    }
  }

  /// Whether it is asked while TLS is negotiated, before there is any HTTP.
  public var isOfTLS: Bool { self == .serverTrust || self == .clientCertificate }

  /// Whether a session's delegate is asked, rather than a task's: "Handling an authentication challenge".
  public var isSessionLevel: Bool {
    switch self {
    case .serverTrust, .clientCertificate, .negotiate, .ntlm: true
    case .httpDigest, .httpBasic, .default, .htmlForm: false
    }
  }

  /// Whether two constants compare as equal: Default is another name of Basic.
  public func isEqual(to other: AuthenticationMethod) -> Bool {
    let same: Set<AuthenticationMethod> = [.httpBasic, .default]
    return self == other || same.contains(self) && same.contains(other)
  }

  /// What it asks, as a sentence.
  public var meaning: String {
    switch self {
    case .serverTrust: "Shall the app go on with a server that shows this chain? Every full handshake of TLS asks it."
    case .clientCertificate: "Who is the client? The server has sent a CertificateRequest."
    case .negotiate:
      "Kerberos, or what else SPNEGO comes to: WWW-Authenticate: Negotiate. A client without a ticket for the host passes to "
        + "the next scheme, and never offers one to a proxy. Tickets are not modelled: nobody here has any."
    case .ntlm: "User and password for NTLM: WWW-Authenticate: NTLM."
    case .httpDigest: "User and password for Digest: WWW-Authenticate: Digest."
    case .httpBasic: "User and password for Basic: WWW-Authenticate: Basic."
    case .default: "The default of the protocol: Basic for http and https, whose constant has the same content."
    case .htmlForm: "A form in a page. The HTTP loader never asks it; it is there for an NSURLProtocol of one's own."
    }
  }
}

/// What a challenge is answered with: `NSURLSession.AuthChallengeDisposition`, and the methods of
/// `NSURLAuthenticationChallengeSender`, which say the same.
///
/// Raw values are the words of scenarios.
public enum ChallengeDisposition: String, Sendable, Hashable, CaseIterable {
  /// A credential; for a server's trust, the word that the server is to be trusted.
  case useCredential
  /// To go on without a credential: `useCredential` with nil.
  case continueWithoutCredential
  /// The load is given up.
  case cancel
  /// The system decides, as if there were no delegate.
  case performDefaultHandling
  /// This protection space is not for the app: the next one that the server offers is tried.
  case rejectProtectionSpace

  /// Apple's name: of the disposition, and for NSURLConnection of the sender's method.
  public var name: String {
    switch self {
    case .useCredential: "useCredential"
    case .continueWithoutCredential: "continueWithoutCredential"
    case .cancel: "cancelAuthenticationChallenge"
    case .performDefaultHandling: "performDefaultHandling"
    case .rejectProtectionSpace: "rejectProtectionSpace"
    }
  }

  /// What it means to a challenge about `space`, as a sentence: what a proxy answers to CONNECT is never the app's.
  public func meaning(for space: ProtectionSpace) -> String {
    guard space.proxyType == .https else { return meaning(for: space.method) }
    return switch self {
    case .continueWithoutCredential: "There is no tunnel then, and no response: the load fails."
    case .performDefaultHandling: "The proposed credential is tried once; then there is no tunnel, and the load fails."
    case .useCredential, .cancel, .rejectProtectionSpace: meaning(for: space.method)
    }
  }

  /// What it means to challenges of `method`, as a sentence.
  public func meaning(for method: AuthenticationMethod) -> String {
    switch (self, method) {
    case (.useCredential, .serverTrust):
      "The chain is accepted as it is, unless App Transport Security is in force: then the system must accept it, too."
    case (.continueWithoutCredential, .serverTrust), (.performDefaultHandling, .serverTrust),
      (.rejectProtectionSpace, .serverTrust):
      "The system's evaluation decides: a good chain passes, a bad one does not."
    case (.useCredential, .clientCertificate):
      "The client sends this identity if it fits the CertificateRequest, and signs with its key."
    case (.continueWithoutCredential, .clientCertificate), (.performDefaultHandling, .clientCertificate),
      (.rejectProtectionSpace, .clientCertificate):
      "The client shows no certificate; the server decides."
    case (.useCredential, .ntlm):
      "The request is sent twice more: NTLM begins with a message that names nobody, is answered with a random number, and "
        + "proves the password with it. The name travels, the password does not."
    case (.useCredential, .httpDigest):
      "The request is sent again with the name and a hash that proves the password, which itself does not travel."
    case (.useCredential, .htmlForm): "What comes of it the NSURLProtocol says that has asked."
    case (.useCredential, .negotiate): "The request is sent again with a ticket of Kerberos, where there is one."
    case (.useCredential, _): "The request is sent again with name and password, in Base64."
    case (.continueWithoutCredential, _): "The response 401 or 407 is handed to the app; that is no error."
    case (.performDefaultHandling, _): "The proposed credential is tried once; then the response is handed to the app."
    case (.rejectProtectionSpace, _): "The next weaker scheme that is offered is tried."
    case (.cancel, _): "The load fails."
    }
  }
}
