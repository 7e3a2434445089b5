import Explanation
import PKIX
import TLS
import Trust
import URLLoading

/// A decision of an endpoint, with its reasons.
public struct Decision: Sendable {
  /// The event of the decision.
  public let event: DecisionEvent
  /// The reasons.
  public let findings: [Finding]

  /// Creates a decision with its reasons.
  public init(_ event: DecisionEvent, _ findings: [Finding] = []) {
    self.event = event
    self.findings = findings
  }

  /// The same decision with more of its reasons, each once.
  public func adding(_ more: [Finding]) -> Decision {
    Decision(event, findings + more.filter { !findings.contains($0) })
  }
}

/// The event of a decision, with the values that the decision is about.
public enum DecisionEvent: Sendable {
  /// A client decides about a load: before the connection, or about the response.
  case load(LoadEvent)
  /// An endpoint decides about the certificate of its peer.
  case trust(CertificateEvent)
  /// The app or its delegate handles a challenge.
  case challenge(ChallengeEvent)
  /// A library that the app uses decides.
  case library(LibraryStep)
  /// A server decides.
  case server(ServerEvent)
  /// A probe of a real server concludes.
  case probe(ProbeEvent)
}

/// A client's decision about a load.
public enum LoadEvent: Sendable {
  /// HTTP Strict Transport Security upgrades the URL to https (RFC 6797 section 8.3).
  case upgraded(from: LoadURL, to: LoadURL)
  /// The decision of App Transport Security.
  case transportSecurity(AppTransportSecurity.Decision)
  /// App Transport Security allows no part of the app's own offer.
  case nothingOffered(ClientConfiguration)
  /// The app imports an identity.
  case identityImported(PKCS12Import)
  /// The system does not have the loading API.
  case loaderUnavailable(Loader, OSVersion)
  /// The client obtained an identity from the network; `sources` are the values that it follows from.
  case identityObtained(by: Party, Value.ID, sources: [Value.ID])
  /// The client has not obtained the identity.
  case identityMissing(by: Party, Value.ID, isStolen: Bool)
  /// The proxy has opened a tunnel.
  case tunnelOpened(to: String)
  /// The proxy refused a tunnel with this status line.
  case tunnelRefused(response: String)
  /// The handshake, or a record after it, failed.
  case failed(HandshakeFailure)
  /// The transport ended without close_notify, in the handshake or after it.
  case connectionLost(inHandshake: Bool)
  /// The client tries again with a lower version (RFC 7507 section 1).
  case fellBack(Fallback)
  /// The system's own offer was tried with the same server, after a failure under App Transport Security.
  case withoutTransportSecurity(Counterfactual)
  /// The response opens no WebSocket.
  case webSocketRefused(Rule)
  /// The WebSocket is open.
  case webSocketOpened
  /// The app receives the content.
  case received(byteCount: Int)
  /// The app receives a response with an error status as it is.
  case responseDelivered(status: String)
  /// The bytes are not a whole response.
  case responseRejected(HTTPFault)
  /// The load continues at another URL.
  case redirected(Redirection)
  /// A redirect leads back to an earlier URL.
  case redirectLoop(Redirection)
  /// A redirect exceeds the limit.
  case tooManyRedirects(Redirection, number: Int)
  /// No server exists for the host of a redirect.
  case hostNotFound(String, Rule)

  /// Another attempt with a lower version.
  public struct Fallback: Sendable, Hashable {
    /// The newest version of the attempt.
    public let version: ProtocolVersion
    /// The alert that ended the previous attempt; nil if there was no response.
    public let alert: AlertDescription?
    /// Whether the hello contains TLS_FALLBACK_SCSV.
    public let isSignalled: Bool
    /// The confidence in the system's behaviour.
    public let confidence: Finding.Confidence

    /// Creates an attempt with at most `version`.
    public init(
      to version: ProtocolVersion, after alert: AlertDescription?, isSignalled: Bool, confidence: Finding.Confidence
    ) {
      self.version = version
      self.alert = alert
      self.isSignalled = isSignalled
      self.confidence = confidence
    }
  }

  /// The result of the system's own offer.
  public enum Counterfactual: Sendable, Hashable {
    /// The server and the client have nothing in common either.
    case refused
    /// They agree on this version and suite, which meet the requirements or do not.
    case agreed(ProtocolVersion, CipherSuite, meetsRequirements: Bool)
  }
}

/// A decision about the certificate of a peer.
public enum CertificateEvent: Sendable {
  /// The sources in which the system looks for the revocation status.
  case revocationSources(RevocationSources, OSVersion)
  /// The system evaluates the server's certificate.
  case evaluated(by: Speaker, SecTrustResultType, violated: [Rule], host: String)
  /// A certificate cannot be parsed; the side is the one that decides.
  case unreadable(UnreadableCertificate, by: Side)
  /// App Transport Security decides about a credential for a chain that the system refused.
  case loosening(Loosening, host: String, decidedBy: String)
  /// A server evaluates a client's certificate.
  case clientEvaluated(name: String, violated: [Rule])
  /// The identity that the app chose does not fit the CertificateRequest.
  case identityMisfit(IdentityMisfit)
  /// The server refused the client after its certificate.
  case identityRefused(IdentityRefusal)

