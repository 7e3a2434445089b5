import Cryptography
import Endpoint
import Explanation
import Simulator
import TLS
import URLLoading

/// A server as a scenario describes it.
public struct ServerDescription: Sendable {
  /// The host name it answers for.
  public internal(set) var host = ""
  /// The names of the certificates it can send: chains, each with its leaf first, the default chain first.
  public internal(set) var chains: [[String]] = []
  /// What it does about a name that none of its certificates is for.
  public internal(set) var unrecognizedName = UnrecognizedName.ignored
  /// The protocol versions it speaks.
  public internal(set) var versions: [ProtocolVersion] = []
  /// The cipher suites it accepts, best first.
  public internal(set) var cipherSuites: [CipherSuite] = []
  /// The groups it does ECDHE with, best first.
  public internal(set) var groups: [NamedGroup] = []
  /// The name of the finite field it does DHE in; nil for the usual one.
  public internal(set) var dhGroup: String?
  /// How it signs its key exchange, best first; nil for the usual ways.
  public internal(set) var signatureSchemes: [SignatureScheme]?
  /// The protocols it speaks inside TLS, best first.
  public internal(set) var applicationProtocols: [ApplicationProtocol] = []
  /// The OCSP response that it staples; nil for none.
  public internal(set) var certificateStatus: [UInt8]?
  /// The same where a responder made it for the scenario; nil for none.
  public internal(set) var staple: StapleDescription?
  /// Whether it asks who the client is.
  public internal(set) var clientAuthentication = ClientAuthentication.none
  /// The names of the authorities it trusts for clients.
  public internal(set) var clientAuthorities: [String] = []
  /// Whether clients may go on with an earlier session, and who keeps it.
  public internal(set) var sessions = SessionKeeping.none
  /// For how many seconds they may; nil for a day.
  public internal(set) var sessionLifetime: Int64?
  /// Whether it refuses clients that fell back without need, where they say that they did.
  public internal(set) var honoursFallbackSignal = true
  /// Whether it accepts extended_master_secret if a client offers it.
  public internal(set) var acceptsExtendedMasterSecret = false
  /// Whether it agrees where a client asks for shorter fragments.
  public internal(set) var agreesToFragmentLength = true
  /// Whether it opens a WebSocket where a client asks for one.
  public internal(set) var opensWebSockets = true
  /// Before which answers it begins another handshake on the connection.
  public internal(set) var renegotiates = RenegotiationOccasion.never
  /// What it does about another handshake on a connection; nil for what follows from the others.
  public internal(set) var renegotiation: Renegotiation?
  /// The names of the certificates of clients that it has on its list; nil where it has no list.
  public internal(set) var knownClients: [String]?
  /// How it asks over HTTP who the client is; nil where it does not.
  public internal(set) var authentication: AuthenticationDescription?
  /// Its answers by request line: `GET /`.
  public internal(set) var content: [String: HTTPAnswer] = [:]
  /// The answers that are identities for whoever asks, by request line: `POST /register`.
  public internal(set) var registrations: [String: RegistrationDescription] = [:]
  /// The values whose generators are not good.
  public internal(set) var random: [Value.ID: RandomQuality] = [:]
  /// The historical bug that it has; nil for none.
  public internal(set) var mutant: Mutant?
  /// Where it stands in the file.
  public let mark: SourceMark

  init(mark: SourceMark) { self.mark = mark }
}

extension ServerDescription {
  /// The names of the certificates that it sends where nothing else suits a client better, leaf first.
  public var presents: [String] { chains.first ?? [] }
}

extension ServerDescription {
  /// Where its answers lead elsewhere, in the order of the request lines.
  var redirects: [(line: String, target: String)] {
    content.sorted { $0.key < $1.key }.compactMap { line, answer in
      if case .redirect(let target, _) = answer { (line, target) } else { nil }
    }
  }
}

