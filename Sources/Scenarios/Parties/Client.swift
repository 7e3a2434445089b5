import Cryptography
import Endpoint
import Explanation
import Laboratory
import Simulator
import TLS
import Trust
import URLLoading

/// An app and the system it runs on, as a scenario describes them.
public struct ClientDescription: Sendable {
  /// The source of the App Transport Security dictionary.
  public enum InfoPlist: Sendable {
    /// The NSAppTransportSecurity dictionary itself.
    case inline(PropertyList)
    /// An Info.plist file outside the scenario.
    case file(FileReference)
  }

  /// The operating system on which the app runs.
  public internal(set) var os: OSVersion
  /// The API that loads the URL.
  public internal(set) var loader: Loader
  /// The source of the App Transport Security dictionary.
  public internal(set) var infoPlist = InfoPlist.inline(.dictionary(.init()))
  /// The SDK that the app is linked against; nil for the SDK of the system's release.
  public internal(set) var linkedSDK: OSVersion?
  /// Whether App Transport Security treats an address as direct; nil to derive it from the address.
  public internal(set) var isDirect: Bool?
  /// The app's handling of the server's certificate.
  public internal(set) var serverTrust = ServerTrustDescription.standard
  /// The style of API with which the app starts its loads.
  public internal(set) var interface = LoadingInterface.delegate
  /// The delegate that receives the system's challenges; nil if only `serverTrust` and `identity` decide.
  public internal(set) var delegate: DelegateDescription?
  /// The initial contents of the system's credential storage.
  public internal(set) var credentials: [CredentialDescription] = []
  /// Whether the app was relaunched, so that only permanent data is available.
  public internal(set) var isRelaunched = false
  /// The name and the password that the user entered in the app.
  public internal(set) var account: Credential?
  /// Whether the app assumes that its device is registered.
  public internal(set) var isRegistered = false
  /// Whether the client fetches issuer certificates that a server does not present.
  public internal(set) var fetchesIssuers = true
  /// The client's policy for revocation checks.
  public internal(set) var revocation = RevocationPolicy.Mode.none
  /// The profile by which the client validates servers; nil for the system's.
  public internal(set) var profile: ValidationProfileDescription?
  /// Whether the client enforces must-staple; nil for the system's default.
  public internal(set) var holdsMustStaple: Bool?
  /// The signature algorithms that the client offers, best first; nil for the system's default.
  public internal(set) var signatureSchemes: [SignatureScheme]?
  /// The certificates that the client presents on request, leaf first; empty for none.
  public internal(set) var identity: [String] = []
  /// Whether `identity` is a list, which is the complete chain. Otherwise the client also presents the issuers below
  /// the root.
  var identityIsComplete = false
  /// The file with the client's identity; nil if the identity is not in a file.
  public internal(set) var identityFile: IdentityFileDescription?
  /// Whether the identity is stolen, so that a thief acts as a separate client.
  public internal(set) var isThief = false
  /// The proxy through which the client reaches its servers; nil for none.
  public internal(set) var proxy: ProxyDescription?
  /// Whether the client resumes earlier sessions, and whether it accepts tickets.
  public internal(set) var sessions = SessionKeeping.none
  /// The ALPN protocols that the client offers, best first; nil for the system's default.
  public internal(set) var applicationProtocols: [ApplicationProtocol]?
  /// The hosts that the client knows to require HTTPS (HSTS).
  public internal(set) var strictHosts: [String] = []
  /// The cookie that the client sends with every request to its first host; empty for none.
  public internal(set) var cookie = ""
  /// The client's fallback after a failed handshake.
  public internal(set) var fallback = FallbackChoice.system
  /// The client's response to a renegotiation.
  public internal(set) var renegotiation = Renegotiation.refused
  /// Whether the client offers extended_master_secret (RFC 7627); nil for the system's default.
  public internal(set) var offersExtendedMasterSecret: Bool?
  /// The maximum fragment length that the client requests; nil keeps the limit of 2^14 bytes.
  public internal(set) var maximumFragmentLength: MaximumFragmentLength?
  /// The key that the client and the server have agreed on; nil for none.
  public internal(set) var preSharedKey: PreSharedKeyDescription?
  /// The requests that the client sends as early data.
  public internal(set) var earlyRequests = ClientEndpoint.EarlyRequests.none
  /// Whether the client updates its keys; nil if it does not.
  public internal(set) var keyUpdate: ClientEndpoint.KeyUpdatePolicy?
  /// Whether the client lets servers request a certificate after the handshake.
  public internal(set) var authenticatesLater = false
  /// The number of zeros after the content of the client's records.
  public internal(set) var recordPadding = 0
  /// The limit of the server's records; nil for the default.
  public internal(set) var recordSizeLimit: Int?
  /// The values whose random generators are weak.
  public internal(set) var random: [Value.ID: RandomQuality] = [:]
  /// The client's deviations from the protocol.
  public internal(set) var misbehaviors: [Misbehavior] = []
  /// The historical bug of the client or its app; nil for none.
  public internal(set) var mutant: Mutant?

