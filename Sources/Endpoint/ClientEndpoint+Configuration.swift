import Cryptography
import Explanation
import PKIX
import TLS
import Trust
import URLLoading

extension ClientEndpoint {
  /// The settings of a client.
  public struct Configuration: Sendable {
    /// The load that App Transport Security evaluates.
    public private(set) var load: AppTransportSecurity.Load
    /// The app's settings for App Transport Security.
    public let settings: AppTransportSecurity.Configuration
    /// The app's changes to the system's offer; nil if `tls` contains the client's whole offer.
    public let systemOffer: SystemOffer?
    /// The decision of App Transport Security; nil until `decide()` is called.
    private var decided: AppTransportSecurity.Decision?
    /// The system's offer under that decision; nil before the decision, and for a client that simulates no system.
    public private(set) var offer: ClientOffer?
    /// The TLS configuration.
    public var tls: ClientConfiguration
    /// The versions and suites that the app specifies, before App Transport Security restricts them.
    ///
    /// Nil if the app uses the system's offer.
    public var namedOffer: ClientConfiguration?
    /// The trust evaluator, which evaluates the server's certificates.
    public var trust: TrustEvaluator
    /// The delegate that handles the system's challenges, and its credentials.
    public var challenges: ChallengeConversation.Configuration
    /// The keys with a name that the settings can pin.
    public var namedKeys: [PublicKeyPins.Pin] = []
    /// The HTTP request that the client sends.
    public var request: HTTPRequest
    /// The certificates in the client's Certificate message, as public values.
    public var identity: [Value]
    /// Whether the client resumes an earlier connection's session if the server agrees.
    public var resumesSessions: Bool
    /// The requests that the client sends as early data if the ticket of the session permits it (RFC 8446 section 2.3).
    public var earlyRequests = EarlyRequests.none
    /// The sides that update their keys before the request (RFC 8446 section 4.6.3); nil for neither.
    public var updatesKeys: KeyUpdatePolicy?
    /// The known HSTS hosts (RFC 6797 section 8.2).
    public var strictHosts: Set<String> = []
    /// The URL that the app requested, if HSTS upgraded it to https (RFC 6797 section 8.3).
    public private(set) var upgradedFrom: LoadURL?
    /// The cookie that the client sends to its host (RFC 6265 section 5.4); nil if there is none.
    public var cookie: Cookie?
    /// The next attempt after a failed handshake; nil for a client that does not retry.
    public var fallback: Fallback?
    /// The number of failed attempts before this one.
    public private(set) var attempt = 0
    /// Whether the client follows redirects. If false, it returns the redirect response itself.
    public var followsRedirects = true
    /// The import of the client's identity; nil if the identity does not come from a file.
    public var identityImport: PKCS12Import?
    /// The proxy through which the client connects; nil if there is none.
    public var proxy: ProxyAddress?
    /// The credentials of earlier loads. The system sends them at once in the same protection space.
    public var known: [KnownAuthorization] = []
    /// Whether the client keeps the connection open for another request (RFC 9112 section 9.3).
    ///
    /// Set this property if the server may request authentication.
    public var keepsAlive = false
    /// Whether the client sends a request after the handshake.
    ///
    /// Set this property to false if the server uses a protocol other than HTTP.
    public var asksForContent = true
    /// Whether the caller reads and writes HTTP/2 frames if the server selects h2 (RFC 9113).
    ///
    /// The client then sends one request without content, does not authenticate, and follows no redirect.
    public var speaksHTTP2 = false
    /// The earlier requests in a chain of redirects, each as method and URL.
    public var visited: [String] = []
    /// The keys that replace those of certificates without a known private key, by the certificate's DER.
    public var standIns: [[UInt8]: PublicKey]

    /// Creates a client for this load.
    public init(
      _ load: AppTransportSecurity.Load, settings: AppTransportSecurity.Configuration = .empty,
      offer systemOffer: SystemOffer? = nil, tls: ClientConfiguration, trust: TrustEvaluator,
      challenges: ChallengeConversation.Configuration? = nil, request: HTTPRequest? = nil, identity: [Value] = [],
      resumesSessions: Bool = false, standIns: [[UInt8]: PublicKey] = [:]
    ) {
      self.load = load
      self.settings = settings
      self.systemOffer = systemOffer
      self.tls = tls
      self.trust = trust
      self.challenges = challenges ?? .init(loader: load.loader, os: load.os, enforcement: tls.enforcement)
      self.request = request ?? HTTPRequest(path: load.url.path)
      self.identity = identity
      self.resumesSessions = resumesSessions
      self.standIns = standIns
    }
  }

  /// The changes that an app makes to the system's offer.
  public struct SystemOffer: Sendable {
    /// The signature schemes; nil keeps those of the system.
    public var signatureSchemes: [SignatureScheme]?
    /// The application protocols; nil keeps those of the system.
    public var applicationProtocols: [ApplicationProtocol]?
    /// Whether the client offers extended_master_secret (RFC 7627); nil keeps the system's default.
    public var extendedMasterSecret: Bool?
    /// Whether the client retries after a failed handshake.
    public var fallback = FallbackChoice.system

