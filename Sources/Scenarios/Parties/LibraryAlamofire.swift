import Explanation
import URLLoading

/// The server trust policy of Alamofire, as a scenario describes it.
public struct AlamofireDescription: Sendable, Hashable {
  /// The release of Alamofire.
  public let version: LibraryVersion
  var written: LibraryVersion?
  /// Whether the library refuses a host without an entry, which 5.0 and later can do.
  public var allHostsMustBeEvaluated = true
  var evaluators: [String: AlamofireEntry]?
  var policies: [String: AlamofireEntry]?

  init(version: LibraryVersion) { self.version = version }

  /// The hosts and their evaluators; nil if the app uses no trust manager.
  public var entries: [String: AlamofireEntry]? { evaluators ?? policies }

  static let section = Section<AlamofireDescription>(
    "Alamofire",
    "The ServerTrustManager of Alamofire: evaluators since 5.0, policies in 1.3 to 4.9. Without evaluators or "
      + "policies, there is no manager.",
    [
      .term("library", .libraryVersion, "the library and its release, such as Alamofire 5.9", into: \.written),
      .term(
        "allHostsMustBeEvaluated", .flag,
        "5.0 and later: whether a host without an entry is refused; default: true",
        into: \.allHostsMustBeEvaluated),
      .term(
        "evaluators", .named(.section(AlamofireEntry.section) { AlamofireEntry() }),
        "5.0 and later: the evaluator of each host, by its exact name", into: \.evaluators),
      .term(
        "policies", .named(.section(AlamofireEntry.section) { AlamofireEntry() }),
        "1.3 to 4.9: the policy of each host, by its exact name", into: \.policies),
    ])

  /// The sentences that `describe` prints about the library.
  var sentences: [String] {
    guard let entries else { return ["\(version) has no server trust manager: the system decides."] }
    let words = entries.sorted { $0.key < $1.key }.map { "\($0.key) by \($0.value.words)" }
    return ["\(version) evaluates servers as follows: \(words.joined(separator: "; "))."]
  }

  func check(_ map: MapReader) {
    let hasEvaluators = version.isAtLeast(5, 0)
    if !hasEvaluators, let reader = map["evaluators"] {
      reader.fail("\(version) has no evaluators", hint: "write policies: { HOST: { kind: pin-public-keys, … } }")
    }
    if !hasEvaluators, let reader = map["allHostsMustBeEvaluated"] {
      reader.fail(
        "\(version) has no allHostsMustBeEvaluated",
        hint: "releases since 5.0 have this property; in older releases, the system evaluates a host without a policy")
    }
    if hasEvaluators || !version.isAtLeast(1, 3), let reader = map["policies"] {
      reader.fail(
        "\(version) has no policies",
        hint: hasEvaluators ? "write evaluators: { HOST: { kind: public-keys, … } }" : "releases since 1.3.0 have them")
    }
    for (host, entry) in entries ?? [:] {
      let list = map[hasEvaluators ? "evaluators" : "policies"]
      entry.check(
        version,
        NodeReader(
          node: list?.node[host] ?? map.reader.node, path: "\(list?.path ?? "").\(host)", sink: map.reader.sink))
    }
  }

  /// Returns the library's policy, with `file` as the pinned file for each certificate name.
  func policy(_ file: (String) -> PinnedFile) -> Alamofire {
    var library = Alamofire(version, entries: entries?.mapValues { $0.entry(version, file) })
    library.allHostsMustBeEvaluated = allHostsMustBeEvaluated
    return library
  }
}

/// An evaluator or a policy of Alamofire.
public struct AlamofireEntry: Sendable, Hashable {
  var kind = "default"
  var pins: [String] = []
  var acceptsSelfSigned = false
  var performsDefault: Bool?
  var validatesChain: Bool?
  var validatesHost: Bool?
  var members: [AlamofireEntry] = []
  var returns = true

  static let evaluators = [
    "default", "revocation", "pinned-certificates", "public-keys", "composite", "disabled", "custom",
  ]
  static let policies = ["default", "revoked", "pin-certificates", "pin-public-keys", "disabled", "custom"]

  /// The names of the certificates in the entry.
  var names: [String] { pins + members.flatMap(\.names) }

