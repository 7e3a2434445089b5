import Explanation
import PKIX
import TLS
import Trust
import URLLoading

extension Mutant {
  /// All historical bugs, grouped by the kind of program that can have them.
  public static let all: [Mutant] = endpoints + delegates + validators

  /// The fifteen historical validators by which the curriculum is measured.
  static let fifteen: Set<String> = [
    "goto-fail", "gnutls-error", "basic-constraints", "null-prefix", "first-path-only", "md5-accepted", "curveball",
    "wildcard-excluded", "afnetworking-2.5.1", "afnetworking-2.5.2", "finished-unchecked", "premaster-version",
    "cbc-padding-oracle", "eku-ignored", "soft-fail",
  ]

  private static let endpoints: [Mutant] = [
    Mutant(
      "robot", [.server],
      "sends a distinct alert if the decrypted block of a premaster secret does not begin with 00 02",
      [.switchingOff(.paddingOracle)], source: "CVE-2017-13099"),
    Mutant(
      "goto-fail", [.client],
      "does not verify the signature of ServerKeyExchange (historically below TLS 1.2, a version that the attacker "
        + "chose; here in TLS 1.2, and that of CertificateVerify in TLS 1.3)",
      [.switchingOff(.badSignature)], source: "CVE-2014-1266",
      affected: "iOS 6 before 6.1.6, iOS 7 before 7.0.6, OS X 10.9 before 10.9.2", date: "2014-02-21"),
    Mutant(
      "incomplete-close", [.client], "treats a connection that ends without close_notify as properly closed",
      [.switchingOff(.truncatedConnection)], source: "RFC 9112 section 9.8"),
    Mutant(
      "finished-unchecked", [.client, .server], "does not compare verify_data in Finished",
      [.switchingOff(.finishedMismatch)], source: "RFC 5246 section 7.4.9", affected: "unknown"),
    Mutant(
      "finished-unchecked-client", [.client],
      "does not compare verify_data in the server's Finished (a correct server still detects changed messages)",
      [.switchingOff(.finishedMismatch)], source: "RFC 5246 section 7.4.9"),
    Mutant(
      "premaster-version", [.server], "does not compare the version at the beginning of the premaster secret",
      [.tls([.premasterMalformed]) { $0.premaster = { decrypted, _ in decrypted } }],
      source: "RFC 5246 section 7.4.7.1"),
    Mutant(
      "version-oracle", [.server],
      "sends a distinct alert if the premaster secret is well formed but begins with another version",
      [.tls([.premasterMalformed]) { $0.tells = { $0 == .version } }],
      source: "RFC 7457 section 2.7 (Klima et al.)", date: "2003"),
    Mutant(
      "cbc-padding-oracle", [.server], "sends decryption_failed for wrong padding, and bad_record_mac for a wrong MAC",
      [
        .tls([.badMAC]) { decisions in
          decisions.answer = { padding, mac in padding ? (mac ? nil : .badRecordMAC) : .decryptionFailedReserved }
        }
      ], source: "RFC 5246 section 6.2.3.2 (Vaudenay)", date: "2002"),
    Mutant(
      "padding-unchecked", [.server], "checks only the length byte of CBC padding",
      [.tls([.badMAC]) { $0.paddingHolds = { _ in true } }], source: "CVE-2014-8730",
      affected: "F5 products; versions unknown", date: "2014"),
    Mutant(
      "early-ccs", [.client, .server],
      "accepts ChangeCipherSpec before the key exchange (historically with keys from an empty secret; here it is only "
        + "ignored)",
      [.tls([.unexpectedMessage]) { $0.accepts = { $1 == .changeCipherSpec ? .stays : .none } }],
      source: "CVE-2014-0224", affected: "OpenSSL before 0.9.8za, 1.0.0m and 1.0.1h", date: "2014-06-05"),
    Mutant(
      "skip-tls", [.client], "accepts Finished without a key exchange and ChangeCipherSpec, with an empty secret",
      [.tls([.unexpectedMessage]) { $0.accepts = { $1.kind == .handshake(.finished) ? .skips : .none } }],
      source: "CVE-2014-6593", affected: "Java 5.0u75, 6u85, 7u72 and 8u25"),
    Mutant(
      "freak", [.client],
      "accepts ServerKeyExchange with RSA key exchange (historically it then used the temporary key; here it ignores "
        + "the message)",
      [.tls([.unexpectedMessage]) { $0.accepts = { $1.kind == .handshake(.serverKeyExchange) ? .stays : .none } }],
      source: "CVE-2015-0204, CVE-2015-1067, CVE-2015-1637",
      affected: "OpenSSL before 0.9.8zd, 1.0.0p and 1.0.1k; iOS before 8.2; OS X to 10.10.2", date: "2015-01"),
    Mutant(
      "logjam", [.client], "accepts a Diffie-Hellman group of any size", [.switchingOff(.shortDHGroup)],
      source: "CVE-2015-4000", affected: "the protocol up to TLS 1.2", date: "2015"),
    Mutant(
      "insecure-renegotiation", [.server],
      "starts a renegotiation without comparing renegotiated_connection with the previous Finished",
      [.switchingOff(.unboundRenegotiation)], source: "CVE-2009-3555",
      affected: "OpenSSL before 0.9.8m, among others", date: "2009"),
    Mutant(
      "downgrade-ignored", [.client],
      "ignores the end of server_random that shows a downgrade", [.switchingOff(.downgrade)],
      source: "RFC 8446 section 4.1.3"),
    Mutant(
      "early-data-replayed", [.server], "accepts early data for a ticket that was used before",
      [.tls { $0.acceptsEarlyData = { _ in true } }], source: "RFC 8446 section 8.1"),
  ]

