import Explanation
import PKIX

/// What several profiles ask of a path.
extension JudgedPath {
  /// What the user or the platform said about single certificates.
  var trustSettings: [Finding] {
    zip(path.certificates, subjects).flatMap { certificate, subject in
      let isWaiting =
        policy.store.installedNotTrusted.contains(certificate) && policy.store.kind(of: certificate) == nil
      return [
        check(.distrusted, subject, !policy.store.distrusted.contains(certificate)),
        isWaiting ? check(.notTrustedYet, subject, false) : note(.notTrustedYet, subject, .notApplicable),
      ]
    }
  }

  /// The anchor's own dates, which RFC 5280 leaves alone: its path does not hold the anchor.
  var anchorDates: [Finding] {
    guard path.certificates.count > 1, let anchor = path.anchor, let subject = subjects.last else { return [] }
    let date = policy.date
    return [
      check(.expired, subject, date <= anchor.notAfter, required: .date(anchor.notAfter), found: .date(date)),
      check(.notYetValid, subject, date >= anchor.notBefore, required: .date(anchor.notBefore), found: .date(date)),
    ]
  }

  /// Where the leaf says what it is for, the purpose is among it.
  var statedPurpose: [Finding] {
    onLeaf { leaf, subject in
      guard let wanted = purpose.keyPurpose else { return [note(.extendedKeyUsage, subject, .notApplicable)] }
      let purposes = leaf.extendedKeyUsage?.purposes
      return [
        check(
          .extendedKeyUsage, subject, purposes.map { $0.contains(wanted) || $0.contains(ExtendedKeyUsage.any) } ?? true,
          required: .word(wanted.name), found: JudgedPath.words(purposes))
      ]
    }
  }

  /// Purposes by their names; absent when the extension is.
  static func words(_ purposes: [OID]?) -> Detail { purposes.map { .words($0.map(\.name)) } ?? .absent }
}
