/// The authentication method of a challenge: `NSURLProtectionSpace.authenticationMethod`.
///
/// The raw values are the keywords in scenario files, and `constant` is Apple's name.
public enum AuthenticationMethod: String, Sendable, Hashable, CaseIterable {
  /// The decision whether to continue with a server that presents this chain.
  case serverTrust = "ServerTrust"
  /// The client's identity, which a certificate proves (RFC 5246 section 7.4.4).
  case clientCertificate = "ClientCertificate"
  /// SPNEGO, usually with Kerberos (RFC 4559).
  case negotiate = "Negotiate"
  /// NTLM over HTTP (MS-NTHT).
  case ntlm = "NTLM"
  /// RFC 7616.
  case httpDigest = "Digest"
  /// RFC 7617.
  case httpBasic = "Basic"
  /// The default of the protocol. The content of its constant is equal to that of Basic.
  case `default` = "Default"
  /// A form on a page. The HTTP loader never uses this method; an app's own NSURLProtocol can use it.
  case htmlForm = "HTMLForm"

  /// The name of Apple's constant, such as `NSURLAuthenticationMethodHTTPBasic`.
  public var constant: String {
    switch self {
    case .httpDigest, .httpBasic: "NSURLAuthenticationMethodHTTP\(rawValue)"
    default: "NSURLAuthenticationMethod\(rawValue)"
    }
  }

  /// Whether the challenge belongs to the TLS handshake, before any HTTP message.
  public var isOfTLS: Bool { self == .serverTrust || self == .clientCertificate }

  /// Whether the session's delegate is called instead of the task's delegate ("Handling an authentication challenge").
  public var isSessionLevel: Bool {
    switch self {
    case .serverTrust, .clientCertificate, .negotiate, .ntlm: true
    case .httpDigest, .httpBasic, .default, .htmlForm: false
    }
  }

  /// Returns whether two constants are equal. Default is another name for Basic.
  public func isEqual(to other: AuthenticationMethod) -> Bool {
    let same: Set<AuthenticationMethod> = [.httpBasic, .default]
    return self == other || same.contains(self) && same.contains(other)
  }

  /// A description, as a sentence.
  public var meaning: String {
    switch self {
    case .serverTrust:
      "Asks whether the app trusts the chain that the server presents. Every full handshake raises "
        + "this challenge."
    case .clientCertificate: "Asks for the client's identity: the server has sent a CertificateRequest."
    case .negotiate:
      "Kerberos or another SPNEGO mechanism (WWW-Authenticate: Negotiate). A client without a ticket for the host "
        + "tries the next scheme. A client never offers a ticket to a proxy. TrustLab does not simulate tickets."
    case .ntlm: "Asks for a user name and password for NTLM (WWW-Authenticate: NTLM)."
    case .httpDigest: "Asks for a user name and password for Digest (WWW-Authenticate: Digest)."
    case .httpBasic: "Asks for a user name and password for Basic (WWW-Authenticate: Basic)."
    case .default:
      "The default method of the protocol. For http and https it is Basic, and both constants have the "
        + "same value."
    case .htmlForm:
      "A form in a web page. The HTTP loader never raises this challenge, but an app's own NSURLProtocol "
        + "can."
    }
  }
}

/// A delegate's response to a challenge: `NSURLSession.AuthChallengeDisposition`.
///
/// The methods of `NSURLAuthenticationChallengeSender` have the same meaning. The raw values are the keywords in
/// scenario files.
public enum ChallengeDisposition: String, Sendable, Hashable, CaseIterable {
  /// The app passes a credential. For server trust, this accepts the server.
  case useCredential
  /// The app continues without a credential, which is `useCredential` with nil.
  case continueWithoutCredential
  /// Ends the load.
  case cancel
  /// The app lets the system decide, as without a delegate.
  case performDefaultHandling
  /// The app rejects this protection space, and the system tries the next one that the server offers.
  case rejectProtectionSpace

  /// Apple's name for the disposition or, for NSURLConnection, for the sender's method.
  public var name: String {
    switch self {
    case .useCredential: "useCredential"
    case .continueWithoutCredential: "continueWithoutCredential"
    case .cancel: "cancelAuthenticationChallenge"
    case .performDefaultHandling: "performDefaultHandling"
    case .rejectProtectionSpace: "rejectProtectionSpace"
    }
  }

  /// Describes the effect on a challenge about `space` as a sentence. The app never receives a proxy's response to
  /// CONNECT.
  public func meaning(for space: ProtectionSpace) -> String {
    guard space.proxyType == .https else { return meaning(for: space.method) }
    return switch self {
    case .continueWithoutCredential: "Without a tunnel, there is no response, and the load fails."
    case .performDefaultHandling:
      "The system tries the proposed credential once. If it fails, there is no tunnel, and the load fails."
    case .useCredential, .cancel, .rejectProtectionSpace: meaning(for: space.method)
    }
  }

  /// Describes the effect on challenges of `method` as a sentence.
  public func meaning(for method: AuthenticationMethod) -> String {
    switch (self, method) {
    case (.useCredential, .serverTrust):
      "The app accepts the chain. If App Transport Security is in force, the system must accept it too."
    case (.continueWithoutCredential, .serverTrust), (.performDefaultHandling, .serverTrust),
      (.rejectProtectionSpace, .serverTrust):
      "The system's evaluation decides: the load continues only if the chain is trusted."
    case (.useCredential, .clientCertificate):
      "If the identity matches the CertificateRequest, the client sends its certificate and signs with its key."
    case (.continueWithoutCredential, .clientCertificate), (.performDefaultHandling, .clientCertificate),
      (.rejectProtectionSpace, .clientCertificate):
      "The client sends no certificate; the server decides."
    case (.useCredential, .ntlm):
      "The client sends the request twice more. The first NTLM message contains no user name, and the server responds "
        + "with a random number. With this number, the client proves the password; it sends the user name, but not the "
        + "password."
    case (.useCredential, .httpDigest):
      "The client sends the request again, with the user name and a hash that proves the password, but without the "
        + "password."
    case (.useCredential, .htmlForm): "The result depends on the NSURLProtocol that raised the challenge."
    case (.useCredential, .negotiate): "The client sends the request again with a Kerberos ticket, if it has one."
    case (.useCredential, _): "The client sends the request again, with the user name and password in Base64."
    case (.continueWithoutCredential, _): "The app gets the 401 or 407 response, and no error."
    case (.performDefaultHandling, _):
      "The system tries the proposed credential once. If it fails, the app gets the response."
    case (.rejectProtectionSpace, _): "The system tries the next weaker scheme that the server offers."
    case (.cancel, _): "The load fails."
    }
  }
}