  init(os: OSVersion, loader: Loader) {
    self.os = os
    self.loader = loader
  }
}

extension ClientDescription {
  /// Every key of `client`.
  static let section = Section<ClientDescription>(
    "client", "The app and the system on which it runs.",
    [
      .term(
        "os", .os,
        "the operating system, such as iOS 8, iOS 18.4 or macOS 10.13; doc is the system in Apple's documentation",
        into: \.os),
      .term("loader", .choice(called: "loader").named("loader"), "the API that loads the URL", into: \.loader),
      .term(
        "linkedSDK", .os,
        "the SDK that the app is linked against, such as iOS 8; default: DTSDKName of the plist, or the system's own "
          + "SDK",
        into: \.linkedSDK, says: { "It is linked against the SDK of \($0)." }),
      .term(
        "direct", .flag, "whether the network reports an IP address as direct; default: derived from the address",
        into: \.isDirect),
      .term(
        "infoPlist", .infoPlist, "the NSAppTransportSecurity dictionary, or the path of an Info.plist",
        into: \.infoPlist, says: \.sentence
      ).usually { _ in .map([], .nowhere) },
      .term(
        "signatureAlgorithms", .list(.signatureScheme),
        "the signature algorithms that the client offers, best first; default: the system's algorithms",
        into: \.signatureSchemes),
      .term(
        "alpn", .list(.applicationProtocol),
        "the ALPN protocols that the client offers, best first, such as http/1.1; default: the system's protocols",
        into: \.applicationProtocols),
      .term(
        "serverTrust", .serverTrust,
        "the app's handling of the server's certificate: default, accept-all, or a map",
        into: \.serverTrust
      ).usually { _ in .usual("default") }.saying { client in
        client.serverTrust.library?.sentences ?? ServerTrustDescription.section.sentences(on: client.serverTrust)
      },
      .term(
        "api", .choice(called: "API"),
        "the API that starts the load: delegate, synchronous, asynchronous, session, task or web-view",
        into: \.interface, says: { $0 == .delegate ? nil : "The API that starts the load is '\($0.rawValue)'." }),
      .term(
        "delegate", .challengeDelegate,
        "the delegate that answers the system's challenges: the name of a preset, or a table", into: \.delegate
      ).saying { $0.delegate?.sentences ?? [] },
      .term(
        "credentials", .list(.storedCredential), "the initial contents of the credential storage", into: \.credentials,
        says: { $0.isEmpty ? nil : "Its credential storage contains \($0.map(\.credential.description).listed)." }),
      .term(
        "relaunched", .flag,
        "whether the app was relaunched, so that only permanent data is left; default: false",
        into: \.isRelaunched, says: { $0 ? "It was relaunched." : nil }),
      .term(
        "account", .account, "the name and the password that the user has entered", into: \.account,
        says: { "Its account is \($0.description)." }),
      .term(
        "registered", .flag, "whether the app assumes that its device is registered; default: false",
        into: \.isRegistered, says: { $0 ? "It assumes that its device is registered." : nil }),
      .term(
        "fetchesIssuers", .flag,
        "whether the client fetches issuers that the server does not present (SecTrustSetNetworkFetchAllowed); "
          + "default: true",
        into: \.fetchesIssuers, says: { $0 ? nil : "It fetches no issuers." }),
      .term(
        "revocation", .choice(called: "revocation check"),
        "whether the client checks revocation, and continues (soft-fail) or refuses (hard-fail) if the status is "
          + "unknown; default: none",
        into: \.revocation, says: \.sentence
      ).usually { _ in .usual("none") },
      .term(
        "profile", .validationProfile,
        "the requirements by which the client validates the server's certificates: a profile's name, or a map; "
          + "default: apple",
        into: \.profile, says: { $0.sentence }),
      .term(
        "mustStaple", .flag,
        "whether the client refuses a server that must staple and does not (RFC 7633), as Firefox does; default: "
          + "false, because Apple's published code does not refuse it",
        into: \.holdsMustStaple,
        says: { $0 ? "It refuses a server that must staple and does not." : nil }),
      .identity,
      .term(
        "proxy", .proxy, "the proxy between the client and its servers; default: none", into: \.proxy,
        says: \.sentence),
      .term(
        "sessions", .choice(called: "session setting"),
        "whether the client resumes earlier sessions by id (resumable), or also by ticket (tickets); default: none",
        into: \.sessions, says: \.clientsSentence),
      .term(
        "hsts", Kind<[String]>.list(.text).map { $0.map { $0.lowercased() } },
        "the hosts that require HTTPS, as the client already knows (RFC 6797); it loads their http URLs over https",
        into: \.strictHosts, says: { $0.isEmpty ? nil : "It knows that these hosts require HTTPS: \($0.listed)." }),
      .term(
        "cookie", .cookie, "the cookie that the client sends with every request to the cookie's host, such as id=k7",
        into: \.cookie,
        says: { $0.isEmpty ? nil : "It sends the cookie '\($0)' with every request." }),
      .term(
        "fallback", .choice(called: "fallback setting"),
        "whether the client retries with a lower version after a failed handshake; default: as the system does",
        into: \.fallback, says: { $0.sentence }
      ).usually { _ in .usual("system") },
      .term(
        "renegotiation", .choice(called: "renegotiation setting"),
        "the client's response to a renegotiation (RFC 5746): refused, secure (both sides bind it to the previous "
          + "handshake) or insecure (as before 2010); default: refused",
        into: \.renegotiation, says: \.clientsSentence
      ).usually { _ in .usual("refused") },
      .term(
        "extendedMasterSecret", .flag,
        "whether the client offers extended_master_secret (RFC 7627); default: as the system does",
        into: \.offersExtendedMasterSecret,
        says: { $0 ? "It offers extended_master_secret." : "It does not offer extended_master_secret." }),
      .term(
        "maxFragmentLength", .fragmentLength,
        "the maximum fragment length that the client requests (RFC 6066): 512, 1024, 2048 or 4096 bytes; default: none",
        into: \.maximumFragmentLength,
        says: { "It requests fragments of at most \($0.count) bytes (max_fragment_length)." }),
      .term(
        "psk", .preSharedKey, "the key that the client and the server have agreed on outside TLS; default: none",
        into: \.preSharedKey, says: { $0.sentence }),
      .term(
        "earlyData", .choice(called: "setting for early data"),
        "the requests that the client sends with its first message when it resumes a session of TLS 1.3: none, safe "
          + "(GET and HEAD) or all; default: none",
        into: \.earlyRequests, says: \.sentence),
      .term(
        "keyUpdate", .choice(called: "key update"),
        "whether the client updates its own keys of TLS 1.3 before a request, or those of both sides; default: neither",
        into: \.keyUpdate, says: { $0.sentence }),
      .term(
        "postHandshakeAuth", .flag,
        "whether the client lets a server of TLS 1.3 request a certificate after the handshake; default: false",
        into: \.authenticatesLater, says: { $0 ? "It offers authentication after the handshake." : nil }),
      .term(
        "padding", .recordPadding, "the number of zeros after the content of each record of TLS 1.3; default: 0",
        into: \.recordPadding, says: { $0 == 0 ? nil : "It pads its records with \($0) bytes." }),
      .term(
        "recordSizeLimit", .recordSizeLimit,
        "the maximum size of the server's records that the client requests (RFC 8449); default: none",
        into: \.recordSizeLimit, says: { "It requests records of at most \($0) bytes (record_size_limit)." }),
      .term(
        "random",
        .randomQualities(of: [
          ValueName(.premasterSecret), ValueName(.random, of: .client), ValueName(.ecdhPrivate, of: .client),
        ]),
        "the quality of the client's randomness: good, or a map of values", into: \.random
      ).usually { _ in .usual("good") }.saying { $0.random.sentences },
      .misbehaves(.client, into: \.misbehaviors),
      .term(
        "mutant", .mutant(where: \.isOfClients), "the historical bug that the client or its app has", into: \.mutant,
        says: { "It has the bug '\($0.name)' (\($0.source)): it \($0.meaning)." }),
    ])

