import Explanation
import PKIX
import TLS
import Trust
import URLLoading

/// A historical bug that a party can have: a named list of faults.
public struct Mutant: Sendable, Hashable {
  /// Who can have it.
  public enum Place: String, Sendable, Hashable, CaseIterable {
    /// A server's TLS.
    case server
    /// A client's TLS.
    case client
    /// The delegate of an app, which answers the challenge about the server's trust.
    case delegate
    /// Whoever validates certificates: a client, or a server that asks its clients for them.
    case validator
  }

  /// Its name.
  public let name: String
  /// Who can have it.
  public let place: Place
  /// What it does wrong.
  public let meaning: String
  /// The ids of the rules that it goes past; none where it searches otherwise.
  public var rules: [String] { faults.flatMap(\.rules).map(\.id) }
  /// Where the bug was found: its CVE, or the incident.
  public let source: String
  /// The rules that it goes past, in one line: whole layers by their names.
  public var ruleText: String {
    let layers = Set(rules.compactMap { $0.split(separator: ".").first })
    return rules.count > 8 ? layers.sorted().map { "\($0).*" }.joined(separator: ", ") : rules.joined(separator: ", ")
  }

  /// Which programs had it, and from which version on they did not.
  public let affected: String?
  /// The day on which it became known or was mended.
  public let date: String?
  /// Its faults.
  public let faults: [Fault]
  /// The rules and decisions of a party that has the bug.
  public let enforcement: Enforcement

  init(
    _ name: String, _ place: Place, _ meaning: String, _ faults: [Fault], source: String, affected: String? = nil,
    date: String? = nil
  ) {
    self.name = name
    self.place = place
    self.meaning = meaning
    self.faults = faults
    self.source = source
    self.affected = affected
    self.date = date
    enforcement = Enforcement(faults)
  }

  /// Whether a server can have it.
  public var isOfServers: Bool { place == .server || place == .validator }

  /// Whether a client can have it, or the app on it.
  public var isOfClients: Bool { place != .server }

  /// The mutant called `name`, nil when there is none.
  public static func named(_ name: String) -> Mutant? { all.first { $0.name == name } }

  /// The rules in force in that place for a party that has the bug.
  public func enforcement(in place: Place) -> Enforcement { place == self.place ? enforcement : .standard }

  /// Mutants are the same that have the same name.
  public static func == (left: Mutant, right: Mutant) -> Bool { left.name == right.name }

  /// Mutants are the same that have the same name.
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension Fault {
  /// The fault of an app whose delegate, if the scenario gives it none, is this preset.
  static func delegate(_ preset: DelegatePreset) -> Fault { .changing { $0 = DelegateDecision(preset: preset) } }
}

/// The delegate of an app that has none of its own.
struct DelegateDecision: EngineDecisions {
  static let standard = DelegateDecision(preset: nil)

