import Cryptography
import Explanation
import Simulator
import TLS
import Trust
import URLLoading

/// The app and the system it runs on, as a scenario describes them.
public struct ClientDescription: Sendable {
  /// Where the App Transport Security dictionary comes from.
  public enum InfoPlist: Sendable {
    /// The NSAppTransportSecurity dictionary itself.
    case inline(PropertyList)
    /// A real Info.plist.
    case file(FileReference)
  }

  /// The operating system.
  public internal(set) var os: OSVersion
  /// The API that loads the URL.
  public internal(set) var loader: Loader
  /// Where the App Transport Security dictionary comes from.
  public internal(set) var infoPlist = InfoPlist.inline(.dictionary(.init()))
  /// The SDK that the app is linked against; nil for the system's own.
  public internal(set) var linkedSDK: OSVersion?
  /// Whether the network says that an address is direct; nil to tell it from the address.
  public internal(set) var isDirect: Bool?
  /// What the app does about the server's certificate.
  public internal(set) var serverTrust = ServerTrustDescription.standard
  /// How the app starts its loads.
  public internal(set) var interface = LoadingInterface.delegate
  /// Who answers the system's challenges; nil where `serverTrust` and `identity` say all.
  public internal(set) var delegate: DelegateDescription?
  /// What the credential storage holds at first.
  public internal(set) var credentials: [CredentialDescription] = []
  /// Whether the app was launched again since, so that only what is kept for good is left of it.
  public internal(set) var isRelaunched = false
  /// The name and the password that the app's user has typed.
  public internal(set) var account: Credential?
  /// Whether the app believes its device to be registered.
  public internal(set) var isRegistered = false
  /// Whether it fetches the certificates of issuers that a server does not present.
  public internal(set) var fetchesIssuers = true
  /// What it does about revocation.
  public internal(set) var revocation = RevocationPolicy.Mode.none
  /// Whether it holds servers to must-staple; nil for what its system does.
  public internal(set) var holdsMustStaple: Bool?
  /// How the server may sign, best first; nil for the usual ways.
  public internal(set) var signatureSchemes: [SignatureScheme]?
  /// The names of the certificates it shows a server that asks who it is, leaf first; a single one is followed by its
  /// issuers below the root, none shows none.
  public internal(set) var identity: [String] = []
  /// The file that it has its identity from; nil where it has it by itself.
  public internal(set) var identityFile: IdentityFileDescription?
  /// Whether the identity is somebody else's, so that the client is a thief: a party of its own.
  public internal(set) var isThief = false
  /// The proxy through which it reaches its servers; nil for none.
  public internal(set) var proxy: ProxyDescription?
  /// Whether it goes on with an earlier session, and takes tickets.
  public internal(set) var sessions = SessionKeeping.none
  /// The protocols it offers to speak inside TLS, best first; nil for its system's own.
  public internal(set) var applicationProtocols: [ApplicationProtocol]?
  /// The hosts that it knows to want HTTPS alone.
  public internal(set) var strictHosts: [String] = []
  /// What it repeats with every request to the host that it begins with; empty for nothing.
  public internal(set) var cookie = ""
  /// How it asks again after a handshake that failed.
  public internal(set) var fallback = FallbackChoice.system
  /// What it does about another handshake on a connection.
  public internal(set) var renegotiation = Renegotiation.refused
  /// Whether it offers a master secret that is bound to the handshake (RFC 7627); nil if its system decides.
  public internal(set) var offersExtendedMasterSecret: Bool?
  /// How long a fragment it asks for at most; nil leaves it at 2^14 bytes.
  public internal(set) var maximumFragmentLength: MaximumFragmentLength?
  /// The values whose generators are not good.
  public internal(set) var random: [Value.ID: RandomQuality] = [:]
  /// The historical bug that it or its app has; nil for none.
  public internal(set) var mutant: Mutant?

  init(os: OSVersion, loader: Loader) {
    self.os = os
    self.loader = loader
  }
}

