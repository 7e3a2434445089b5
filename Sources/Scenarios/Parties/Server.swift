import Cryptography
import Endpoint
import Explanation
import Laboratory
import Simulator
import TLS
import Trust
import URLLoading

/// A server as a scenario describes it.
public struct ServerDescription: Sendable {
  /// The host name of the server.
  public internal(set) var host = ""
  /// The certificate chains of the server by name, the default chain first. Each chain has its leaf first.
  public internal(set) var chains: [[String]] = []
  /// The server's response to a server name that none of its certificates contains.
  public internal(set) var unrecognizedName = UnrecognizedName.ignored
  /// The protocol versions that the server supports.
  public internal(set) var versions: [ProtocolVersion] = []
  /// The cipher suites that the server accepts, best first.
  public internal(set) var cipherSuites: [CipherSuite] = []
  /// The ECDHE groups that the server supports, best first.
  public internal(set) var groups: [NamedGroup] = []
  /// The name of the server's finite-field group for DHE; nil for the default.
  public internal(set) var dhGroup: String?
  /// The signature algorithms of the server's key exchange, best first; nil for the default.
  public internal(set) var signatureSchemes: [SignatureScheme]?
  /// The ALPN protocols that the server supports, best first.
  public internal(set) var applicationProtocols: [ApplicationProtocol] = []
  /// The OCSP response that the server staples; nil for none.
  public internal(set) var certificateStatus: [UInt8]?
  /// The response that a responder creates for the server to staple; nil for none.
  public internal(set) var staple: StapleDescription?
  /// Whether the server requests client certificates.
  public internal(set) var clientAuthentication = ClientAuthentication.none
  /// The names of the CAs that the server trusts for client certificates.
  public internal(set) var acceptedCAs: [String] = []
  /// The profile by which the server validates clients; nil for RFC 5280.
  public internal(set) var profile: ValidationProfileDescription?
  /// The server's policy for revocation checks of clients' certificates.
  public internal(set) var revocation = RevocationPolicy.Mode.none
  /// The server's trust settings for certificates of clients and of their CAs, by name.
  public internal(set) var clientTrustSettings: [String: ClientTrustSetting] = [:]
  /// Whether clients may resume earlier sessions, and which side stores them.
  public internal(set) var sessions = SessionKeeping.none
  /// The lifetime of sessions in seconds; nil for one day.
  public internal(set) var sessionLifetime: Int64?
  /// Whether the server refuses an unnecessary fallback that TLS_FALLBACK_SCSV indicates.
  public internal(set) var honoursFallbackSignal = true
  /// Whether the server accepts extended_master_secret if a client offers it.
  public internal(set) var acceptsExtendedMasterSecret = false
  /// Whether the server accepts a client's request for shorter fragments.
  public internal(set) var agreesToFragmentLength = true
  /// Whether the server opens a WebSocket on request.
  public internal(set) var opensWebSockets = true
  /// The requests after which the server renegotiates.
  public internal(set) var renegotiates = RenegotiationOccasion.never
  /// The server's response to a renegotiation; nil for the default.
  public internal(set) var renegotiation: Renegotiation?
  /// The names of the certificates of registered clients; nil if the server has no list.
  public internal(set) var knownClients: [String]?
  /// The HTTP authentication of the server; nil for none.
  public internal(set) var authentication: AuthenticationDescription?
  /// The server's responses by request line: `GET /`.
  public internal(set) var content: [String: HTTPAnswer] = [:]
  /// The server's responses with identities, by request line: `POST /register`.
  public internal(set) var registrations: [String: RegistrationDescription] = [:]
  /// The number of tickets after a handshake of TLS 1.3.
  public internal(set) var tickets = 1
  /// The key that the server and a client have agreed on; nil for none.
  public internal(set) var preSharedKey: PreSharedKeyDescription?
  /// The early data that the server accepts; nil for none.
  public internal(set) var earlyData: EarlyDataDescription?
  /// Whether the server updates its keys; nil if it does not.
  public internal(set) var keyUpdate: ClientEndpoint.KeyUpdatePolicy?
  /// Whether a HelloRetryRequest has a cookie.
  public internal(set) var sendsCookie = false
  /// Whether the server compresses its certificates in TLS 1.3, and how.
  public internal(set) var certificateCompression = CompressionChoice.none
  /// The number of zeros after the content of the server's records.
  public internal(set) var recordPadding = 0
  /// The limit of the client's records; nil for the default.
  public internal(set) var recordSizeLimit: Int?
  /// The values whose random generators are weak.
  public internal(set) var random: [Value.ID: RandomQuality] = [:]
  /// The server's deviations from the protocol.
  public internal(set) var misbehaviors: [Misbehavior] = []
  /// The historical bug of the server; nil for none.
  public internal(set) var mutant: Mutant?
  /// The place of the server in the file.
  public let mark: SourceMark

  init(mark: SourceMark) { self.mark = mark }
}

extension ServerDescription {
  /// The names of the certificates that the server sends by default, leaf first.
  public var presents: [String] { chains.first ?? [] }
}

