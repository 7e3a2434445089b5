import Cryptography
import Explanation
import PKIX
import TLS
import Trust
import URLLoading

extension ClientEndpoint {
  /// The properties and wishes of a client.
  public struct Configuration: Sendable {
    /// The load that App Transport Security decides about.
    public private(set) var load: AppTransportSecurity.Load
    /// The app's settings of App Transport Security.
    public let settings: AppTransportSecurity.Configuration
    /// The app's changes of its system's offer; nil for a client whose offer is in `tls`.
    public let systemOffer: SystemOffer?
    /// The decision of App Transport Security, after `decide()`.
    private var decided: AppTransportSecurity.Decision?
    /// The offer of its system under that decision; nil before it, and for a client that is no system's.
    public private(set) var offer: ClientOffer?
    /// Its part of TLS.
    public var tls: ClientConfiguration
    /// The versions and suites that the app names, before App Transport Security narrows them; nil for its system's offer.
    public var namedOffer: ClientConfiguration?
    /// How it evaluates the server's certificates.
    public var trust: TrustEvaluator
    /// The delegate that answers the system's challenges, and its credentials.
    public var challenges: ChallengeConversation.Configuration
    /// The keys that have names here, for the settings to pin.
    public var namedKeys: [PublicKeyPins.Pin] = []
    /// The request.
    public var request: HTTPRequest
    /// The certificates in its Certificate message, as values that everyone sees.
    public var identity: [Value]
    /// Whether it goes on with the session of an earlier connection, where the server does too.
    public var resumesSessions: Bool
    /// The hosts that it knows to want HTTPS alone: RFC 6797 section 8.2.
    public var strictHosts: Set<String> = []
    /// The URL that the app asked for, if the client made another of it (RFC 6797 section 8.3).
    public private(set) var upgradedFrom: LoadURL?
    /// The cookie that it sends to its host: RFC 6265 section 5.4. Nil for none.
    public var cookie: Cookie?
    /// How it asks again after a handshake that failed; nil where it does not.
    public var fallback: Fallback?
    /// The number of failed attempts before this one.
    public private(set) var attempt = 0
    /// Whether it goes where a response redirects it, rather than hand the response on as it is.
    public var followsRedirects = true
    /// The import of its identity; nil where that comes from no file.
    public var identityImport: PKCS12Import?
    /// The proxy through which it reaches its servers; nil for none.
    public var proxy: ProxyAddress?
    /// The credentials of earlier loads, which the system sends at once in the same protection space.
    public var known: [KnownAuthorization] = []
    /// Whether it keeps the connection for another request, as it must where a server may ask who it is: RFC 9112 section
    /// 9.3.
    public var keepsAlive = false
    /// Whether it sends a request after the handshake; a server of another protocol than HTTP is only greeted.
    public var asksForContent = true
    /// The requests before redirects led here: method and URL.
    public var visited: [String] = []
    /// Keys that stand in for those of certificates whose private key nobody here has, by the certificate's DER.
    public var standIns: [[UInt8]: PublicKey]

    /// A client with these decisions to make.
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

  /// The changes that an app makes to its system's offer.
  public struct SystemOffer: Sendable {
    /// How the server may sign; nil as the system has it.
    public var signatureSchemes: [SignatureScheme]?
    /// The protocols inside TLS; nil as the system has them.
    public var applicationProtocols: [ApplicationProtocol]?
    /// Whether extended_master_secret is on offer (RFC 7627); nil as the system has it.
    public var extendedMasterSecret: Bool?
    /// Whether the client asks again after a handshake that failed.
    public var fallback = FallbackChoice.system

    /// The offer of the system.
    public init() {}
  }

  /// A cookie of one host.
  public struct Cookie: Sendable, Hashable {
    /// The host that gets it.
    public let host: String
    /// Its name and value.
    public let text: String

    /// The cookie `text` of `host`.
    public init(_ text: String, of host: String) {
      self.host = host
      self.text = text
    }
  }
}

// The load, and the decision of App Transport Security about it.
extension ClientEndpoint.Configuration {
  /// The decision of App Transport Security about the load, under the client's own rules.
  public var decision: AppTransportSecurity.Decision {
    decided ?? AppTransportSecurity.decide(load, by: settings, enforcement: tls.enforcement)
  }

  /// Decides about the load, and makes the offer that App Transport Security leaves of the system's, once.
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

  /// Asks for `url`, over https if the client knows that the host wants it. Nothing is decided yet.
  public mutating func ask(for url: LoadURL, _ request: HTTPRequest? = nil) {
    let secure = strictURL(for: url)
    (load.url, upgradedFrom) = (secure ?? url, secure == nil ? nil : url)
    (decided, attempt) = (nil, 0)
    tls.host = load.url.host
    challenges.urlCredential = load.url.userInfo.map { .password($0.user, $0.password) }
    self.request = request ?? HTTPRequest(path: load.url.path)
    if let cookie, cookie.host == load.url.host { self.request.cookie = cookie.text }
  }

  /// Asks again, for the time of this number. Nothing is decided yet.
  public mutating func askAgain(_ attempt: Int) { (decided, self.attempt) = (nil, attempt) }

  /// The https URL in place of `url` for a known host, at the same port unless that is 80: RFC 6797 section 8.3. Nil for
  /// every other URL.
  private func strictURL(for url: LoadURL) -> LoadURL? {
    guard url.scheme == "http", strictHosts.contains(url.host) else { return nil }
    return try? LoadURL("https://\(url.authority)\(url.path)")
  }

  /// The offer without App Transport Security, which takes no protocol out of it (RFC 7301).
  public var offerWithoutATS: ClientConfiguration {
    if let namedOffer { return namedOffer }
    var offer = tls
    offer.offer(ClientOffer.systemDefault(os: load.os))
    offer.applicationProtocols = tls.applicationProtocols
    return offer
  }
}
