import Explanation
import PKIX
import TLS
import Trust
import URLLoading

/// A decision of an endpoint, with its reasons.
public struct Decision: Sendable {
  /// The event that describes the decision.
  public let event: DecisionEvent
  /// The reasons for the decision.
  public let findings: [Finding]

  /// Creates a decision with its reasons.
  public init(_ event: DecisionEvent, _ findings: [Finding] = []) {
    self.event = event
    self.findings = findings
  }

  /// Returns the same decision with further reasons, without duplicates.
  public func adding(_ more: [Finding]) -> Decision {
    Decision(event, findings + more.filter { !findings.contains($0) })
  }
}

/// The event that a decision is about, with its values.
public enum DecisionEvent: Sendable {
  /// A client decides about a load, either before the connection or about the response.
  case load(LoadEvent)
  /// An endpoint decides about its peer's certificate.
  case trust(CertificateEvent)
  /// The app or its delegate handles a challenge.
  case challenge(ChallengeEvent)
  /// A library in the app makes a decision.
  case library(LibraryStep)
  /// A server makes a decision.
  case server(ServerEvent)
  /// A probe of a real server reaches a conclusion.
  case probe(ProbeEvent)
}

/// A decision that a client makes about a load.
public enum LoadEvent: Sendable {
  /// HTTP Strict Transport Security upgrades the URL to https (RFC 6797 section 8.3).
  case upgraded(from: LoadURL, to: LoadURL)
  /// App Transport Security decides about the load.
  case transportSecurity(AppTransportSecurity.Decision)
  /// App Transport Security allows no part of the app's own offer.
  case nothingOffered(ClientConfiguration)
  /// The app imports an identity.
  case identityImported(PKCS12Import)
  /// The loading API does not exist in this version of the system.
  case loaderUnavailable(Loader, OSVersion)
  /// The client obtained an identity from the network. `sources` are the values that it is derived from.
  case identityObtained(by: Party, Value.ID, sources: [Value.ID])
  /// The client did not obtain the identity.
  case identityMissing(by: Party, Value.ID, isStolen: Bool)
  /// The proxy opened a tunnel.
  case tunnelOpened(to: String)
  /// The proxy refused to open a tunnel, with this status line.
  case tunnelRefused(response: String)
  /// The handshake, or a later record, failed.
  case failed(HandshakeFailure)
  /// The transport ended without close_notify, during or after the handshake.
  case connectionLost(inHandshake: Bool)
  /// The client tries again with a lower version (RFC 7507 section 1).
  case fellBack(Fallback)
  /// After a failure under App Transport Security, the system's own offer was tried with the same server.
  case withoutTransportSecurity(Counterfactual)
  /// The response does not open a WebSocket.
  case webSocketRefused(Rule)
  /// The WebSocket is open.
  case webSocketOpened
  /// The app receives the content.
  case received(byteCount: Int)
  /// The app receives a response with an error status as the result of the load.
  case responseDelivered(status: String)
  /// The bytes are not a complete response.
  case responseRejected(HTTPFault)
  /// The load continues at another URL.
  case redirected(Redirection)
  /// A redirect leads back to an earlier URL.
  case redirectLoop(Redirection)
  /// A redirect exceeds the limit.
  case tooManyRedirects(Redirection, number: Int)
  /// The redirect leads to a host for which there is no server.
  case hostNotFound(String, Rule)

  /// Another attempt with a lower version.
  public struct Fallback: Sendable, Hashable {
    /// The newest version that the attempt offers.
    public let version: ProtocolVersion
    /// The alert that ended the previous attempt; nil if there was no response.
    public let alert: AlertDescription?
    /// Whether the ClientHello contains TLS_FALLBACK_SCSV.
    public let isSignalled: Bool
    /// The confidence in this behaviour of the system.
    public let confidence: Finding.Confidence

    /// Creates an attempt that offers at most `version`.
    public init(
      to version: ProtocolVersion, after alert: AlertDescription?, isSignalled: Bool, confidence: Finding.Confidence
    ) {
      self.version = version
      self.alert = alert
      self.isSignalled = isSignalled
      self.confidence = confidence
    }
  }

  /// The result of trying the system's own offer.
  public enum Counterfactual: Sendable, Hashable {
    /// The server and the client have no version or suite in common, as far as known.
    case refused(Finding.Confidence)
    /// The sides agree on this version and suite, which may or may not meet the requirements.
    case agreed(ProtocolVersion, CipherSuite, meetsRequirements: Bool)
  }
}

/// A decision about a peer's certificate.
public enum CertificateEvent: Sendable {
  /// The system searches these sources for the revocation status.
  case revocationSources(RevocationSources, OSVersion)
  /// The system evaluates the server's certificate.
  case evaluated(by: Speaker, SecTrustResultType, violated: [Rule], host: String)
  /// The deciding side cannot parse a certificate of its peer.
  case unreadable(UnreadableCertificate, by: Side)
  /// App Transport Security decides about a credential for a chain that the system refused.
  case loosening(Loosening, host: String, decidedBy: String)
  /// A server evaluates a client's certificate.
  case clientEvaluated(name: String, violated: [Rule])
  /// The identity that the app chose does not meet the CertificateRequest.
  case identityMisfit(IdentityMisfit)
  /// The server refused the client after receiving its certificate.
  case identityRefused(IdentityRefusal)