extension ServerDescription {
  /// The redirects in the server's content, in the order of the request lines.
  var redirects: [(line: String, target: String)] {
    content.sorted { $0.key < $1.key }.compactMap { line, answer in
      if case .redirect(let target, _) = answer { (line, target) } else { nil }
    }
  }
}

extension ServerDescription {
  /// Every key of `server`, and of an entry of `servers`.
  static let section = Section<ServerDescription>(
    "server", "A server: its certificates, protocols and content.",
    [
      .term("host", Kind<String>.text.map { $0.lowercased() }, "its host name", into: \.host),
      .term(
        "presents", .chains,
        "the certificate chain, leaf first; or several chains, which the server selects by name and kind of key",
        into: \.chains),
      .term(
        "unrecognizedName", .choice(called: "setting for unknown names"),
        "the server's response if no certificate has the requested name; default: none", into: \.unrecognizedName,
        says: \.sentence),
      .term("versions", .list(.version), "the protocol versions that the server supports", into: \.versions),
      .term(
        "cipherSuites", .list(.selectableSuite), "the cipher suites that the server accepts, best first",
        into: \.cipherSuites,
        says: { "Its cipher suites, best first: \($0.map(\.name).listed)." }),
      .term(
        "groups", .list(.group), "the server's groups for ECDHE, best first", into: \.groups,
        says: { $0.isEmpty ? nil : "Its groups: \($0.map(\.description).listed)." }),
      .term(
        "dhGroup", Kind<String>.dhGroup,
        "the server's finite-field group for DHE if the client names none; default: ffdhe2048",
        into: \.dhGroup),
      .term(
        "signatureAlgorithms", .list(.signatureScheme),
        "the signature algorithms for the server's key exchange, best first",
        into: \.signatureSchemes),
      .term(
        "alpn", .list(.applicationProtocol), "the server's ALPN protocols, best first, such as http/1.1",
        into: \.applicationProtocols),
      .term(
        "certificateStatus", .hex,
        "the bytes that the server staples as an OCSP response on request, in hexadecimal; default: none",
        into: \.certificateStatus, says: { "It staples \($0.count) bytes as an OCSP response." }),
      .term(
        "staple", .staple,
        "the OCSP response that the server staples on request: current, stale, forged, or a map; default: none",
        into: \.staple, says: { $0.sentence }),
      .term(
        "clientAuthentication", .choice(called: "client authentication setting"),
        "whether the server requests client certificates; default: none", into: \.clientAuthentication
      ).saying { $0.clientAuthenticationSentences },
      .term(
        "clientAuthorities", .list(.text),
        "the CAs that the server trusts for client certificates and lists in its request",
        into: \.acceptedCAs),
      .term(
        "knownClients", .list(.text),
        "the certificates of registered clients; other clients get 403, even if their CA is trusted",
        into: \.knownClients, says: { "It admits \($0.isEmpty ? "no client" : "only \($0.listed)") by certificate." }),
      .term(
        "profile", .validationProfile,
        "the requirements by which the server validates clients' certificates: a profile's name, or a map; default: "
          + "rfc5280",
        into: \.profile, says: { $0.sentence }),
      .term(
        "revocation", .choice(called: "revocation check"),
        "whether the server checks the revocation of clients' certificates in their CAs' CRLs, and continues (soft-fail) "
          + "or refuses (hard-fail) if the status is unknown; default: none",
        into: \.revocation, says: \.sentence),
      .term(
        "clientTrustSettings", .named(.choice(called: "setting")),
        "the server's settings for certificates of clients and of their CAs, by name: distrusted or never (Never Trust), "
          + "also for the certificates that they issued",
        into: \.clientTrustSettings
      ).saying { server in
        server.clientTrustSettings.sorted { $0.key < $1.key }
          .map { "Its setting for \($0.key) is '\($0.value.rawValue)'." }
      },
      .term(
        "sessions", .choice(called: "session setting"),
        "how clients may resume earlier sessions: from the server's cache (resumable), or with encrypted tickets that "
          + "the "
          + "client keeps (tickets); default: none", into: \.sessions, says: \.serversSentence),
      .term(
        "sessionLifetime", .duration, "the lifetime of sessions, such as 1 hour; default: 1 day",
        into: \.sessionLifetime,
        says: { "It resumes a session for up to \($0) seconds." }),
      .term(
        "tickets", .integer(1...16), "the number of tickets after a handshake of TLS 1.3; default: 1", into: \.tickets,
        says: { $0 == 1 ? nil : "It sends \($0) tickets after a handshake of TLS 1.3." }),
      .term(
        "psk", .preSharedKey, "the key that the server and a client have agreed on outside TLS; default: none",
        into: \.preSharedKey, says: { $0.sentence }),
      .term(
        "earlyData", .earlyData, "the early data of TLS 1.3 that the server accepts; default: none",
        into: \.earlyData, says: { $0.sentence }),
      .term(
        "keyUpdate", .choice(called: "key update"),
        "whether the server updates its own keys of TLS 1.3 before a response, or those of both sides; default: neither",
        into: \.keyUpdate, says: { $0.sentence }),
      .term(
        "cookie", .flag,
        "whether the server answers a ClientHello of TLS 1.3 with a HelloRetryRequest that has a cookie; default: false",
        into: \.sendsCookie, says: { $0 ? "It sends a cookie in HelloRetryRequest." : nil }),
      .term(
        "certificateCompression", .choice(called: "compression"),
        "how the server compresses its certificates in TLS 1.3 if the client accepts it (RFC 8879): zlib; default: "
          + "none",
        into: \.certificateCompression, says: { $0 == .none ? nil : "It compresses its certificates with \($0)." }),
      .term(
        "padding", .recordPadding, "the number of zeros after the content of each record of TLS 1.3; default: 0",
        into: \.recordPadding, says: { $0 == 0 ? nil : "It pads its records with \($0) bytes." }),
      .term(
        "recordSizeLimit", .recordSizeLimit,
        "the maximum size of the client's records that the server accepts (RFC 8449); default: none",
        into: \.recordSizeLimit, says: { "It accepts records of at most \($0) bytes (record_size_limit)." }),
      .term(
        "fallbackSCSV", .flag,
        "whether the server refuses an unnecessary fallback with TLS_FALLBACK_SCSV (RFC 7507); default: true",
        into: \.honoursFallbackSignal, says: { $0 ? nil : "It does not support TLS_FALLBACK_SCSV." }),
      .term(
        "extendedMasterSecret", .flag,
        "whether the server accepts extended_master_secret if a client offers it (RFC 7627); default: false",
        into: \.acceptsExtendedMasterSecret, says: { $0 ? "It accepts extended_master_secret." : nil }),
      .term(
        "maxFragmentLength", .flag,
        "whether the server accepts a client's request for shorter fragments (RFC 6066); default: true",
        into: \.agreesToFragmentLength, says: { $0 ? nil : "It does not support max_fragment_length." }),
      .renegotiates,
      .term(
        "renegotiation", .choice(called: "renegotiation setting"),
        "the server's response to a renegotiation (RFC 5746): refused, secure (both sides bind it to the previous "
          + "handshake) or insecure (as before 2010); default: secure if the server starts renegotiations, else "
          + "refused",
        into: \.renegotiation, says: \.serversSentence),
      .term(
        "authentication", .section(AuthenticationDescription.section) { AuthenticationDescription() },
        "the server's HTTP authentication; default: none", into: \.authentication,
        says: { $0.sentence }),
      .content,
      .term(
        "webSockets", .flag,
        "whether the server opens a WebSocket on request (RFC 6455), unless its response is a redirect; if false, it "
          + "responds as to any other request; default: true",
        into: \.opensWebSockets, says: { $0 ? nil : "It does not support WebSockets." }),
      .term(
        "random", .randomQualities(of: [ValueName(.random, of: .server), ValueName(.ecdhPrivate, of: .server)]),
        "the quality of the server's randomness: good, or a map of values", into: \.random
      ).saying { $0.random.sentences },
      .misbehaves(.server, into: \.misbehaviors),
      .term(
        "mutant",
        .mutant(where: \.isOfServers),
        "the historical bug that the server has", into: \.mutant,
        says: { "It has the bug '\($0.name)' (\($0.source)): it \($0.meaning)." }),
    ])

