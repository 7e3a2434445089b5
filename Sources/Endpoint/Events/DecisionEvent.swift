import Explanation
import PKIX
import TLS
import Trust
import URLLoading

/// A decision of an endpoint, with its reasons.
public struct Decision: Sendable {
  /// What was decided.
  public let event: DecisionEvent
  /// The reasons.
  public let findings: [Finding]

  /// A decision with its reasons.
  public init(_ event: DecisionEvent, _ findings: [Finding] = []) {
    self.event = event
    self.findings = findings
  }

  /// The same decision with more of its reasons, each once.
  public func adding(_ more: [Finding]) -> Decision {
    Decision(event, findings + more.filter { !findings.contains($0) })
  }
}

/// What an endpoint decided, with the values that the decision is about.
public enum DecisionEvent: Sendable {
  /// About a load: before the connection, and about the response.
  case load(LoadEvent)
  /// About the certificate of a peer.
  case trust(CertificateEvent)
  /// About a challenge, by the app and its delegate.
  case challenge(ChallengeEvent)
  /// By a library that the app uses.
  case library(LibraryStep)
  /// By a server.
  case server(ServerEvent)
  /// Concluded about a real server.
  case probe(ProbeEvent)
}

/// What a client decides about a load.
public enum LoadEvent: Sendable {
  /// HTTP Strict Transport Security makes https of the URL (RFC 6797 section 8.3).
  case upgraded(from: LoadURL, to: LoadURL)
  /// The decision of App Transport Security.
  case transportSecurity(AppTransportSecurity.Decision)
  /// App Transport Security leaves nothing of the app's own offer.
  case nothingOffered(ClientConfiguration)
  /// The app imports an identity.
  case identityImported(PKCS12Import)
  /// The system does not have the loader.
  case loaderUnavailable(Loader, OSVersion)
  /// An identity that the client obtained from the network; `sources` are the values that it follows from.
  case identityObtained(by: Party, Value.ID, sources: [Value.ID])
  /// The client has not obtained the identity.
  case identityMissing(by: Party, Value.ID, isStolen: Bool)
  /// The proxy has opened a tunnel.
  case tunnelOpened(to: String)
  /// The proxy opens no tunnel; its status line.
  case tunnelRefused(response: String)
  /// The handshake, or a record after it, failed.
  case failed(HandshakeFailure)
  /// The transport ended without close_notify, in the handshake or after it.
  case connectionLost(inHandshake: Bool)
  /// The client tries again with a lower version (RFC 7507 section 1).
  case fellBack(Fallback)
  /// The system's own offer, played against the same server after a failure under App Transport Security.
  case withoutTransportSecurity(Counterfactual)
  /// The response opens no WebSocket.
  case webSocketRefused(Rule)
  /// The WebSocket is open.
  case webSocketOpened
  /// The app receives the content.
  case received(byteCount: Int)
  /// The app receives a response with an error status as it is.
  case responseDelivered(status: String)
  /// The bytes are no whole response.
  case responseRejected(HTTPFault)
  /// The load goes on at another URL.
  case redirected(Redirection)
  /// A redirect leads back.
  case redirectLoop(Redirection)
  /// A redirect is one too many.
  case tooManyRedirects(Redirection, number: Int)
  /// No server answers for the host of a redirect.
  case hostNotFound(String, Rule)

  /// Another attempt with a lower version.
  public struct Fallback: Sendable, Hashable {
    /// The newest version of the attempt.
    public let version: ProtocolVersion
    /// The alert that ended the attempt before it; nil if there was no response.
    public let alert: AlertDescription?
    /// Whether the hello has TLS_FALLBACK_SCSV.
    public let isSignalled: Bool
    /// How certain the system's behaviour is.
    public let confidence: Finding.Confidence

    /// An attempt with `version` at most.
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

/// What is decided about the certificate of a peer.
public enum CertificateEvent: Sendable {
  /// Where the system looks for the revocation status.
  case revocationSources(RevocationSources, OSVersion)
  /// The system evaluates the server's certificate.
  case evaluated(by: Speaker, SecTrustResultType, violated: [Rule], host: String)
  /// A certificate cannot be read; the side that decides.
  case unreadable(UnreadableCertificate, by: Side)
  /// App Transport Security on a credential for a chain that the system refused.
  case loosening(Loosening, host: String, decidedBy: String)
  /// A server evaluates a client's certificate.
  case clientEvaluated(name: String, violated: [Rule])
  /// The identity that the app chose does not fit the CertificateRequest.
  case identityMisfit(IdentityMisfit)
  /// The server refused the client after its certificate.
  case identityRefused(IdentityRefusal)

