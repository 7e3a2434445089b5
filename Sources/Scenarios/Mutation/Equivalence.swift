/// The reason why no scenario can kill a mutant.
public struct Equivalence: Sendable, Hashable {
  /// The kind of reason. The list is closed.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// The rule only advises.
    case advises = "E1"
    /// Another rule is violated whenever this one is.
    case implied = "E2"
    /// Path building never yields the input.
    case notBuilt = "E3"
    /// The violation ends the connection because the engine cannot continue.
    case cannotContinue = "E4"
    /// The scenario language or the engine lacks a feature. The mutant counts as survived.
    case missing = "E5"

    /// Whether the mutant is excluded from the score.
    public var isExcluded: Bool { self != .missing }

    /// The meaning of the kind.
    public var meaning: String {
      switch self {
      case .advises: "the rule only advises"
      case .implied: "another rule refuses the same input"
      case .notBuilt: "path building never yields the input"
      case .cannotContinue: "the engine cannot continue after the violation"
      case .missing: "a feature is missing; counts as survived"
      }
    }
  }

  /// The kind of reason.
  public let kind: Kind
  /// The reason in words.
  public let reason: String

  private init(_ kind: Kind, _ reason: String) {
    self.kind = kind
    self.reason = reason
  }

  /// The reasons by the name of the mutant.
  static let all: [String: Equivalence] = {
    var reasons: [String: Equivalence] = [:]
    for (kind, groups) in table {
      for (names, reason) in groups {
        for name in names { reasons[name] = Equivalence(kind, reason) }
      }
    }
    return reasons
  }()

  private static let table: [(Kind, [([String], String)])] = [
    (.implied, implied), (.notBuilt, notBuilt), (.cannotContinue, cannotContinue), (.missing, missing),
  ]

  private static let implied = [
    (["chain.self-signed", "chain.loop", "chain.not-trusted-yet"], "chain.no-anchor refuses the same chain"),
    (
      ["client-auth.self-signed", "client-auth.loop", "client-auth.not-trusted-yet"],
      "client-auth.no-anchor refuses the same chain"
    ),
    (["name.wildcard-depth", "name.wildcard-form", "name.no-san"], "name.mismatch refuses the same certificate"),
    (["pin.untrusted-path"], "the chain rule that it repeats refuses the same chain"),
    (["challenge.unanswered", "challenge.failures-ignored"], "no party answers, so the load hangs without the rule"),
    (
      ["pkcs12.bad-passphrase", "pkcs12.unsupported-algorithm", "pkcs12.malformed", "pkcs12.no-identity"],
      "nothing is imported, so client-auth.certificate-required refuses"
    ),
    (["http-auth.no-scheme"], "http-auth.unauthorized refuses the same request"),
    (["record.closed-early"], "handshake.unexpected-message refuses what follows"),
    (["application.malformed-opening"], "application.websocket-not-opened refuses the same response"),
    (["handshake.no-common-suite"], "handshake.suite-not-implemented ends the connection without a suite"),
  ]

  private static let notBuilt = [
    (
      ["chain.issuer-name-mismatch", "client-auth.issuer-name-mismatch"],
      "path building finds issuers by name, so no path contains a wrong issuer"
    )
  ]

  private static let cannotContinue = [
    (["handshake.version-not-implemented", "handshake.suite-not-implemented"], "TrustLab does not implement it"),
    (["handshake.key-type-mismatch", "handshake.bad-key-share"], "without a usable key there is no secret"),
    (["handshake.internal-error"], "the message cannot be encoded or decrypted"),
    (["record.sequence-exhausted"], "there is no further sequence number"),
  ]

  private static let missing = [
    (["chain.no-certificate"], "the language requires that a server presents a certificate"),
    (["application.host-not-found"], "the language requires a server for every requested host"),
    (["chain.signature-limit", "client-auth.signature-limit"], "a case would need more than 2,048 signatures"),
    (["handshake.recorded-secret"], "only 'replay' checks it"),
    (["handshake.padding-oracle"], "it is a goal of the attacker and never a verdict"),
  ]
}