extension ServerDescription {
  /// Every word of `server`, and of an entry of `servers`.
  static let section = Section<ServerDescription>(
    "server", "A server: what it presents and what it speaks.",
    [
      .term("host", Kind<String>.text.map { $0.lowercased() }, "the host name it answers for", into: \.host),
      .term(
        "presents", .chains,
        "the certificates it sends, leaf first; or several such lists, chosen by name and kind of key", into: \.chains),
      .term(
        "unrecognizedName", .choice(called: "way with unknown names"),
        "what it does about a name that it has no certificate for; none, if left out", into: \.unrecognizedName,
        says: \.sentence),
      .term("versions", .list(.version), "the protocol versions it speaks", into: \.versions),
      .term(
        "cipherSuites", .list(.selectableSuite), "the cipher suites it accepts, best first", into: \.cipherSuites,
        says: { "Its cipher suites, best first: \($0.map(\.name).listed)." }),
      .term(
        "groups", .list(.group), "the groups it does ECDHE with, best first", into: \.groups,
        says: { $0.isEmpty ? nil : "Its groups: \($0.map(\.description).listed)." }),
      .term(
        "dhGroup", Kind<String>.dhGroup,
        "the finite field it does DHE in with clients that name none; ffdhe2048, if left out",
        into: \.dhGroup),
      .term(
        "signatureAlgorithms", .list(.signatureScheme), "how it signs its key exchange, best first",
        into: \.signatureSchemes),
      .term(
        "alpn", .list(.applicationProtocol), "the protocols it speaks inside TLS, best first: http/1.1",
        into: \.applicationProtocols),
      .term(
        "certificateStatus", .hex,
        "bytes that it staples as OCSP response where a client asks, in hex; none, if left out",
        into: \.certificateStatus, says: { "It staples \($0.count) bytes as OCSP response." }),
      .term(
        "staple", .staple,
        "the responder's answer that it staples where a client asks: current, stale, forged, or a map; none, if left out",
        into: \.staple, says: { $0.sentence }),
      .term(
        "clientAuthentication", .choice(called: "way of client authentication"),
        "whether it asks who the client is; none, if left out", into: \.clientAuthentication
      ).saying { $0.clientAuthenticationSentences },
      .term(
        "clientAuthorities", .list(.text), "the authorities it trusts for clients, and names when it asks",
        into: \.clientAuthorities),
      .term(
        "knownClients", .list(.text),
        "the certificates of clients that are registered; others get 403, though their authority is trusted",
        into: \.knownClients, says: { "It lets \($0.isEmpty ? "nobody" : $0.listed) in, by their certificates." }),
      .term(
        "sessions", .choice(called: "way with sessions"),
        "whether clients may go on with an earlier session, which the server remembers (resumable), or seals into a ticket "
          + "that the client keeps (tickets); none, if left out", into: \.sessions, says: \.serversSentence),
      .term(
        "sessionLifetime", .duration, "how long they may: 1 hour; a day, if left out", into: \.sessionLifetime,
        says: { "It goes on with a session for \($0) seconds." }),
      .term(
        "fallbackSCSV", .flag,
        "whether it refuses a client that fell back without need and says so (RFC 7507); true, if left out",
        into: \.honoursFallbackSignal, says: { $0 ? nil : "It does not know TLS_FALLBACK_SCSV." }),
      .term(
        "extendedMasterSecret", .flag,
        "whether it accepts extended_master_secret if a client offers it (RFC 7627); false, if left out",
        into: \.acceptsExtendedMasterSecret, says: { $0 ? "It accepts extended_master_secret." : nil }),
      .term(
        "maxFragmentLength", .flag,
        "whether it agrees where a client asks for shorter fragments (RFC 6066); true, if left out",
        into: \.agreesToFragmentLength, says: { $0 ? nil : "It does not know max_fragment_length." }),
      .renegotiates,
      .term(
        "renegotiation", .choice(called: "way to renegotiate"),
        "what it does about another handshake on a connection (RFC 5746): refused, secure where both bind it to the one "
          + "before, or insecure, as everyone before 2010; refused, if left out, and secure where it begins one itself",
        into: \.renegotiation, says: \.serversSentence),
      .term(
        "authentication", .section(AuthenticationDescription.section) { AuthenticationDescription() },
        "how it asks over HTTP who the client is; not at all, if left out", into: \.authentication,
        says: { $0.sentence }),
      .content,
      .term(
        "webSockets", .flag,
        "whether it opens a WebSocket where a client asks for one (RFC 6455), unless its answer is a redirect; true, if "
          + "left out, else it answers as to any request",
        into: \.opensWebSockets, says: { $0 ? nil : "It knows no WebSockets." }),
      .term(
        "random", .randomQualities(of: [ValueName(.random, of: .server), ValueName(.ecdhPrivate, of: .server)]),
        "the quality of its randomness: good, or of single values", into: \.random
      ).saying { $0.random.sentences },
      .term(
        "mutant",
        .mutant(where: \.isOfServers),
        "the historical bug that it has", into: \.mutant,
        says: { "It has the bug '\($0.name)' (\($0.source)): it \($0.meaning)." }),
    ])