  private static let delegates: [Mutant] = [
    Mutant(
      "accept-all", [.delegate], "accepts every server trust without an evaluation",
      [
        .delegate(
          DelegatePreset(named: "accept-all"),
          skipping: RuleCatalogue.all.filter { [.chain, .name].contains($0.layer) })
      ], source: "the delegate preset accept-all"),
    Mutant(
      "afnetworking-2.5.1", [.delegate],
      "evaluates the server's trust, but ignores the result if nothing is pinned",
      RuleCatalogue.all.filter { [.chain, .name].contains($0.layer) }.map(Fault.switchingOff),
      source: "AFNetworking 2.5.1",
      affected: "AFNetworking 2.5.1, until 2.5.2", date: "2015-03-26"),
    Mutant(
      "afnetworking-2.5.2", [.delegate], "evaluates the server's trust without the host name if nothing is pinned",
      [Rule.nameMismatch, .wildcardDepth, .wildcardForm, .noAlternativeName].map(Fault.switchingOff),
      source: "CVE-2015-3996",
      affected: "AFNetworking 2.5.0 to 2.5.2, until 2.5.3",
      date: "2015-04-20"),
  ]

  private static let validators: [Mutant] = [
    Mutant(
      "gnutls-error", [.validator],
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
      "basic-constraints", [.validator],
      "ignores cA in basicConstraints, so that any certificate can issue other certificates",
      [.switchingOff(.notCA)], source: "CVE-2011-0228",
      affected: "iOS before 4.2.10 and 4.3.5; Windows 98 to XP (as CVE-2002-0862)", date: "2011-07-25"),
    Mutant(
      "null-prefix", [.validator], "compares a name as a C string, which ends at the first 00 byte",
      [.path([.nameMismatch]) { $0.comparedName = { String($0.prefix { $0 != "\0" }) } }],
      source: "CVE-2009-2408", affected: "NSS before 3.12.3 and Firefox before 3.0.13", date: "2009-08"),
    Mutant(
      "first-path-only", [.validator],
      "uses the first issuer that the server sends, or else the first in its own store, and tries no other path",
      [.path { $0.issuersToTry = { found, _ in Array((found.presented + found.anchors).prefix(1)) } }],
      source: "AddTrust External CA Root, 2020-05-30", affected: "OpenSSL 1.0.x, old LibreSSL and GnuTLS",
      date: "2020-05-30", isStricter: true),
    Mutant(
      "alternative-chain", [.validator],
      "does not check whether all issuers of an alternative path are CAs if the first path has failed",
      [.path([.notCA]) { $0.requiresCA = { $0.index < $0.untrustedAsCounted } }], source: "CVE-2015-1793",
      affected: "OpenSSL 1.0.1n, 1.0.1o, 1.0.2b and 1.0.2c, until 1.0.1p and 1.0.2d", date: "2015-07-09"),
    Mutant(
      "strict-flag", [.validator],
      "accepts an issuer that is not a CA if strict validation is on and no purpose is set",
      [.path([.notCA]) { $0.requiresCA = { !$0.isStrict || $0.purpose != nil } }], source: "CVE-2021-3450",
      affected: "OpenSSL 1.1.1h to 1.1.1j, until 1.1.1k", date: "2021-03-25"),
    Mutant(
      "md5-accepted", [.validator], "accepts signatures that use MD5",
      [.deciding(.weakSignature) { $0.holds || $0.found == .word("md5WithRSAEncryption") }],
      source: "MD5 considered harmful today, 2008-12-30", affected: "iOS before 5, among others", date: "2008-12-30"),
    Mutant(
      "wildcard-excluded", [.validator],
      "compares only the suffix of a wildcard name with an excluded subtree, although the wildcard can match a host in "
        + "that subtree",
      [.path([.nameConstraints]) { $0.mayCover = PathDecisions.isWithin }], source: "CVE-2025-61727",
      affected: "Go before 1.24.11, and 1.25.0 to 1.25.4", date: "2025-12-02"),
    Mutant(
      "curveball", [.validator],
      "compares a CA with its trusted roots by name and public key bytes, but not by curve parameters",
      [.switchingOff(.namedCurve), .path([.noAnchor]) { $0.isAnchor = hasSameKeyBytes }], source: "CVE-2020-0601",
      affected: "Windows 10, Windows Server 2016 and 2019", date: "2020-01-14"),
    Mutant(
      "eku-ignored", [.validator], "ignores extendedKeyUsage", [.switchingOff(.extendedKeyUsage)],
      source: "RFC 5280 section 4.2.1.12"),
    Mutant(
      "soft-fail", [.validator],
      "treats an unknown revocation status as good, although it is configured to refuse the certificate",
      [.switchingOff(.revocationUnknown)], source: "RFC 5280 section 6.1.3 (a)(3)"),
  ]

  /// Returns whether a certificate with explicit curve parameters has the public key bytes of `anchor`.
  private static func hasSameKeyBytes(_ certificate: Certificate, _ anchor: Certificate) -> Bool {
    guard case .unsupported(let key) = certificate.publicKey, certificate.publicKey.spellsOutCurve else { return false }
    return anchor.subjectPublicKeyInfo.suffix(key.subjectPublicKey.count) == key.subjectPublicKey[...]
  }
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
