import Explanation
import TLS

extension AlertDescription {
  /// The alert of RFC 5246 section 7.2.2 that says most about these violated rules of a certificate chain.
  init(refusing rules: [Rule]) {
    let ids = Set(rules.map(\.id))
    if ids.contains("chain.expired") || ids.contains("chain.not-yet-valid") {
      self = .certificateExpired
    } else if ids.contains("chain.revoked") {
      self = .certificateRevoked
    } else if !ids.isDisjoint(with: ["chain.no-anchor", "chain.no-issuer", "chain.self-signed"]) {
      self = .unknownCA
    } else {
      self = .badCertificate
    }
  }
}
