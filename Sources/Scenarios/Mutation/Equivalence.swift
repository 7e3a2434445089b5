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
    (
      ["chain.self-signed", "chain.loop", "chain.not-trusted-yet"],
      "a path ends at a trust anchor (RFC 5280 section 6.1), so chain.no-anchor refuses the same chain"
    ),
    (
      ["client-auth.self-signed", "client-auth.loop", "client-auth.not-trusted-yet"],
      "a path ends at a trust anchor (RFC 5280 section 6.1), so client-auth.no-anchor refuses the same chain"
    ),
    (
      ["name.wildcard-depth", "name.wildcard-form", "name.no-san"],
      "no name of the certificate matches (RFC 9525 section 6.5), so name.mismatch refuses it"
    ),
    (["pin.untrusted-path"], "it repeats a rule of the chain, which refuses the same chain"),
    (
      ["challenge.unanswered", "challenge.failures-ignored"],
      "a load waits for the answer to its challenge (URLAuthenticationChallenge), so it hangs without the rule"
    ),
    (
      ["http-auth.no-scheme"],
      "a client without a scheme sends no credentials (RFC 9110 section 11.6.2), so http-auth.unauthorized refuses"
    ),
    (
      ["record.closed-early"],
      "no message follows close_notify (RFC 5246 section 7.2.1), so handshake.unexpected-message refuses the next one"
    ),
    (
      ["application.malformed-opening"],
      "only status 101 opens a WebSocket (RFC 6455 section 4.1), so application.websocket-not-opened refuses"
    ),
    (
      ["handshake.no-common-suite"],
      "a server selects a suite of the offer (RFC 5246 section 7.4.1.3), so handshake.suite-not-implemented refuses"
    ),
    (
      ["chain.no-certificate"],
      "a server's certificate_list is not empty (RFC 8446 section 4.4.2), so the handshake refuses the message"
    ),
  ]

  private static let notBuilt = [
    (
      ["chain.issuer-name-mismatch", "client-auth.issuer-name-mismatch"],
      "path building finds issuers by name (RFC 5280 section 6.1.3 (a)(4)), so no path contains a wrong issuer"
    )
  ]

  private static let cannotContinue = [
    (["handshake.version-not-implemented", "handshake.suite-not-implemented"], "TrustLab does not implement it"),
    (
      ["handshake.key-type-mismatch", "handshake.bad-key-share"],
      "without a usable key there is no premaster secret (RFC 5246 section 8.1)"
    ),
    (["handshake.internal-error"], "the message cannot be encoded or decrypted (RFC 5246 section 7.2.2)"),
    (["record.sequence-exhausted"], "sequence numbers do not wrap (RFC 5246 section 6.1)"),
    (
      ["pkcs12.bad-passphrase", "pkcs12.unsupported-algorithm", "pkcs12.malformed", "pkcs12.no-identity"],
      "the import yields no private key (RFC 7292 section 5), so the client has no certificate to send"
    ),
  ]

  private static let missing = [
    (["handshake.recorded-secret"], "only 'replay' checks it"),
    (["handshake.padding-oracle"], "it is a goal of the attacker and never a verdict"),
  ]
}