  /// The party that evaluates.
  public enum Speaker: Sendable, Hashable {
    /// The client, if no delegate of the app is called.
    case client
    /// The system, before the delegate of the app.
    case system
  }

  /// The decision of App Transport Security about a credential.
  public enum Loosening: Sendable, Hashable {
    case denied
    case allowed
    case notApplicable
  }

  /// An alert that follows the client's certificate.
  public struct IdentityRefusal: Sendable {
    /// The certificate's name.
    public let name: String
    /// The alert.
    public let alert: AlertDescription
    /// Whether the alert names the certificate as the reason.
    public let isAboutCertificate: Bool
    /// The client's date and the end of the validity, if the alert reports an expired certificate that has not expired.
    public let validity: (date: Instant, end: Instant)?
  }
}

/// An event in a challenge of the URL Loading System.
public enum ChallengeEvent: Sendable {
  /// The system challenges the app.
  case asked(ChallengeExchange)
  /// The delegate adds certificates to the chain.
  case addedCertificates
  /// The delegate sets its own anchors.
  case setAnchors(count: Int, only: Bool)
  /// The delegate sets the date of validation.
  case setDate(Instant)
  /// The delegate sets exceptions.
  case setExceptions
  /// The delegate sets a policy without a host.
  case setPolicyWithoutHost
  /// The delegate evaluates the trust.
  case evaluated(TrustInspection.Report, violated: [Rule])
  /// The delegate compares public keys.
  case comparedKeys(matches: Bool)
  /// The delegate responds to the challenge.
  case answered(ChallengeExchange)
  /// No delegate is called for the client's certificate.
  case certificateNotAsked
  /// No delegate is called for user and password.
  case passwordNotAsked(AuthenticationChallenge, opensNoTunnel: Bool)
  /// The delegate ignores its failures, so that the load never ends.
  case neverEnds(Rule)
  /// The client sends a credential of an earlier load with its first request.
  case sentAtOnce(KnownAuthorization)
  /// The app sets the Authorization field itself.
  case ownAuthorization
}

/// A decision of a server.
public enum ServerEvent: Sendable {
  /// The handshake, or a record after it, failed.
  case failed(HandshakeFailure)
  /// The server renegotiates before it responds.
  case renegotiates(before: HTTPRequest, ClientAuthentication)
  /// The client presented no certificate in a renegotiation.
  case certificateMissing(HTTPRequest)
  /// The application checks whether the client's certificate is registered.
  case registered(Certificate?, isKnown: Bool, HTTPRequest)
  /// The server checks the PIN of the identity in the request.
  case pinChecked(isRight: Bool, name: String)
  /// The server or the proxy judges the credentials of a request.
  case admission(HTTPAuthenticator.Judgement, HTTPRequest, by: HTTPAsker)
  /// The request is for another origin.
  case misdirected(request: String, Origin)
  /// The bytes are not a request.
  case requestRejected(HTTPFault)
  /// The server processes a request that changes something.
  case carriedOut(HTTPRequest, by: Party)
  /// The bytes are not a WebSocket frame.
  case frameRejected(HTTPFault)
  /// The client sent more Pings than TrustLab accepts on a connection.
  case tooManyPings(limit: Int)

  /// The part of the origin that belongs to another server.
  public enum Origin: Sendable, Hashable {
    case scheme(String)
    case host(String)
  }
}

/// A conclusion about a real server.
public enum ProbeEvent: Sendable {
  /// The server used all of its time.
  case outOfTime(seconds: Int64, byteCount: Int, messages: [String], awaited: [String])
  /// The server sent nothing, or nothing more.
  case silent(seconds: Int64, hasReceived: Bool)
  /// The response redirects to a URL with a scheme other than http and https.
  case foreignRedirect(LoadURL)
  /// App Transport Security would block the target of the redirect.
  case blockedRedirect(Redirection, from: LoadURL, [AppError])
  /// The server does not support TLS 1.3, and no older version is allowed.
  case tooOld(AppTransportSecurity.Negotiated)
  /// The server would use TLS 1.3, which TrustLab does not model.
  case notModelled(CipherSuite, OSVersion, because: Newest, meetsRequirements: Bool)
  /// The server supports only TLS 1.3, which the client does not offer.
  case tooNew(newestOffered: ProtocolVersion)
  /// The server supports only TLS 1.3, and refuses a hello with it.
  case refusedInTLS13(AlertDescription)
  /// The connection that probes for TLS 1.3 failed.
  case notProbed([String])
  /// The server supports none of the offered application protocols; the system offers these others.
  case noCommonProtocol(offered: [String], notPlayed: [String], OSVersion)
  /// The server has no host of this name.
  case unrecognizedName
  /// The client would refuse the certificates, in this load or in the next one.
  case certificatesRefused(next: Bool)
  /// The server supports none of the versions.
  case noCommonVersion(offered: String)
  /// The server accepts none of the suites.
  case noCommonSuite
  /// The server requires a client certificate; `hasMisfit` says whether the client's identity does not fit.
  case certificateRequired(AlertDescription, hasMisfit: Bool)

  /// The reason why the connection would use TLS 1.3.
  public enum Newest: Sendable, Hashable {
    /// The server supports nothing else.
    case serversOnly
    /// The server accepts it, and refuses the offer without it.
    case serversChoice
    /// The app allows nothing else.
    case appsOnly
  }
}
