import Explanation
import PKIX
import TLS
import Trust
import URLLoading

/// A historical bug that a client, a server or an app can have: a named list of faults.
public struct Mutant: Sendable, Hashable {
  /// The kind of program that can have the bug.
  public enum Place: String, Sendable, Hashable, CaseIterable {
    /// The TLS implementation of a server.
    case server
    /// The TLS implementation of a client.
    case client
    /// The delegate of an app, which responds to the server trust challenge.
    case delegate
    /// Every program that validates certificates: a client, or a server that requests client certificates.
    case validator
  }

  /// The name of the bug.
  public let name: String
  /// The kind of program that can have the bug.
  public let place: Place
  /// The wrong behaviour that the bug causes.
  public let meaning: String
  /// The ids of the rules that a program with the bug skips; empty if its path search is different instead.
  public var rules: [String] { faults.flatMap(\.rules).map(\.id) }
  /// The source of the bug: its CVE, or the incident.
  public let source: String
  /// The skipped rules in one line. A layer that is skipped as a whole is given by its name.
  public var ruleText: String {
    let layers = Set(rules.compactMap { $0.split(separator: ".").first })
    return rules.count > 8 ? layers.sorted().map { "\($0).*" }.joined(separator: ", ") : rules.joined(separator: ", ")
  }

  /// The affected programs, and the version of each that fixes the bug.
  public let affected: String?
  /// The day on which the bug was published or fixed.
  public let date: String?
  /// The faults that make up the bug.
  public let faults: [Fault]
  /// The rules and decisions of a program that has the bug.
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

  /// Whether a server can have the bug.
  public var isOfServers: Bool { place == .server || place == .validator }

  /// Whether a client, or the app on it, can have the bug.
  public var isOfClients: Bool { place != .server }

  /// Returns the mutant called `name`; nil if there is none.
  public static func named(_ name: String) -> Mutant? { all.first { $0.name == name } }

  /// Returns the rules that a program of this kind applies if it has the bug.
  public func enforcement(in place: Place) -> Enforcement { place == self.place ? enforcement : .standard }

  /// Returns whether two mutants have the same name.
  public static func == (left: Mutant, right: Mutant) -> Bool { left.name == right.name }

  /// Hashes the name, because mutants with the same name are equal.
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension Fault {
  /// Returns the fault of an app that uses this delegate preset, unless the scenario sets its own delegate.
  static func delegate(_ preset: DelegatePreset) -> Fault { .changing { $0 = DelegateDecision(preset: preset) } }
}

/// The decisions of an app whose scenario describes no delegate.
struct DelegateDecision: EngineDecisions {
  static let standard = DelegateDecision(preset: nil)

