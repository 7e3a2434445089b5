import Explanation

/// What is popularly blamed for a failure in the place of its cause: the questions that are asked again and again in
/// the issue trackers of networking libraries.
enum Misconception {
  /// Rules that are blamed where `rule` decides.
  static func blamed(for rule: Rule) -> [Rule] { (blamed[rule.id] ?? []).compactMap(RuleCatalogue.rule) }

  /// Rules that are blamed for everything.
  static let usual = ["chain.no-anchor", "name.mismatch", "chain.expired", "handshake.no-common-suite"]
    .compactMap(RuleCatalogue.rule)

  private static let blamed: [String: [String]] = [
    // Everything that an app sees as -1200 is taken for a bad certificate.
    "ats.no-forward-secrecy": ["chain.no-anchor", "handshake.no-common-suite"],
    "ats.tls-version": ["handshake.no-common-version", "chain.no-anchor"],
    "ats.cipher-suite": ["handshake.no-common-suite"],
    "ats.leaf-hash": ["chain.signature-invalid"],
    "ats.insecure-http": ["chain.no-certificate"],
    // A private authority is "self-signed", a self-signed certificate is "expired or wrong".
    "chain.no-anchor": ["chain.self-signed", "chain.no-issuer"],
    "chain.self-signed": ["chain.no-anchor", "chain.signature-invalid"],
    "chain.no-issuer": ["chain.no-anchor"],
    "chain.not-a-ca": ["chain.signature-invalid", "chain.path-length"],
    "chain.path-length": ["chain.not-a-ca"],
    "chain.revoked": ["chain.expired"],
    "chain.expired": ["chain.revoked", "chain.not-yet-valid"],
    "name.mismatch": ["chain.no-anchor", "chain.signature-invalid"],
    "pin.mismatch": ["chain.no-anchor", "name.mismatch"],
    "record.bad-mac": ["handshake.finished-mismatch"],
    "handshake.finished-mismatch": ["record.bad-mac", "handshake.bad-signature"],
    "handshake.no-common-suite": ["handshake.no-common-version", "chain.no-anchor"],
    "handshake.no-common-version": ["handshake.no-common-suite"],
  ]
}