  /// The sentences that `describe` prints about the server, in addition to host, versions, certificates and content.
  public var details: [String] { Self.section.sentences(on: self) }

  private var clientAuthenticationSentences: [String] {
    switch clientAuthentication {
    case .none: []
    case .optional:
      ["It requests a client certificate issued under \(acceptedCAs.listed), and continues without one."]
    case .required:
      ["It requires a client certificate issued under \(acceptedCAs.listed)."]
    }
  }
}

/// The side that stores a session for later connections.
public enum SessionKeeping: String, Sendable, Hashable, CaseIterable {
  /// Neither side stores the session.
  case none
  /// The server stores the session under its id (RFC 5246 section 7.3).
  case resumable
  /// The client stores a ticket that the server has encrypted (RFC 5077).
  case tickets

  fileprivate var serversSentence: String? {
    switch self {
    case .none: nil
    case .resumable: "It lets clients resume earlier sessions."
    case .tickets: "It encrypts sessions into tickets, which clients use to resume."
    }
  }

  var clientsSentence: String? {
    switch self {
    case .none: nil
    case .resumable: "It resumes earlier sessions."
    case .tickets: "It resumes earlier sessions, also by ticket."
    }
  }
}

extension UnrecognizedName {
  fileprivate var sentence: String? {
    switch self {
    case .fatal: "It ends a connection if none of its certificates has the requested name."
    case .warning: "It warns the client if none of its certificates has the requested name."
    case .ignored: nil
    }
  }
}

extension NodeReader {
  /// Reads `server`, or one entry of `servers` whose key is the host.
  func server(host: String?, mark: SourceMark) -> ServerDescription? {
    var server = ServerDescription(mark: mark)
    guard read(ServerDescription.section, into: &server) != nil else { return nil }
    if let host { server.host = host.lowercased() }
    return server
  }
}
