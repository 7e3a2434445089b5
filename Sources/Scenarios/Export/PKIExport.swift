import Cryptography
import Explanation
import PKIX

/// The certificates and keys of a scenario as files for use in other programs.
public struct PKIExport: Sendable {
  /// An exported file with its name and contents.
  public struct File: Sendable {
    /// The file's name without its folder, of letters, digits, `.`, `_` and `-` only.
    public let name: String
    /// The bytes of the file.
    public let bytes: [UInt8]
    /// A description of the file's contents.
    public let content: String
    /// Whether the file contains a private key, so that only its owner may read it.
    public let isSecret: Bool
  }

  /// A server and the names of the files that it needs.
  public struct Server: Sendable {
    /// The host name of the server.
    public let host: String
    /// The file with the server's own certificate.
    public let certificate: String
    /// The file with the server's chain, its own certificate first.
    public let chain: String
    /// The file with the server's key; nil if the key is unknown.
    public let key: String?
  }

  /// The passphrase of the PKCS #12 files.
  public static let passphrase = "trustlab"

  /// The scenario case whose certificates are exported.
  public let scenario: Scenario
  /// The date for which the certificates are issued.
  public let date: Instant
  /// All exported files, in the order of the scenario.
  public internal(set) var files: [File] = []
  /// The servers, in the order of the scenario.
  public internal(set) var servers: [Server] = []
  /// The file with the anchors of each kind that the scenario has.
  public internal(set) var roots: [CertificateDescription.Store: String] = [:]
  /// Notes about parts that could not be exported as requested.
  public internal(set) var remarks: [String] = []

  /// The file name for the anchors of each kind.
  static let rootFiles: [(store: CertificateDescription.Store, name: String)] = [
    (.system, "roots"), (.user, "user-roots"), (.installedNotTrusted, "installed-not-trusted"),
  ]

  init(_ scenario: Scenario, _ hierarchy: Hierarchy, date: Instant) throws(Diagnostics) {
    self.scenario = scenario
    self.date = date
    var names = FileNames(reserved: PKIExport.rootFiles.map(\.name))
    let stems = Dictionary(hierarchy.entries.map { ($0.name, names.name(for: $0.name)) }) { first, _ in first }
    for entry in hierarchy.entries { try add(entry, stems[entry.name] ?? "", hierarchy) }
    for server in scenario.servers { add(server, stems, hierarchy, &names) }
    for case .intercept(let description) in scenario.network { addIntercepted(description, stems, hierarchy) }
    for (store, name) in PKIExport.rootFiles { addRoots(store, name, hierarchy) }
    addStatus(stems, hierarchy)
    if date != scenario.clock {
      let fixed = (scenario.authorities + scenario.certificates).filter { $0.pem != nil }.map(\.name)
      remarks += fixed.map { "the dates of '\($0)' cannot change, because the certificate is from a file" }
    }
    remarks += omissions
  }

  /// The settings that decide in the scenario but are not part of any certificate. A validator that reads the files
  /// cannot know them.
  public var omissions: [String] {
    let entries = scenario.authorities + scenario.certificates
    let words: [CertificateDescription.Store: String] = [
      .distrusted: "the system blocks it", .denied: "the user never trusts it", .asked: "the user is asked",
    ]
    var remarks = entries.flatMap { entry in
      let list =
        entry.distrusts.isEmpty ? [] : ["no file contains the distrust of certificates that '\(entry.name)' signed"]
      return entry.stores.compactMap { words[$0] }.map {
        "no file contains the trust setting of '\(entry.name)': \($0)"
      }
        + list
    }
    if scenario.connections.contains(where: {
      $0.client.serverTrust.changesTrust || $0.client.serverTrust.library != nil || $0.client.delegate != nil
    }) {
      remarks.append("the app's changes to trust evaluation are not exported")
    }
    if scenario.connections.contains(where: { $0.client.profile != nil }) {
      remarks.append("the requirements of the client's profile are not exported")
    }
    if entries.contains(where: { $0.issuerLocation != nil }) {
      remarks.append("the servers' files do not include issuers that clients fetch from the network")
    }
    return remarks
  }

  mutating func add(_ name: String, _ bytes: [UInt8], _ content: String, isSecret: Bool = false) {
    files.append(File(name: name, bytes: bytes, content: content, isSecret: isSecret))
  }
}

extension PKIExport {
  /// Adds NAME.pem and NAME.der. If the key is known, adds NAME.key.pem and NAME.p12 too.
  mutating func add(_ entry: Hierarchy.Entry, _ stem: String, _ hierarchy: Hierarchy) throws(Diagnostics) {
    guard let certificate = entry.certificates.first?.certificate else { return }
    add("\(stem).pem", Array(certificate.pem.utf8), "certificate of \(entry.name)")
    add("\(stem).der", certificate.der, "the same certificate in DER")
    guard let key = entry.key else {
      remarks.append("the key of '\(entry.name)' is unknown")
      return
    }
    do {
      let information = try key.pkcs8
      let strength = Self.strength(key.publicKey)
      // RFC 7468 section 2 permits text before a block.
      let caption = strength.isEmpty ? "" : "\(entry.name): \(key.publicKey.description)\(strength)\n"
      add(
        "\(stem).key.pem", Array((caption + PEM.encode("PRIVATE KEY", information)).utf8),
        "private key, \(key.publicKey.description)\(strength)", isSecret: true)
      var random = DeterministicRandom(seed: scenario.seed, label: "export/\(entry.name).p12")
      let archive = PKCS12(
        friendlyName: entry.name, key: information, certificates: presented(with: entry, hierarchy))
      add(
        "\(stem).p12", try archive.encoded(passphrase: Self.passphrase, random: &random),
        "private key and certificates in PKCS #12", isSecret: true)
    } catch {
      throw Diagnostics("cannot write the key of '\(entry.name)': \(error)")
    }
  }