extension ClientDescription {
  /// Every word of `client`.
  static let section = Section<ClientDescription>(
    "client", "The app and the system it runs on.",
    [
      .term("os", .os, "the operating system: iOS 8, iOS 18.4, macOS 10.13, doc", into: \.os),
      .term("loader", .choice(called: "loader").named("loader"), "the API that loads the URL", into: \.loader),
      .term(
        "linkedSDK", .os,
        "the SDK that the app is linked against: iOS 8; if left out, DTSDKName of the plist, or the system's own",
        into: \.linkedSDK, says: { "It is linked against the SDK of \($0)." }),
      .term(
        "direct", .flag, "whether the network calls an address direct; told from the address, if left out",
        into: \.isDirect),
      .term(
        "infoPlist", .infoPlist, "the NSAppTransportSecurity dictionary, or the path of an Info.plist",
        into: \.infoPlist, says: \.sentence
      ).usually { _ in .map([], .nowhere) },
      .term(
        "signatureAlgorithms", .list(.signatureScheme),
        "how the server may sign, best first; as its system does, if left out", into: \.signatureSchemes),
      .term(
        "alpn", .list(.applicationProtocol),
        "the protocols it offers to speak inside TLS, best first: http/1.1; as its system does, if left out",
        into: \.applicationProtocols),
      .term(
        "serverTrust", .serverTrust,
        "what the app does about the server's certificate: nothing, accept all, or what a map says",
        into: \.serverTrust
      ).usually { _ in .usual("default") }.saying { client in
        client.serverTrust.library?.sentences ?? ServerTrustDescription.section.sentences(on: client.serverTrust)
      },
      .term(
        "api", .choice(called: "API"),
        "how the load is started: with a delegate, or synchronous, asynchronous, session, task, web-view",
        into: \.interface, says: { $0 == .delegate ? nil : "The load is started as '\($0.rawValue)'." }),
      .term(
        "delegate", .challengeDelegate,
        "who answers the system's challenges, and how: a delegate by its name, or a table", into: \.delegate
      ).saying { $0.delegate?.sentences ?? [] },
      .term(
        "credentials", .list(.storedCredential), "what the credential storage holds at first", into: \.credentials,
        says: { $0.isEmpty ? nil : "Its credential storage holds \($0.map(\.credential.description).listed)." }),
      .term(
        "relaunched", .flag,
        "whether the app was launched again since: only what is kept for good is left; false, if left out",
        into: \.isRelaunched, says: { $0 ? "It was launched again." : nil }),
      .term(
        "account", .account, "the name and the password that its user has typed", into: \.account,
        says: { "Its account is \($0.description)." }),
      .term(
        "registered", .flag, "whether the app believes its device to be registered; false, if left out",
        into: \.isRegistered, says: { $0 ? "It believes its device to be registered." : nil }),
      .term(
        "fetchesIssuers", .flag,
        "whether it fetches issuers that the server does not present (SecTrustSetNetworkFetchAllowed); true, if left out",
        into: \.fetchesIssuers, says: { $0 ? nil : "It fetches no issuers." }),
      .term(
        "revocation", .choice(called: "revocation check"),
        "whether it looks at the authorities' lists, and goes on or refuses when it cannot; none, if left out",
        into: \.revocation, says: \.sentence
      ).usually { _ in .usual("none") },
      .term(
        "mustStaple", .flag,
        "whether it refuses a server that must staple and does not (RFC 7633), as Firefox does; what Apple publishes of "
          + "its systems does not, if left out", into: \.holdsMustStaple,
        says: { $0 ? "It refuses a server that must staple and does not." : nil }),
      .identity,
      .term(
        "proxy", .proxy, "the proxy through which it reaches its servers; none, if left out", into: \.proxy,
        says: \.sentence),
      .term(
        "sessions", .choice(called: "way with sessions"),
        "whether it goes on with an earlier session (resumable), also by ticket (tickets); none, if left out",
        into: \.sessions, says: \.clientsSentence),
      .term(
        "hsts", Kind<[String]>.list(.text).map { $0.map { $0.lowercased() } },
        "the hosts that it knows to want HTTPS alone (RFC 6797): their http URLs are loaded over https",
        into: \.strictHosts, says: { $0.isEmpty ? nil : "It knows that \($0.listed) wants HTTPS alone." }),
      .term(
        "cookie", .cookie, "the cookie that it repeats with every request to its host: id=k7", into: \.cookie,
        says: { $0.isEmpty ? nil : "It sends the cookie '\($0)' with every request." }),
      .term(
        "fallback", .choice(called: "way to fall back"),
        "whether it asks again with a lower version after a handshake that failed: as its system does, if left out",
        into: \.fallback, says: { $0.sentence }
      ).usually { _ in .usual("system") },
      .term(
        "renegotiation", .choice(called: "way to renegotiate"),
        "what it does about another handshake on a connection (RFC 5746): refused, secure where both bind it to the one "
          + "before, or insecure, as everyone before 2010; refused, if left out",
        into: \.renegotiation, says: \.clientsSentence
      ).usually { _ in .usual("refused") },
      .term(
        "extendedMasterSecret", .flag,
        "whether it offers extended_master_secret (RFC 7627); as its system does, if left out",
        into: \.offersExtendedMasterSecret,
        says: { $0 ? "It offers extended_master_secret." : "It does not offer extended_master_secret." }),
      .term(
        "maxFragmentLength", .fragmentLength,
        "how long a fragment it asks for at most (RFC 6066): 512, 1024, 2048 or 4096 bytes; it does not ask, if left out",
        into: \.maximumFragmentLength,
        says: { "It asks for fragments of \($0.count) bytes at most (max_fragment_length)." }),
      .term(
        "random",
        .randomQualities(of: [
          ValueName(.premasterSecret), ValueName(.random, of: .client), ValueName(.ecdhPrivate, of: .client),
        ]),
        "the quality of its randomness: good, or of single values", into: \.random
      ).usually { _ in .usual("good") }.saying { $0.random.sentences },
      .term(
        "mutant", .mutant(where: \.isOfClients), "the historical bug that it or its app has", into: \.mutant,
        says: { "It has the bug '\($0.name)' (\($0.source)): it \($0.meaning)." }),
    ])