  /// What `describe` says of it beside its host, its versions, its certificates and its answers.
  public var details: [String] { Self.section.sentences(on: self) }

  private var clientAuthenticationSentences: [String] {
    switch clientAuthentication {
    case .none: []
    case .optional:
      ["It asks who the client is, takes certificates under \(clientAuthorities.listed), and goes on without."]
    case .required:
      ["It demands to know who the client is, by a certificate under \(clientAuthorities.listed)."]
    }
  }
}

/// Who keeps a session for later connections.
public enum SessionKeeping: String, Sendable, Hashable, CaseIterable {
  /// Nobody.
  case none
  /// The server remembers it by its id: RFC 5246 section 7.3.
  case resumable
  /// The client keeps a ticket in which the server has sealed it: RFC 5077.
  case tickets

  fileprivate var serversSentence: String? {
    switch self {
    case .none: nil
    case .resumable: "It lets clients go on with earlier sessions."
    case .tickets: "It seals sessions into tickets, with which clients go on."
    }
  }

  var clientsSentence: String? {
    switch self {
    case .none: nil
    case .resumable: "It goes on with earlier sessions."
    case .tickets: "It goes on with earlier sessions, also by ticket."
    }
  }
}

extension UnrecognizedName {
  fileprivate var sentence: String? {
    switch self {
    case .fatal: "It ends connections that ask for a name it has no certificate for."
    case .warning: "It warns clients that ask for a name it has no certificate for."
    case .ignored: nil
    }
  }
}

extension Kind {
  /// A chain of certificates, or several.
  static var chains: Kind<[[String]]> {
    let chain = Kind<[String]>.list(.text)
    return Kind<[[String]]>(.either([chain.shape, .list(chain.shape)])) { reader in
      let isSeveral = reader.node.items?.contains { $0.items != nil } ?? false
      return isSeveral ? reader.list(chain.read) : chain.read(reader).map { [$0] }
    }
  }

  /// A historical bug that a party can have.
  static func mutant(where isPossible: (Mutant) -> Bool) -> Kind<Mutant> {
    Kind<String>.choice(Mutant.all.filter(isPossible).map(\.name), called: "mutant").map { Mutant.named($0) }
  }

  /// A version of the protocol.
  static var version: Kind<ProtocolVersion> {
    Kind<String>.choice(["SSLv3", "TLSv1.0", "TLSv1.1", "TLSv1.2", "TLSv1.3"], called: "protocol version")
      .map { ProtocolVersion($0) }
  }

  /// A group that is played.
  static var group: Kind<NamedGroup> {
    Kind<NamedGroup>(.kind("group", .choice(NamedGroup.registry.map(\.name)))) { reader in
      guard let name = reader.choice(NamedGroup.registry.map(\.name), called: "group"),
        let group = NamedGroup(name: name)
      else { return nil }
      if group.isImplemented { return group }
      reader.fail(
        "the group '\(name)' is not played yet",
        hint: "played today: \(NamedGroup.implemented.map(\.description).joined(separator: ", "))")
      return nil
    }
  }

  /// The name of a finite field.
  static var dhGroup: Kind<String> {
    .choice((DHGroup.named + DHGroup.historical).map(\.name), called: "finite field")
  }

  /// A way to sign a key exchange.
  static var signatureScheme: Kind<SignatureScheme> {
    Kind<String>.choice(
      SignatureScheme.all.map(\.name), called: "signature algorithm"
    ).map { SignatureScheme(name: $0) }
  }