  /// The sentences that `describe` prints about the client, in addition to its system and loader.
  public var details: [String] { Self.section.sentences(on: self) }
}

extension FallbackChoice {
  fileprivate var sentence: String? {
    switch self {
    case .system: nil
    case .none: "It does not retry after a failed handshake."
    case .signalled:
      "After a failed handshake it retries with TLS 1.0, then SSL 3.0 if allowed, with TLS_FALLBACK_SCSV."
    case .silent:
      "After a failed handshake it retries with TLS 1.0, then SSL 3.0 if allowed, without TLS_FALLBACK_SCSV."
    }
  }
}

extension ClientDescription.InfoPlist {
  fileprivate var sentence: String {
    switch self {
    case .file(let file): "Its Info.plist is \(file.path)."
    case .inline(let list) where list.dictionary?.isEmpty ?? true: "It keeps the defaults of App Transport Security."
    case .inline(let list): "Its NSAppTransportSecurity is \(list.words)."
    }
  }
}

extension RevocationPolicy.Mode {
  var sentence: String? {
    switch self {
    case .none: nil
    case .softFail: "It checks revocation, and continues if the status is unknown."
    case .hardFail: "It checks revocation, and refuses if the status is unknown."
    }
  }
}

extension Kind {
  /// A property list, or the name of its file.
  static var infoPlist: Kind<ClientDescription.InfoPlist> {
    Kind<ClientDescription.InfoPlist>(.either([.text, .anything])) { reader in
      if case .map(let entries, _) = reader.node {
        // iOS would ignore the nested key: the author means the dictionary under it.
        let outer = AppTransportSecurity.Key.appTransportSecurity.name
        for entry in entries where entry.key == outer && !entry.value.isNull {
          reader.sink.error(
            "\(reader.path) is already the value of '\(entry.key)' and must not contain that key",
            hint: "leave out the key: write infoPlist: \(entry.value.flowText)", at: entry.mark)
        }
        return .inline(reader.propertyList())
      }
      return Kind<FileReference>.file.read(reader).map(ClientDescription.InfoPlist.file)
    }
  }

