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

/// A connection to a real server as a scenario, with the client's settings and the server's choices.
///
/// `connect` can therefore create its client in the same way as `run`, and save the connection.
struct LiveScenario {
  /// The choices of a server that were observed.
  struct Server {
    /// The certificates that the server sent, its own first.
    var chain: [Certificate] = []
    /// The version and the suite that the server selected.
    var version = ProtocolVersion.tls12
    var cipherSuite: CipherSuite
    /// The group of the key exchange; nil for the default groups.
    var group: NamedGroup?
    /// Whether the server requests a client certificate, and whether it requires one.
    var clientAuthentication = ClientAuthentication.none
    /// The content of the response, if it is text.
    var content: String?
  }

  /// The name of the file without its extension, with which the names of the other files also begin.
  let name: String
  /// The URL to load.
  let url: LoadURL
  /// The address of the server.
  let place: String
  /// The operating system and the loader.
  let os: OSVersion
  let loader: Loader
  /// The date of the connection.
  let date: Instant
  /// Whether the connection's date is the current time.
  var isNow = true
  /// The property list of the app.
  var infoPlist: [UInt8]?
  /// The client's PKCS #12 file, with its name and passphrase. It is never saved.
  var identity: (name: String, file: [UInt8], passphrase: String)?
  /// The anchor of the chain, or else the likely anchors, with their kinds.
  var anchors: [(certificate: Certificate, kind: TrustStore.Kind)] = []
  /// The observed server; nil before the connection.
  var server: Server?
  /// The expected verdict; nil for no expectation.
  var expectation: Verdict?
  /// The verdict for the real server, if its reasons differ from those of `expectation`.
  var live: Verdict?

  /// The contents of the files that the scenario names, by file name.
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

  /// The text of the scenario file.
  var text: String {
    let comment = expectation.map { verdict in
      let played = "# \(Self.words(verdict.word.rawValue.uppercased(), verdict))"
      guard let live else { return "\(played), as for the real server.\n" }
      return "\(played); for the real server, the result was \(Self.words(live.word.rawValue, live)).\n"
    }
    return (comment ?? "") + YAMLText.text(of: tree)
  }

  /// Returns a verdict with its rules: `refused: chain.expired, name.mismatch`.
  private static func words(_ word: String, _ verdict: Verdict) -> String {
    let reasons = verdict.because.map(\.id).joined(separator: ", ")
    return reasons.isEmpty ? word : "\(word): \(reasons)"
  }

  /// Returns the name of a trusted CA: `root`, `root-2`, and so on.
  private static func root(_ index: Int) -> String { index == 0 ? "root" : "root-\(index + 1)" }

  /// Returns the scenario, and a player with its files.
  ///
  /// - Throws: `Diagnostics` if the scenario or one of its files cannot be read.
  func cast(_ keys: KeyStore) throws(Diagnostics) -> (scenario: Scenario, player: ScenarioPlayer) {
    let file = try ScenarioLibrary.curriculum().reader.read(Array(text.utf8), path: "\(name).yaml")
    guard let scenario = file.cases.first else { throw Diagnostics("the connection produced no scenario") }
    let files = files
    let cast = ScenarioSetup(keys: keys) { path in files[path.split(separator: "/").last.map(String.init) ?? path] }
    return (scenario, ScenarioPlayer(cast: cast))
  }
}

// The scenario as a YAML tree.
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
    // The server's CAs for client certificates are known only by name, so one placeholder CA replaces them.
    let clients = asksForCertificate ? Self.map([("commonName", Self.text("a CA for clients"))]) : nil
    return Self.map([
      ("title", Self.text("\(url), as observed at \(place)")),
      ("sources", Self.list([place, isNow ? "this machine's clock" : "a date set with --now"].map(Self.text))),
      ("clock", Self.word(date.description)),
      ("authorities", hasChain ? Self.map(roots + [(Self.clients, clients)]) : nil),
      ("certificates", hasChain ? Self.map([("server", Self.map([("pem", Self.text("\(name).chain.pem"))]))]) : nil),
      ("server", serverNode), ("client", clientNode), ("request", Self.text(url.description)),
      ("expect", expectNode),
    ])
  }

  /// The name of the CA from which the server accepts client certificates.
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