  /// Returns the chain of the server or client that presents `entry`.
  ///
  /// If none does, returns the chain that a client with this identity would present: the certificate and its issuers
  /// below the root.
  private func presented(with entry: Hierarchy.Entry, _ hierarchy: Hierarchy) -> [Certificate] {
    if let chain = scenario.servers.flatMap(\.chains).first(where: { $0.first == entry.name }) {
      return chain.compactMap { hierarchy[$0] }.flatMap(\.certificates).map(\.certificate)
    }
    let client = scenario.connections.map(\.client).first { $0.identity.first == entry.name }
    let chain = client.map { hierarchy.identityChain(of: $0, in: scenario) }
    return (chain ?? hierarchy.chain(of: entry.name, in: scenario)).map(\.certificate)
  }

  /// Adds NAME.chain.pem with the chain of the server, its own certificate first.
  mutating func add(
    _ server: ServerDescription, _ stems: [String: String], _ hierarchy: Hierarchy, _ names: inout FileNames
  ) {
    for chain in server.chains { add(chain, of: server, stems, hierarchy, &names) }
  }

  private mutating func add(
    _ chain: [String], of server: ServerDescription, _ stems: [String: String], _ hierarchy: Hierarchy,
    _ names: inout FileNames
  ) {
    let entries = chain.compactMap { hierarchy[$0] }
    guard let leaf = entries.first, let stem = stems[leaf.name] else { return }
    let certificates = entries.flatMap(\.certificates)
    let bytes = Array(certificates.map(\.certificate.pem).joined().utf8)
    var name = "\(stem).chain.pem"
    if let other = files.first(where: { $0.name == name }), other.bytes != bytes {
      name = "\(names.name(for: "\(stem).\(server.host)")).chain.pem"
    }
    if !files.contains(where: { $0.name == name }) {
      add(name, bytes, "chain of \(server.host): \(certificates.map(\.name).joined(separator: ", "))")
    }
    servers.append(
      Server(
        host: server.host, certificate: "\(stem).pem", chain: name, key: leaf.key == nil ? nil : "\(stem).key.pem"))
  }

  /// Adds NAME.chain.pem with the chain of an attacker, unless a server presents the same chain.
  mutating func addIntercepted(
    _ description: InterceptorDescription, _ stems: [String: String], _ hierarchy: Hierarchy
  ) {
    let entries = description.presents.compactMap { hierarchy[$0] }
    guard let leaf = entries.first, let stem = stems[leaf.name] else { return }
    let name = "\(stem).chain.pem"
    guard !files.contains(where: { $0.name == name }) else { return }
    let certificates = entries.flatMap(\.certificates)
    let bytes = Array(certificates.map(\.certificate.pem).joined().utf8)
    add(name, bytes, "chain of the interceptor: \(certificates.map(\.name).joined(separator: ", "))")
  }

  /// Adds one file with all anchors of one kind.
  mutating func addRoots(_ store: CertificateDescription.Store, _ name: String, _ hierarchy: Hierarchy) {
    let anchors = (scenario.authorities + scenario.certificates).filter { $0.stores.contains(store) }.compactMap {
      hierarchy[$0.name]?.certificates.last?.certificate
    }
    guard !anchors.isEmpty else { return }
    roots[store] = "\(name).pem"
    add("\(name).pem", Array(anchors.map(\.pem).joined().utf8), "anchors: \(store.rawValue)")
  }

  /// Returns a note if the key is too weak for real use.
  private static func strength(_ key: PublicKey) -> String {
    guard case .rsa(let key) = key, key.bits < 2048 else { return "" }
    return key.bits < 1024 ? " (a toy)" : " (weak)"
  }
}

/// Creates unique file names that resemble the author's names and are safe on every system.
public struct FileNames {
  private var taken: Set<String>
  /// A length of file names that every file system permits, with room for an extension.
  private static let longest = 100

  /// Creates a source of file names that differ from each of `reserved`.
  public init(reserved: [String]) { taken = Set(reserved) }

  /// Returns a name of letters, digits, `.`, `_` and `-` that resembles `text`.
  ///
  /// The name differs from all previous names, even if case is ignored.
  public mutating func name(for text: String) -> String {
    var safe = ""
    for scalar in text.unicodeScalars.prefix(Self.longest) {
      let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
      let keeps = isPlain || "._-".unicodeScalars.contains(scalar)
      if keeps { safe.unicodeScalars.append(scalar) } else if safe.last != "-" { safe.append("-") }
    }
    while let first = safe.first, first == "." || first == "-" { safe.removeFirst() }
    while let last = safe.last, last == "." || last == "-" { safe.removeLast() }
    if safe.isEmpty { safe = "certificate" }
    var unique = safe
    var number = 2
    while !taken.insert(unique.lowercased()).inserted {
      unique = "\(safe)-\(number)"
      number += 1
    }
    return unique
  }
}