  /// The party that evaluates the certificate.
  public enum Speaker: Sendable, Hashable {
    /// The client, if the app has no delegate that is called.
    case client
    /// The system, before it calls the app's delegate.
    case system
  }

  /// The decision of App Transport Security about a delegate's credential.
  public enum Loosening: Sendable, Hashable {
    case denied
    case allowed
    case notApplicable
  }

  /// An alert that the server sends after the client's certificate.
  public struct IdentityRefusal: Sendable {
    /// The name of the certificate.
    public let name: String
    /// The alert that the server sent.
    public let alert: AlertDescription
    /// Whether the alert states that the certificate is the reason.
    public let isAboutCertificate: Bool
    /// The client's date and the end of the validity, if the server wrongly reports an expired certificate.
    public let validity: (date: Instant, end: Instant)?
  }
}

/// An event in a challenge of the URL Loading System.
public enum ChallengeEvent: Sendable {
  /// The system challenges the app.
  case asked(ChallengeExchange)
  /// The delegate adds certificates to the chain.
  case addedCertificates
  /// The delegate sets its own trust anchors.
  case setAnchors(count: Int, only: Bool)
  /// The delegate sets the validation date.
  case setDate(Instant)
  /// The delegate sets trust exceptions.
  case setExceptions
  /// The delegate sets a policy that does not check the host.
  case setPolicyWithoutHost
  /// The delegate evaluates the trust object.
  case evaluated(TrustInspection.Report, violated: [Rule])
  /// The delegate compares the public keys.
  case comparedKeys(matches: Bool)
  /// The delegate responds to the challenge.
  case answered(ChallengeExchange)
  /// No delegate is called for a client certificate.
  case certificateNotAsked
  /// No delegate is called for user name and password.
  case passwordNotAsked(AuthenticationChallenge, opensNoTunnel: Bool)
  /// The delegate ignores its failed attempts, so that the load never ends.
  case neverEnds(Rule)
  /// The client sends a credential from an earlier load with its first request.
  case sentAtOnce(KnownAuthorization)
  /// The app itself sets the Authorization field.
  case ownAuthorization
}

/// A decision that a server makes.
public enum ServerEvent: Sendable {
  /// The handshake, or a later record, failed.
  case failed(HandshakeFailure)
  /// The server renegotiates before it responds to the request.
  case renegotiates(before: HTTPRequest, ClientAuthentication)
  /// The client presented no certificate in a renegotiation.
  case certificateMissing(HTTPRequest)
  /// The server's application checks whether the client's certificate is registered.
  case registered(Certificate?, isKnown: Bool, HTTPRequest)
  /// The server checks the PIN in a request for an identity.
  case pinChecked(isRight: Bool, name: String)
  /// The server or the proxy checks the credentials in a request.
  case admission(HTTPAuthenticator.Judgement, HTTPRequest, by: HTTPAsker)
  /// The request is for an origin that the server does not serve.
  case misdirected(request: String, Origin)
  /// The bytes are not a valid request.
  case requestRejected(HTTPFault)
  /// The server processes a request that changes its state.
  case carriedOut(HTTPRequest, by: Party)
  /// The bytes are not a valid WebSocket frame.
  case frameRejected(HTTPFault)
  /// The client sent more Pings than TrustLab accepts on a connection.
  case tooManyPings(limit: Int)

  /// The part of the origin that differs from this server's origin.
  public enum Origin: Sendable, Hashable {
    case scheme(String)
    case host(String)
  }
}

/// A conclusion that a probe of a real server reaches.
public enum ProbeEvent: Sendable {
  /// The server did not finish within its time limit.
  case outOfTime(seconds: Int64, byteCount: Int, messages: [String], awaited: [String])
  /// The server sent nothing, or stopped sending.
  case silent(seconds: Int64, hasReceived: Bool)
  /// The response redirects to a URL whose scheme is neither http nor https.
  case foreignRedirect(LoadURL)
  /// App Transport Security would block the target of the redirect.
  case blockedRedirect(Redirection, from: LoadURL, [AppError])
  /// The server supports none of the offered application protocols, which are those of the system.
  case noCommonProtocol(offered: [String], OSVersion)
  /// The server selected an application protocol that TrustLab does not support.
  case otherProtocol(ApplicationProtocol)
  /// The server has no host with this name.
  case unrecognizedName
  /// The client would refuse the certificates in the next load.
  case certificatesRefused
  /// The server supports none of the offered versions.
  case noCommonVersion(offered: String)
  /// The server supports none of the offered suites. In an offer of TLS 1.3, a group or a signature scheme may be
  /// missing instead.
  case noCommonSuite(offersTLS13: Bool)
  /// The server requires a client certificate. `hasMisfit` states whether the client's identity does not meet the
  /// request.
  case certificateRequired(AlertDescription, hasMisfit: Bool)
}