  static let section: Section<AlamofireEntry> = Section(
    "Alamofire entry", "Alamofire's evaluation of one host.",
    [
      .term(
        "kind", .choice(evaluators + policies.filter { !evaluators.contains($0) }, called: "kind"),
        "the evaluator (5.x) or the policy (1.3 to 4.9)", into: \.kind),
      .term("pins", .list(.text), "the pinned certificates, or the certificates with the pinned keys", into: \.pins),
      .term(
        "acceptSelfSignedCertificates", .flag,
        "for pinned-certificates: whether the pins become the anchors; default: false",
        into: \.acceptsSelfSigned),
      .term(
        "performDefaultValidation", .flag, "5.x: whether the chain is evaluated; default: true",
        into: \.performsDefault),
      .term(
        "validateCertificateChain", .flag, "1.3 to 4.9: whether the chain is evaluated; required",
        into: \.validatesChain),
      .term(
        "validateHost", .flag, "whether the host name is compared; default in 5.x: true; required in older releases",
        into: \.validatesHost),
      .term(
        "evaluators", .list(.lazily("Alamofire entry") { AlamofireEntry.nested }),
        "for composite: its evaluators, in order",
        into: \.members),
      .term("returns", .flag, "for custom: the result of the app's own evaluation; default: true", into: \.returns),
    ])

  private static func nested(_ reader: NodeReader) -> AlamofireEntry? {
    var entry = AlamofireEntry()
    return reader.read(section, into: &entry) == nil ? nil : entry
  }

  var words: String { kind + (pins.isEmpty ? "" : " of \(pins.listed)") }

  func check(_ version: LibraryVersion, _ reader: NodeReader) {
    let kinds = version.isAtLeast(5, 0) ? Self.evaluators : Self.policies
    if !kinds.contains(kind) {
      reader.fail("\(version) has no '\(kind)'", hint: Spelling.hint(for: kind, among: kinds))
    }
    if !version.isAtLeast(5, 0) {
      let isPinning = kind.hasPrefix("pin-")
      let missing =
        (isPinning && validatesChain == nil ? ["validateCertificateChain"] : [])
        + (validatesHost == nil && (isPinning || ["default", "revoked"].contains(kind)) ? ["validateHost"] : [])
      if !missing.isEmpty {
        reader.fail(
          "\(reader.path) needs \(missing.joined(separator: " and ")) in \(version)",
          hint: "write \(missing.map { "\($0): true" }.joined(separator: ", "))")
      }
      if performsDefault != nil {
        reader.fail("\(version) has no performDefaultValidation", hint: "did you mean 'validateCertificateChain'?")
      }
    } else if validatesChain != nil {
      reader.fail("\(version) has no validateCertificateChain", hint: "did you mean 'performDefaultValidation'?")
    }
    for member in members { member.check(version, reader) }
  }

  /// Returns Alamofire's value for this entry.
  func entry(_ version: LibraryVersion, _ file: (String) -> PinnedFile) -> Alamofire.Entry {
    version.isAtLeast(5, 0) ? .evaluator(evaluator(file)) : .policy(policy(file))
  }

  private func evaluator(_ file: (String) -> PinnedFile) -> Alamofire.Evaluator {
    let (performs, host) = (performsDefault ?? true, validatesHost ?? true)
    switch kind {
    case "revocation": return .revocation(performDefaultValidation: performs, validateHost: host)
    case "pinned-certificates":
      return .pinnedCertificates(
        pins.map(file), acceptSelfSigned: acceptsSelfSigned, performDefaultValidation: performs, validateHost: host)
    case "public-keys": return .publicKeys(pins.map(file), performDefaultValidation: performs, validateHost: host)
    case "composite": return .composite(members.map { $0.evaluator(file) })
    case "disabled": return .disabled
    case "custom": return .custom(returns: returns)
    default: return .standard(validateHost: host)
    }
  }

  private func policy(_ file: (String) -> PinnedFile) -> Alamofire.Policy {
    let (chain, host) = (validatesChain ?? true, validatesHost ?? true)
    switch kind {
    case "revoked": return .performRevoked(validateHost: host)
    case "pin-certificates":
      return .pinCertificates(pins.map(file), validateCertificateChain: chain, validateHost: host)
    case "pin-public-keys":
      return .pinPublicKeys(pins.map(file), validateCertificateChain: chain, validateHost: host)
    case "disabled": return .disableEvaluation
    case "custom": return .customEvaluation(returns: returns)
    default: return .performDefault(validateHost: host)
    }
  }
}

extension Kind {
  /// Returns a kind that is created when it is used, so that a section can contain itself.
  fileprivate static func lazily(
    _ section: String, _ read: @escaping @Sendable () -> @Sendable (NodeReader) -> Value?
  ) -> Kind {
    Kind(.section(section)) { read()($0) }
  }
}
