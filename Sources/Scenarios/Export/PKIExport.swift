import Cryptography
import Explanation
import PKIX

/// The certificates and keys of a scenario as files that other programs read.
public struct PKIExport: Sendable {
  /// One file.
  public struct File: Sendable {
    /// Its name, without a folder: letters, digits, `.`, `_` and `-` only.
    public let name: String
    /// What is in it.
    public let bytes: [UInt8]
    /// What that is, in words.
    public let content: String
    /// Whether it holds a private key, so that nobody but its owner may read it.
    public let isSecret: Bool
  }

  /// A server with the files it needs.
  public struct Server: Sendable {
    /// The host it answers for.
    public let host: String
    /// The file of its own certificate.
    public let certificate: String
    /// The file of all it presents, its own certificate first.
    public let chain: String
    /// The file of its key; nil when nobody here has it.
    public let key: String?
  }

  /// The passphrase of the PKCS #12 files.
  public static let passphrase = "trustlab"

  /// The scenario, and the case.
  public let scenario: Scenario
  /// The day on which the certificates are what the scenario says of them.
  public let date: Instant
  /// All files, in the order of the scenario.
  public internal(set) var files: [File] = []
  /// The servers, in the order of the scenario.
  public internal(set) var servers: [Server] = []
  /// The file of the anchors of each kind that there are.
  public internal(set) var roots: [CertificateDescription.Store: String] = [:]
  /// What could not be as it was asked for.
  public internal(set) var remarks: [String] = []

  /// Where the anchors of each kind are written.
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
    if date != scenario.clock {
      let fixed = (scenario.authorities + scenario.certificates).filter { $0.pem != nil }.map(\.name)
      remarks += fixed.map { "the dates of '\($0)' cannot move: it comes from a file" }
    }
    remarks += omissions
  }

  /// What decides in the scenario and stands in no certificate: a validator that reads the files does not know of it.
  public var omissions: [String] {
    let entries = scenario.authorities + scenario.certificates
    let words: [CertificateDescription.Store: String] = [
      .distrusted: "blocked by the system", .denied: "denied by the user", .asked: "one that the user is asked about",
    ]
    var remarks = entries.flatMap { entry in
      let list = entry.distrusts.isEmpty ? [] : ["the list that distrusts what '\(entry.name)' signed is in no file"]
      return (words[entry.trust].map { ["that '\(entry.name)' is \($0) is in no file"] } ?? []) + list
    }
    if scenario.connections.contains(where: \.client.serverTrust.changesTrust) {
      remarks.append("what the app changes in the trust that it is given is in no file")
    }
    if entries.contains(where: { $0.issuerLocation != nil }) {
      remarks.append("issuers that are fetched from the network are not in the files of servers")
    }
    return remarks
  }

  mutating func add(_ name: String, _ bytes: [UInt8], _ content: String, isSecret: Bool = false) {
    files.append(File(name: name, bytes: bytes, content: content, isSecret: isSecret))
  }
}