  /// What `describe` says of it beside its system and its loader.
  public var details: [String] { Self.section.sentences(on: self) }
}

extension FallbackChoice {
  fileprivate var sentence: String? {
    switch self {
    case .system: nil
    case .none: "It does not ask again after a handshake that failed."
    case .signalled:
      "It asks again with TLS 1.0, then SSL 3.0 if it may, after a handshake that failed, and says that it does."
    case .silent:
      "It asks again with TLS 1.0, then SSL 3.0 if it may, after a handshake that failed, and does not say so."
    }
  }
}

extension ClientDescription.InfoPlist {
  fileprivate var sentence: String {
    switch self {
    case .file(let file): "Its Info.plist is \(file.path)."
    case .inline(let list) where list.dictionary?.isEmpty ?? true: "It changes nothing of App Transport Security."
    case .inline(let list): "Its NSAppTransportSecurity is \(list.words)."
    }
  }
}

extension RevocationPolicy.Mode {
  fileprivate var sentence: String? {
    switch self {
    case .none: nil
    case .softFail: "It asks whether certificates are revoked, and goes on when it cannot find out."
    case .hardFail: "It asks whether certificates are revoked, and refuses when it cannot find out."
    }
  }
}

extension Kind {
  /// A property list, or the file of one.
  static var infoPlist: Kind<ClientDescription.InfoPlist> {
    Kind<ClientDescription.InfoPlist>(.either([.text, .anything])) { reader in
      if case .map(let entries, _) = reader.node {
        // On iOS the key would be ignored where it stands: who writes it means the dictionary under it.
        let outer = AppTransportSecurity.Key.appTransportSecurity.name
        for entry in entries where entry.key == outer && !entry.value.isNull {
          reader.sink.error(
            "\(reader.path) is what stands under '\(entry.key)', and that key is in it once more",
            hint: "leave it out: write infoPlist: \(entry.value.flowText)", at: entry.mark)
        }
        return .inline(reader.propertyList())
      }
      return Kind<FileReference>.file.read(reader).map(ClientDescription.InfoPlist.file)
    }
  }

  /// A release of a system.
  static var os: Kind<OSVersion> {
    Kind<OSVersion>(.kind("system", .pattern(OSVersion.pattern))) { reader in
      guard let text = reader.text() else { return nil }
      guard let os = OSVersion(text) else {
        reader.fail(OSVersion.message(for: text), hint: OSVersion.hint(for: text))
        return nil
      }
      if text.filter({ $0 == "." }).count > 1 {
        reader.sink.warning(
          "'\(text)' is read as \(os): the third number of a release changes nothing here", hint: "write \(os)",
          at: reader.node.mark)
      }
      return os
    }
  }
}

extension NodeReader {
  /// A `client`; nil where it does not say which system or which loader, which the baseline does: a file that takes
  /// them away is told so, where it does.
  func client(_ removed: Removals) -> ClientDescription? {
    // What cannot be read was reported: something stands for it so that all else is checked, too.
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
  /// A cookie as a client sends it: RFC 6265 section 4.2.1.
  fileprivate static var cookie: Kind<String> {
    Kind<String>(.pattern("^[A-Za-z0-9_-]{1,32}=[A-Za-z0-9._~+/-]{1,64}$")) { reader in
      guard let text = reader.text() else { return nil }
      if (try? /[A-Za-z0-9_-]{1,32}=[A-Za-z0-9._~+\/-]{1,64}/.wholeMatch(in: text)) != nil { return text }
      reader.fail("'\(text)' is no cookie", hint: "write a name and a value: id=k7")
      return nil
    }
  }
}

extension ClientDescription {
  /// A library brings its own loader, and is the delegate.
  fileprivate mutating func followLibrary(_ map: MapReader) {
    guard let library = serverTrust.library else { return }
    if delegate != nil, let reader = map["delegate"] {
      reader.fail("\(library.version) is the app's delegate", hint: "leave out delegate, or serverTrust.library")
    }
    if case .afNetworking(let description) = library { loader = description.loader(loader) }
  }
}

extension ClientDescription {
  /// The certificates that its delegate and its storage name.
  var challengeNames: [String] {
    (delegate?.names ?? [])
      + credentials.compactMap { stored in
        if case .identity(let name, _) = stored.credential.kind { name } else { nil }
      }
  }
}