  /// The preset; nil for a delegate that evaluates the trust.
  let preset: DelegatePreset?
}

extension TrustEvaluator {
  /// This evaluator of a party that has the bug; the same if the bug is none of validators.
  public func having(_ mutant: Mutant?) -> TrustEvaluator {
    guard let mutant, mutant.place == .validator else { return self }
    var evaluator = self
    evaluator.diagnostics.enforcement = mutant.enforcement
    return evaluator
  }
}

extension Mutant {
  /// Every mutant, by its place.
  public static let all: [Mutant] = [
    Mutant(
      "robot", .server,
      "answers an encrypted premaster secret whose block does not begin with 00 02 with an alert of its own",
      [.switchingOff(.paddingOracle)], source: "CVE-2017-13099"),
    Mutant(
      "goto-fail", .client,
      "goes past the signature of ServerKeyExchange (then only below TLS 1.2, which the attacker chose; here in TLS 1.2)",
      [.switchingOff(.badSignature)], source: "CVE-2014-1266",
      affected: "iOS 6 before 6.1.6, iOS 7 before 7.0.6, OS X 10.9 before 10.9.2", date: "2014-02-21"),
    Mutant(
      "incomplete-close", .client, "takes a connection that ends without close_notify for one that was closed",
      [.switchingOff(.truncatedConnection)], source: "RFC 9112 section 9.8"),
    Mutant(
      "afnetworking-2.5.1", .delegate,
      "evaluates the server's trust and goes on whatever comes of it, where nothing is pinned",
      RuleCatalogue.all.filter { [.chain, .name].contains($0.layer) }.map(Fault.switchingOff),
      source: "AFNetworking 2.5.1",
      affected: "AFNetworking 2.5.1, until 2.5.2", date: "2015-03-26"),
    Mutant(
      "afnetworking-2.5.2", .delegate, "evaluates the server's trust without the host's name, where nothing is pinned",
      [Rule.nameMismatch, .wildcardDepth, .wildcardForm, .noAlternativeName].map(Fault.switchingOff),
      source: "CVE-2015-3996",
      affected: "AFNetworking 2.5.0 to 2.5.2, until 2.5.3",
      date: "2015-04-20"),
    Mutant(
      "gnutls-error", .validator,
      "takes an error in the verification of a signature, such as an unknown algorithm, for a signature that verifies",
      [
        .switchingOff(.unsupportedSignatureAlgorithm),
        .path { decisions in
          decisions.outcome = { error in
            switch error {
            case .malformed, .unusedBits, .keyMismatch, .unsupportedScheme, .unsupportedKey: .unsupported
            default: .invalid
            }
          }
        },
      ], source: "CVE-2014-0092", affected: "GnuTLS before 3.1.22 and 3.2.12", date: "2014-03-03"),
    Mutant(
      "basic-constraints", .validator,
      "does not look at cA in basicConstraints, so that any certificate may issue others",
      [.switchingOff(.notAuthority)], source: "CVE-2011-0228",
      affected: "iOS before 4.2.10 and 4.3.5; as CVE-2002-0862 Windows 98 to XP", date: "2011-07-25"),
    Mutant(
      "null-prefix", .validator, "compares a name as a C string, up to the first byte 00",
      [.path([.nameMismatch]) { $0.comparedName = { String($0.prefix { $0 != "\0" }) } }],
      source: "CVE-2009-2408", affected: "NSS before 3.12.3, Firefox before 3.0.13", date: "2009-08"),
    Mutant(
      "first-path-only", .validator,
      "follows the first issuer that the server sent, before its own store, and tries no other path",
      [.path { $0.issuersToTry = { found, _ in Array((found.presented + found.anchors).prefix(1)) } }],
      source: "AddTrust External CA Root, 2020-05-30", affected: "OpenSSL 1.0.x, old LibreSSL and GnuTLS",
      date: "2020-05-30"),
    Mutant(
      "alternative-chain", .validator,
      "does not ask all certificates of a second path whether they are authorities, once a first path failed",
      [.path([.notAuthority]) { $0.holdsAuthority = { $0.index < $0.untrustedAsCounted } }], source: "CVE-2015-1793",
      affected: "OpenSSL 1.0.1n, 1.0.1o, 1.0.2b and 1.0.2c, until 1.0.1p and 1.0.2d", date: "2015-07-09"),
    Mutant(
      "strict-flag", .validator,
      "forgets, where it is to be strict and no purpose is asked for, that an issuer is no authority",
      [.path([.notAuthority]) { $0.holdsAuthority = { !$0.isStrict || $0.purpose != nil } }], source: "CVE-2021-3450",
      affected: "OpenSSL 1.1.1h to 1.1.1j, until 1.1.1k", date: "2021-03-25"),
    Mutant(
      "md5-accepted", .validator, "accepts signatures over MD5",
      [.deciding(.weakSignature) { $0.holds || $0.found == .word("md5WithRSAEncryption") }],
      source: "MD5 considered harmful today, 2008-12-30", affected: "iOS before 5, among others", date: "2008-12-30"),
    Mutant(
      "wildcard-excluded", .validator,
      "holds a wildcard against an excluded subtree by its end alone: it may stand for a host within",
      [.path([.nameConstraints]) { $0.mayCover = PathDecisions.isWithin }], source: "CVE-2025-61727",
      affected: "Go before 1.24.11, and 1.25.0 to 1.25.4", date: "2025-12-02"),
    Mutant(
      "eku-ignored", .validator, "does not look at extendedKeyUsage", [.switchingOff(.extendedKeyUsage)],
      source: "RFC 5280 section 4.2.1.12"),
    Mutant(
      "soft-fail", .validator, "takes silence about revocation for good news, though it was told to refuse then",
      [.switchingOff(.revocationUnknown)], source: "RFC 5280 section 6.1.3 (a)(3)"),
  ]
}

extension PathDecisions.AuthorityQuestion {
  /// How many certificates of the path OpenSSL took for untrusted after a first path had failed: of those presented, one
  /// less for every certificate that the first path had from the store, though none of them is in this path.
  fileprivate var untrustedAsCounted: Int {
    guard let first = search.discarded.first else { return path.certificates.count }
    let untrusted = path.certificates.prefix { search.presented.contains($0) && $0 != path.anchor }.count
    return untrusted - first.certificates.count { !search.presented.contains($0) }
  }
}
