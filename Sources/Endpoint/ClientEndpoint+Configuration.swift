import Cryptography
import Explanation
import TLS
import Trust
import URLLoading

extension ClientEndpoint {
  /// What a client is and wants.
  public struct Configuration: Sendable {
    /// What App Transport Security says about the load.
    public var decision: AppTransportSecurity.Decision
    /// Its part of TLS.
    public var tls: ClientConfiguration
    /// How it evaluates the server's certificates.
    public var trust: TrustPolicy
    /// The app's delegate for challenges about servers; nil where the system's word stands.
    public var delegate: ServerTrustDelegate?
    /// What it asks for.
    public var request: HTTPRequest
    /// What travels in its Certificate message where the server asks for one, as values that everyone sees.
    public var identity: [Value]
    /// Whether it goes on with the session of an earlier connection, where the server does too.
    public var resumesSessions: Bool
    /// Whether it goes where a response redirects it, rather than hand the response on as it is.
    public var followsRedirects = true
    /// What was asked for before redirects led here: method and URL.
    public var visited: [String] = []
    /// Keys that stand in for those of certificates whose private key nobody here has, by the certificate's DER.
    public var standIns: [[UInt8]: PublicKey]

    /// A client with these decisions to make.
    public init(
      decision: AppTransportSecurity.Decision, tls: ClientConfiguration, trust: TrustPolicy,
      delegate: ServerTrustDelegate? = nil, request: HTTPRequest? = nil, identity: [Value] = [],
      resumesSessions: Bool = false,
      standIns: [[UInt8]: PublicKey] = [:]
    ) {
      self.decision = decision
      self.tls = tls
      self.trust = trust
      self.delegate = delegate
      self.request = request ?? HTTPRequest(path: decision.load.url.path)
      self.identity = identity
      self.resumesSessions = resumesSessions
      self.standIns = standIns
    }
  }
}