  /// Who evaluates.
  public enum Speaker: Sendable, Hashable {
    /// The client, if no delegate of the app is called.
    case client
    /// The system, before the delegate of the app.
    case system
  }

  /// What App Transport Security does about a credential.
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
    /// The client's date and the end of the certificate's validity, if the alert says that it has expired and it has not.
    public let validity: (date: Instant, end: Instant)?
  }
}

/// What happens in a challenge of the URL Loading System.
public enum ChallengeEvent: Sendable {
  /// The app is asked.
  case asked(ChallengeExchange)
  /// The delegate adds certificates to the chain.
  case addedCertificates
  /// The delegate sets anchors of its own.
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
  /// The delegate answers.
  case answered(ChallengeExchange)
  /// No delegate is called for the client's certificate.
  case certificateNotAsked
  /// No delegate is called for user and password.
  case passwordNotAsked(AuthenticationChallenge, opensNoTunnel: Bool)
  /// The delegate ignores its failures, and would never end.
  case neverEnds(Rule)
  /// The client sends a credential of an earlier load with its first request.
  case sentAtOnce(KnownAuthorization)
  /// The app sets the field Authorization itself.
  case ownAuthorization
}

/// What a server decides.
public enum ServerEvent: Sendable {
  /// The handshake, or a record after it, failed.
  case failed(HandshakeFailure)
  /// The server begins another handshake before it responds.
  case renegotiates(before: HTTPRequest, ClientAuthentication)
  /// No certificate came in another handshake.
  case certificateMissing(HTTPRequest)
  /// Whether the application knows the client by its certificate.
  case registered(Certificate?, isKnown: Bool, HTTPRequest)
  /// Whether the request has the PIN of the identity.
  case pinChecked(isRight: Bool, name: String)
  /// The judgement on the credentials of a request.
  case admission(HTTPAuthenticator.Judgement, HTTPRequest, by: HTTPAsker)
  /// The request is for another origin.
  case misdirected(request: String, Origin)
  /// The bytes are no request.
  case requestRejected(HTTPFault)
  /// A request that changes something is carried out.
  case carriedOut(HTTPRequest, by: Party)
  /// The bytes are no frame of a WebSocket.
  case frameRejected(HTTPFault)
  /// More Pings came than this program takes on a connection.
  case tooManyPings(limit: Int)

  /// The part of the origin that is another's.
  public enum Origin: Sendable, Hashable {
    case scheme(String)
    case host(String)
  }
}

/// What is concluded about a real server.
public enum ProbeEvent: Sendable {
  /// The server used all of its time.
  case outOfTime(seconds: Int64, byteCount: Int, messages: [String], awaited: [String])
  /// The server sent nothing, or nothing more.
  case silent(seconds: Int64, hasReceived: Bool)
  /// The response leads to a URL that is not of HTTP.
  case foreignRedirect(LoadURL)
  /// App Transport Security would block the URL that the response leads to.
  case blockedRedirect(Redirection, from: LoadURL, [AppError])
  /// The server does not speak TLS 1.3, and nothing older is allowed.
  case tooOld(AppTransportSecurity.Negotiated)
  /// The server speaks TLS 1.3, which is not modelled here.
  case notModelled(CipherSuite, OSVersion, because: Newest, meetsRequirements: Bool)
  /// The server speaks only TLS 1.3, which the client does not offer.
  case tooNew(newestOffered: ProtocolVersion)
  /// The server speaks only TLS 1.3, and refuses a hello with it.
  case refusedInTLS13(AlertDescription)
  /// The connection that was to ask about TLS 1.3 failed.
  case notProbed([String])
  /// The server speaks none of the application-layer protocols that are offered; the system offers these others.
  case noCommonProtocol(offered: [String], notPlayed: [String], OSVersion)
  /// The server has no host of this name.
  case unrecognizedName
  /// The certificates would be refused, in this load or in the next one.
  case certificatesRefused(next: Bool)
  /// The server speaks none of the versions.
  case noCommonVersion(offered: String)
  /// The server accepts none of the suites.
  case noCommonSuite
  /// The server requires a certificate of the client; whether the client has an identity that does not fit.
  case certificateRequired(AlertDescription, hasMisfit: Bool)

  /// Why TLS 1.3 is what would be spoken.
  public enum Newest: Sendable, Hashable {
    /// The server speaks nothing else.
    case serversOnly
    /// The server accepts it, and nothing of the offer without it.
    case serversChoice
    /// The app may speak nothing else.
    case appsOnly
  }
}
