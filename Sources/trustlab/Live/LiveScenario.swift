import Cryptography
import Endpoint
import Explanation
import Laboratory
import PKIX
import Scenarios
import Simulator
import TLS
import Trust
import URLLoading

/// A connection to a real server in the language of scenarios: what the client is, and what the server has shown of itself.
///
/// So the client of `connect` is made as that of `run` is, and what is saved is what was shown.
struct LiveScenario {
  /// What a server has shown.
  struct Server {
    /// The certificates, its own first.
    var chain: [Certificate] = []
    /// The version and the suite that it chose.
    var version = ProtocolVersion.tls12
    var cipherSuite: CipherSuite
    /// The group of its key exchange; nil for the usual ones.
    var group: NamedGroup?
    /// How it asks who the client is.
    var clientAuthentication = ClientAuthentication.none
    /// What it answered, where that is text.
    var content: String?
  }

  /// The name of the file without its ending; the files beside it begin with it.
  let name: String
  /// What is loaded.
  let url: LoadURL
  /// Where it was asked, in words.
  let place: String
  /// The system that loads, and with what.
  let os: OSVersion
  let loader: Loader
  /// When.
  let date: Instant
  /// Whether that is what this machine's clock says.
  var isNow = true
  /// The app's property list.
  var infoPlist: [UInt8]?
  /// A file of PKCS #12, by its user's name for it, and its passphrase; never part of what is saved.
  var identity: (name: String, file: [UInt8], passphrase: String)?
  /// The anchor that the chain leads to, by who trusts it; where it leads to none, those that it might have led to.
  var anchors: [(certificate: Certificate, kind: TrustStore.Kind)] = []
  /// What the server has shown; nil before anybody has asked.
  var server: Server?
  /// What came of it; nil for no expectation.
  var expectation: Verdict?
  /// What came of it with the real server, where that is for other reasons than `expectation`.
  var live: Verdict?

  /// The files that it names, by name.
  var files: [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    if let server, !server.chain.isEmpty { files["\(name).chain.pem"] = Array(server.chain.map(\.pem).joined().utf8) }
    for (index, anchor) in anchors.enumerated() {
      files["\(name).\(Self.root(index)).pem"] = Array(anchor.certificate.pem.utf8)
    }
    files["\(name).Info.plist"] = infoPlist
    if let identity { files[identity.name] = identity.file }
    return files
  }

  /// The file itself.
  var text: String {
    let comment = expectation.map { verdict in
      let played = "# \(Self.words(verdict.word.rawValue.uppercased(), verdict))"
      guard let live else { return "\(played), as the real server was.\n" }
      return "\(played); the real server was \(Self.words(live.word.rawValue, live)).\n"
    }
    return (comment ?? "") + YAMLText.text(of: tree)
  }

  /// `refused: chain.expired, name.mismatch`
  private static func words(_ word: String, _ verdict: Verdict) -> String {
    let reasons = verdict.because.map(\.id).joined(separator: ", ")
    return reasons.isEmpty ? word : "\(word): \(reasons)"
  }

  /// The name of an authority among those that are trusted: `root`, `root-2`, …
  private static func root(_ index: Int) -> String { index == 0 ? "root" : "root-\(index + 1)" }

  /// The scenario, and a player that has its files.
  ///
  /// - Throws: `Diagnostics` when it cannot be read, or a file in it cannot.
  func cast(_ keys: KeyStore) throws(Diagnostics) -> (scenario: Scenario, player: ScenarioPlayer) {
    let file = try ScenarioLibrary.curriculum().reader.read(Array(text.utf8), path: "\(name).yaml")
    guard let scenario = file.cases.first else { throw Diagnostics("there is no case in what was shown") }
    let files = files
    let cast = Cast(keys: keys) { path in files[path.split(separator: "/").last.map(String.init) ?? path] }
    return (scenario, ScenarioPlayer(cast: cast))
  }
}

// As a tree.
extension LiveScenario {
  private static let mark = SourceMark(file: "connect", line: 1, column: 1)
  private static func word(_ text: String) -> Node { .scalar(text, quoted: false, mark) }
  private static func text(_ text: String) -> Node { .scalar(text, quoted: true, mark) }
  private static func list(_ nodes: [Node]) -> Node { .list(nodes, mark) }
  private static func map(_ entries: [(String, Node?)]) -> Node {
    .map(entries.compactMap { key, value in value.map { .init(key: key, mark: mark, value: $0) } }, mark)
  }

  private var tree: Node {
    let roots: [(String, Node?)] = anchors.enumerated().map { index, anchor in
      let trust = Self.word(anchor.kind == .user ? "user" : "system")
      return (Self.root(index), Self.map([("pem", Self.text("\(name).\(Self.root(index)).pem")), ("trust", trust)]))
    }
    let hasChain = server?.chain.isEmpty == false
    // Whom the server trusts for clients is named by it and not shown: one of our own stands for that.
    let clients = asksForCertificate ? Self.map([("commonName", Self.text("an authority of clients"))]) : nil
    return Self.map([
      ("title", Self.text("\(url) as \(place) answered")),
      ("sources", Self.list([place, isNow ? "this machine's clock" : "a date of the user's"].map(Self.text))),
      ("clock", Self.word(date.description)),
      ("authorities", hasChain ? Self.map(roots + [(Self.clients, clients)]) : nil),
      ("certificates", hasChain ? Self.map([("server", Self.map([("pem", Self.text("\(name).chain.pem"))]))]) : nil),
      ("server", serverNode), ("client", clientNode), ("request", Self.text(url.description)),
      ("expect", expectNode),
    ])
  }

  /// The name of the authority under which the server takes certificates of clients.
  private static let clients = "clients"

  private var asksForCertificate: Bool { server.map { $0.clientAuthentication != .none } ?? false }

  private var serverNode: Node {
    let hasChain = server?.chain.isEmpty == false
    let asking = asksForCertificate ? server?.clientAuthentication : nil
    let answer = server?.content.map { Self.map([("GET \(url.path)", Self.text($0))]) }
    return Self.map([
      ("host", Self.text(url.host)), ("presents", hasChain ? Self.list([Self.word("server")]) : nil),
      ("versions", server.map { Self.list([Self.word($0.version.description)]) }),
      ("cipherSuites", server.map { Self.list([Self.word($0.cipherSuite.name)]) }),
      ("groups", server?.group.map { Self.list([Self.word($0.description)]) }),
      ("clientAuthentication", asking.map { Self.word($0.rawValue) }),
      ("clientAuthorities", asking.map { _ in Self.list([Self.word(Self.clients)]) }),
      ("content", answer ?? Self.map([("GET \(url.path)", Self.text(""))])),
    ])
  }

  private var clientNode: Node {
    let shown = identity.map {
      Self.map([("file", Self.text($0.name)), ("passphrase", Self.text($0.passphrase))])
    }
    return Self.map([
      ("os", Self.word(os.description)), ("loader", Self.word(loader.rawValue)),
      ("infoPlist", infoPlist.map { _ in Self.text("\(name).Info.plist") }),
      ("alpn", Self.list([Self.word("http/1.1")])), ("identity", shown),
    ])
  }

  private var expectNode: Node? {
    expectation.map { verdict in
      Self.map([
        ("verdict", Self.word(verdict.word.rawValue)),
        ("because", verdict.because.isEmpty ? nil : Self.list(verdict.because.map { Self.word($0.id) })),
      ])
    }
  }
}