  /// The name of a protocol inside TLS: RFC 7301 section 3.1, 1 to 255 bytes.
  static var applicationProtocol: Kind<ApplicationProtocol> {
    Kind<ApplicationProtocol>(.text) { reader in
      guard let text = reader.text() else { return nil }
      if (1...255).contains(text.utf8.count) { return ApplicationProtocol(text) }
      reader.fail("a protocol's name has 1 to 255 bytes", hint: "write http/1.1, or h2")
      return nil
    }
  }

  /// A cipher suite by its name in the registry.
  static var cipherSuite: Kind<CipherSuite> {
    Kind<CipherSuite>(.kind("cipher suite", .choice(CipherSuite.registry.map(\.name))), written: \.name) { reader in
      guard let text = reader.text() else { return nil }
      if let suite = CipherSuite(name: text) { return suite }
      reader.fail("unknown cipher suite '\(text)'", hint: OpenSSLSuite.hint(for: text))
      return nil
    }
  }

  /// A cipher suite that a server can select, which a signal is not.
  static var selectableSuite: Kind<CipherSuite> {
    let suite = Kind<CipherSuite>.cipherSuite
    return Kind<CipherSuite>(suite.shape, written: suite.written) { reader in
      guard let read = suite.read(reader) else { return nil }
      guard read.isSignalling else { return read }
      let hint =
        read == .fallback
        ? "write client: { fallback: signalled }, or server: { fallbackSCSV: false }"
        : "leave it out: clients say it by themselves"
      reader.fail("'\(read.name)' is no cipher suite but a signal, which nobody selects", hint: hint)
      return nil
    }
  }
}

/// Cipher suites as OpenSSL calls them, which is how many people know them.
public enum OpenSSLSuite {
  /// The registry's name of a suite that is written as OpenSSL has it, or without TLS and WITH, in whatever case.
  public static func registered(_ name: String) -> String? {
    let (own, plain) = (name.lowercased(), plain(name))
    return CipherSuite.registry.map(\.name).first { openSSLName($0).lowercased() == own || Self.plain($0) == plain }
  }

  /// The words of a name that tell suites apart.
  private static func plain(_ name: String) -> [Substring] {
    name.lowercased().split { "-_".contains($0) }.filter { !["tls", "with"].contains($0) }
  }

  /// The registry's name where `name` is OpenSSL's, else the nearest of the registry.
  static func hint(for name: String) -> String {
    let names = CipherSuite.registry.map(\.name)
    if let own = names.first(where: { openSSLName($0).lowercased() == name.lowercased() }) {
      return "'\(name)' is OpenSSL's name: write \(own)"
    }
    // What only lacks its end is the one that begins so, though another may have fewer letters that differ.
    let begun = names.filter { $0.hasPrefix(name.uppercased() + "_") }
    if begun.count == 1 { return "did you mean '\(begun[0])'?" }
    return Spelling.hint(for: name, among: names)
  }

  /// OpenSSL's name for a suite of the registry: TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 is ECDHE-RSA-AES128-GCM-SHA256.
  static func openSSLName(_ name: String) -> String {
    var words = name.split(separator: "_").dropFirst().map(String.init)
    guard let with = words.firstIndex(of: "WITH") else { return name }
    let exchange = Array(words[..<with])
    words = Array(words[(with + 1)...])
    // The mode is not named where it is CBC, and AES is written together with its size.
    words.removeAll { $0 == "CBC" }
    var text = ""
    for word in words {
      let joins = ["128", "256"].contains(word) && (text.hasSuffix("AES") || text.hasSuffix("CAMELLIA"))
      text += (text.isEmpty || joins ? "" : "-") + word
    }
    text = text.replacing("3DES-EDE", with: "DES-CBC3").replacing("CHACHA20-POLY1305-SHA256", with: "CHACHA20-POLY1305")
    let prefix = exchange == ["RSA"] ? "" : exchange.joined(separator: "-") + "-"
    return prefix + text
  }
}

extension NodeReader {
  /// `server`, or one entry of `servers` whose key is the host.
  func server(host: String?, mark: SourceMark) -> ServerDescription? {
    var server = ServerDescription(mark: mark)
    guard read(ServerDescription.section, into: &server) != nil else { return nil }
    if let host { server.host = host.lowercased() }
    return server
  }
}