    /// Creates an offer without changes.
    public init() {}
  }

  /// The requests that a client sends as early data.
  public enum EarlyRequests: String, Sendable, Hashable, CaseIterable {
    /// The client sends no early data.
    case none
    /// The client sends only requests that change nothing on the server (RFC 8470 section 2).
    case safe
    /// The client sends every request as early data, which RFC 8470 forbids.
    case all
  }

  /// The sides that update their keys in TLS 1.3 when one side asks for it (RFC 8446 section 4.6.3).
  public enum KeyUpdatePolicy: String, Sendable, Hashable, CaseIterable {
    /// The side updates its own keys.
    case own
    /// The side updates its own keys, and requests the same of its peer.
    case both
  }

  /// A cookie that belongs to one host.
  public struct Cookie: Sendable, Hashable {
    /// The host that receives the cookie.
    public let host: String
    /// The name and value of the cookie.
    public let text: String

    /// Creates a cookie with this `text` for `host`.
    public init(_ text: String, of host: String) {
      self.host = host
      self.text = text
    }
  }
}

// The load, and the decision of App Transport Security about it.
extension ClientEndpoint.Configuration {
  /// The decision of App Transport Security about the load, under the client's enforced rules.
  public var decision: AppTransportSecurity.Decision {
    decided ?? AppTransportSecurity.decide(load, by: settings, enforcement: tls.enforcement)
  }

  /// Decides about the load once, and restricts the system's offer to the part that App Transport Security allows.
  @discardableResult
  public mutating func decide() -> AppTransportSecurity.Decision {
    if let decided { return decided }
    let decision = self.decision
    decided = decision
    if let systemOffer { make(systemOffer, under: decision) }
    return decision
  }

  private mutating func make(_ own: ClientEndpoint.SystemOffer, under decision: AppTransportSecurity.Decision) {
    let offer = ClientOffer(for: decision, enforcement: tls.enforcement)
    self.offer = offer
    fallback = own.fallback.applied(to: offer)
    trust.requirements.pins = pins
    tls.offer(offer)
    if let schemes = own.signatureSchemes { tls.signatureSchemes = schemes }
    if let protocols = own.applicationProtocols { tls.applicationProtocols = protocols }
    if let offers = own.extendedMasterSecret { tls.setExtendedMasterSecret(offers) }
    if let fallback { tls = tls.fallingBack(by: fallback, attempt: attempt - 1) ?? tls }
  }

  /// The keys that the app's settings pin for the host.
  private var pins: [PublicKeyPins] {
    let settings = settings.read(for: load, under: tls.enforcement)
    let required = settings.lacksRequiredPins(for: load.url.host, os: load.os) ? [PublicKeyPins([])] : []
    guard let identities = settings.pinnedIdentities(for: load.url.host, os: load.os) else { return required }
    let confidence = AppTransportSecurity.PinnedIdentities.confidence(in: load.loader)
    func pins(_ hashes: [[UInt8]], _ place: PublicKeyPins.Place) -> PublicKeyPins {
      PublicKeyPins(hashes.map(pin), at: place, confidence: confidence)
    }
    return required
      + [identities.leaf.map { pins($0, .leaf) }, identities.authorities.map { pins($0, .authorities) }]
      .compactMap(\.self)
  }

  private func pin(_ fingerprint: [UInt8]) -> PublicKeyPins.Pin {
    namedKeys.first { $0.fingerprint == fingerprint }
      ?? PublicKeyPins.Pin(name: "sha256/\(Base64.encode(fingerprint))", fingerprint: fingerprint)
  }

  /// Sets the URL to request, with https for a known HSTS host. This resets the decision.
  public mutating func ask(for url: LoadURL, _ request: HTTPRequest? = nil) {
    let secure = strictURL(for: url)
    (load.url, upgradedFrom) = (secure ?? url, secure == nil ? nil : url)
    (decided, attempt) = (nil, 0)
    tls.host = load.url.host
    challenges.urlCredential = load.url.userInfo.map { .password($0.user, $0.password) }
    self.request = request ?? HTTPRequest(path: load.url.path)
    if let cookie, cookie.host == load.url.host { self.request.cookie = cookie.text }
  }

  /// Sets the number of the attempt. This resets the decision.
  public mutating func askAgain(_ attempt: Int) { (decided, self.attempt) = (nil, attempt) }

  /// The https URL that replaces `url` for a known HSTS host (RFC 6797 section 8.3); nil for any other URL.
  ///
  /// The port stays the same, unless it is 80.
  private func strictURL(for url: LoadURL) -> LoadURL? {
    guard url.scheme == "http", strictHosts.contains(url.host) else { return nil }
    return try? LoadURL("https://\(url.authority)\(url.path)")
  }

  /// The client's offer without the restrictions of App Transport Security, which do not affect application protocols
  /// (RFC 7301).
  public var offerWithoutATS: ClientConfiguration {
    if let namedOffer { return namedOffer }
    var offer = tls
    offer.offer(ClientOffer.systemDefault(os: load.os))
    offer.applicationProtocols = tls.applicationProtocols
    return offer
  }
}