  /// The delegate preset; nil for a delegate that evaluates the trust.
  let preset: DelegatePreset?
}

extension TrustEvaluator {
  /// Returns this evaluator with the bug applied. Bugs of other programs than validators change nothing.
  public func having(_ mutant: Mutant?) -> TrustEvaluator {
    guard let mutant, mutant.place == .validator else { return self }
    var evaluator = self
    evaluator.diagnostics.enforcement = mutant.enforcement
    return evaluator
  }
}

extension Mutant {
  /// All mutants, grouped by the kind of program that can have them.
  public static let all: [Mutant] = [
    Mutant(
      "robot", .server,
      "sends a distinct alert if the decrypted block of a premaster secret does not begin with 00 02",
      [.switchingOff(.paddingOracle)], source: "CVE-2017-13099"),
    Mutant(
      "goto-fail", .client,
      "does not verify the signature of ServerKeyExchange (historically below TLS 1.2, a version that the attacker "
        + "chose; here in TLS 1.2)",
      [.switchingOff(.badSignature)], source: "CVE-2014-1266",
      affected: "iOS 6 before 6.1.6, iOS 7 before 7.0.6, OS X 10.9 before 10.9.2", date: "2014-02-21"),
    Mutant(
      "incomplete-close", .client, "treats a connection that ends without close_notify as properly closed",
      [.switchingOff(.truncatedConnection)], source: "RFC 9112 section 9.8"),
    Mutant(
      "afnetworking-2.5.1", .delegate,
      "evaluates the server's trust, but ignores the result if nothing is pinned",
      RuleCatalogue.all.filter { [.chain, .name].contains($0.layer) }.map(Fault.switchingOff),
      source: "AFNetworking 2.5.1",
      affected: "AFNetworking 2.5.1, until 2.5.2", date: "2015-03-26"),
    Mutant(
      "afnetworking-2.5.2", .delegate, "evaluates the server's trust without the host name if nothing is pinned",
      [Rule.nameMismatch, .wildcardDepth, .wildcardForm, .noAlternativeName].map(Fault.switchingOff),
      source: "CVE-2015-3996",
      affected: "AFNetworking 2.5.0 to 2.5.2, until 2.5.3",
      date: "2015-04-20"),
    Mutant(
      "gnutls-error", .validator,
      "treats an error during signature verification, such as an unknown algorithm, as success",
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
      "ignores cA in basicConstraints, so that any certificate can issue other certificates",
      [.switchingOff(.notCA)], source: "CVE-2011-0228",
      affected: "iOS before 4.2.10 and 4.3.5; Windows 98 to XP (as CVE-2002-0862)", date: "2011-07-25"),
    Mutant(
      "null-prefix", .validator, "compares a name as a C string, which ends at the first 00 byte",
      [.path([.nameMismatch]) { $0.comparedName = { String($0.prefix { $0 != "\0" }) } }],
      source: "CVE-2009-2408", affected: "NSS before 3.12.3 and Firefox before 3.0.13", date: "2009-08"),
    Mutant(
      "first-path-only", .validator,
      "uses the first issuer that the server sends, or else the first in its own store, and tries no other path",
      [.path { $0.issuersToTry = { found, _ in Array((found.presented + found.anchors).prefix(1)) } }],
      source: "AddTrust External CA Root, 2020-05-30", affected: "OpenSSL 1.0.x, old LibreSSL and GnuTLS",
      date: "2020-05-30"),
    Mutant(
      "alternative-chain", .validator,
      "does not check whether all issuers of an alternative path are CAs if the first path has failed",
      [.path([.notCA]) { $0.requiresCA = { $0.index < $0.untrustedAsCounted } }], source: "CVE-2015-1793",
      affected: "OpenSSL 1.0.1n, 1.0.1o, 1.0.2b and 1.0.2c, until 1.0.1p and 1.0.2d", date: "2015-07-09"),
    Mutant(
      "strict-flag", .validator,
      "accepts an issuer that is not a CA if strict validation is on and no purpose is set",
      [.path([.notCA]) { $0.requiresCA = { !$0.isStrict || $0.purpose != nil } }], source: "CVE-2021-3450",
      affected: "OpenSSL 1.1.1h to 1.1.1j, until 1.1.1k", date: "2021-03-25"),
    Mutant(
      "md5-accepted", .validator, "accepts signatures that use MD5",
      [.deciding(.weakSignature) { $0.holds || $0.found == .word("md5WithRSAEncryption") }],
      source: "MD5 considered harmful today, 2008-12-30", affected: "iOS before 5, among others", date: "2008-12-30"),
    Mutant(
      "wildcard-excluded", .validator,
      "compares only the suffix of a wildcard name with an excluded subtree, although the wildcard can match a host in "
        + "that subtree",
      [.path([.nameConstraints]) { $0.mayCover = PathDecisions.isWithin }], source: "CVE-2025-61727",
      affected: "Go before 1.24.11, and 1.25.0 to 1.25.4", date: "2025-12-02"),
    Mutant(
      "eku-ignored", .validator, "ignores extendedKeyUsage", [.switchingOff(.extendedKeyUsage)],
      source: "RFC 5280 section 4.2.1.12"),
    Mutant(
      "soft-fail", .validator,
      "treats an unknown revocation status as good, although it is configured to refuse the certificate",
      [.switchingOff(.revocationUnknown)], source: "RFC 5280 section 6.1.3 (a)(3)"),
  ]
}

extension PathDecisions.CARequirement {
  /// The number of certificates that OpenSSL counted as untrusted after its first path had failed.
  ///
  /// OpenSSL subtracted the trusted certificates of the first path, although this path contains none of them.
  fileprivate var untrustedAsCounted: Int {
    guard let first = search.discarded.first else { return path.certificates.count }
    let untrusted = path.certificates.prefix { search.presented.contains($0) && $0 != path.anchor }.count
    return untrusted - first.certificates.count { !search.presented.contains($0) }
  }
}
