import Explanation
import PKIX

extension ApplePolicy {
  /// What the certificates say they are for; Apple's own rules are about servers only.
  func purposes(_ leaf: Certificate, _ subject: Finding.Subject) -> [Finding] {
    guard isServer else { return judged.statedPurpose }
    return [general(leaf, subject), strict(leaf, subject)] + intermediates
  }

  /// No extension, or one that allows servers: on every release.
  private func general(_ leaf: Certificate, _ subject: Finding.Subject) -> Finding {
    let purposes = leaf.extendedKeyUsage?.purposes
    let holds = purposes.map { !ApplePolicy.general.isDisjoint(with: $0) } ?? true
    return check(.extendedKeyUsage, subject, holds, required: .word("serverAuth"), found: JudgedPath.words(purposes))
  }

  /// serverAuth itself, by anchor and day of issue.
  private func strict(_ leaf: Certificate, _ subject: Finding.Subject) -> Finding {
    guard isStrict, isDemanded(leaf) else { return note(.extendedKeyUsage, subject, .notApplicable) }
    let purposes = leaf.extendedKeyUsage?.purposes
    return check(
      .extendedKeyUsage, subject, purposes?.contains(ExtendedKeyUsage.serverAuth) ?? false,
      required: .word("serverAuth"), found: JudgedPath.words(purposes), confidence: confidence)
  }

  /// Apple's page says all anchors; its code leaves those of users and administrators out.
  private func isDemanded(_ leaf: Certificate) -> Bool {
    let isRecent = leaf.notBefore > ApplePolicy.july2019
    switch anchorKind {
    case .system: return true
    case .app: return isRecent
    case .user: return policy.os?.family == .documentation && isRecent
    case nil: return false
    }
  }

  private var confidence: Finding.Confidence {
    anchorKind == .user ? .conflicting("HT210176 says all roots; Security's code skips those of users") : .certain
  }

  /// Under the system's and an app's anchors, an authority that has the extension may issue for servers only if it says
  /// so.
  private var intermediates: [Finding] {
    guard isStrict, anchorKind == .system || anchorKind == .app, path.certificates.count > 2 else { return [] }
    return (1..<path.certificates.count - 1).map { index in
      let purposes = path.certificates[index].extendedKeyUsage?.purposes
      let allowed: Set<OID> = [ExtendedKeyUsage.serverAuth, ExtendedKeyUsage.any]
      return check(
        .extendedKeyUsage, subjects[index], purposes.map { !allowed.isDisjoint(with: $0) } ?? true,
        required: .word("serverAuth"), found: JudgedPath.words(purposes))
    }
  }

  /// serverAuth, any purpose, and the server-gated cryptography of Microsoft and Netscape.
  private static let general: Set<OID> = [
    ExtendedKeyUsage.serverAuth, ExtendedKeyUsage.any, OID(1, 3, 6, 1, 4, 1, 311, 10, 3, 3),
    OID(2, 16, 840, 1, 113730, 4, 1),
  ]
}