  /// A release of an operating system.
  static var os: Kind<OSVersion> {
    Kind<OSVersion>(.kind("system", .pattern(OSVersion.pattern))) { reader in
      guard let text = reader.text() else { return nil }
      guard let os = OSVersion(text) else {
        reader.fail(OSVersion.message(for: text), hint: OSVersion.hint(for: text))
        return nil
      }
      if text.filter({ $0 == "." }).count > 1 {
        reader.sink.warning(
          "'\(text)' is read as \(os): the third number of a release has no effect", hint: "write \(os)",
          at: reader.node.mark)
      }
      return os
    }
  }
}

extension NodeReader {
  /// Reads a `client`; nil if it lacks the system or the loader, which the baseline sets. If a file removes one,
  /// reports the place of the removal.
  func client(_ removed: Removals) -> ClientDescription? {
    // An invalid value has already been reported: a placeholder lets the other checks continue.
    var client = ClientDescription(os: .documentation, loader: .urlSession)
    guard let map = read(ClientDescription.section, into: &client) else { return nil }
    let lacking = [("os", "os: iOS 10"), ("loader", "loader: URLSession")].filter { key, _ in map[key] == nil }
    for (key, example) in lacking { fail(lacking: key, example: example, removedAt: removed["client", key]) }
    guard lacking.isEmpty else { return nil }
    client.followLibrary(map)
    return client
  }
}

extension Kind {
  /// A cookie as a client sends it (RFC 6265 section 4.2.1).
  fileprivate static var cookie: Kind<String> {
    Kind<String>(.pattern("^[A-Za-z0-9_-]{1,32}=[A-Za-z0-9._~+/-]{1,64}$")) { reader in
      guard let text = reader.text() else { return nil }
      if (try? /[A-Za-z0-9_-]{1,32}=[A-Za-z0-9._~+\/-]{1,64}/.wholeMatch(in: text)) != nil { return text }
      reader.fail("'\(text)' is not a cookie", hint: "write a name and a value: id=k7")
      return nil
    }
  }
}

extension ClientDescription {
  /// Uses the library's own loader. The library is also the delegate.
  fileprivate mutating func followLibrary(_ map: MapReader) {
    guard let library = serverTrust.library else { return }
    if delegate != nil, let reader = map["delegate"] {
      reader.fail(
        "\(library.version) is already the app's delegate", hint: "leave out either delegate or serverTrust.library")
    }
    if case .afNetworking(let description) = library { loader = description.loader(loader) }
  }
}

extension ClientDescription {
  /// The names of the certificates in the client's delegate and credential storage.
  var challengeNames: [String] {
    (delegate?.names ?? [])
      + credentials.compactMap { stored in
        if case .identity(let name, _) = stored.credential.kind { name } else { nil }
      }
  }
}
