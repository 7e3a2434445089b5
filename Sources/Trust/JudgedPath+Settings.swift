import Explanation
import PKIX

extension JudgedPath {
  /// What the user or the platform said about single certificates.
  var trustSettings: [Finding] {
    zip(path.certificates, subjects).flatMap { certificate, subject in
      let isWaiting =
        policy.store.installedNotTrusted.contains(certificate) && policy.store.kind(of: certificate) == nil
      return [
        distrust(of: certificate, subject),
        isWaiting ? check(.notTrustedYet, subject, false) : note(.notTrustedYet, subject, .notApplicable),
      ] + decisions(about: certificate, subject)
    }
  }

  /// What the system was told not to trust. Its lists are those of today, whatever the date of validation.
  private func distrust(of certificate: Certificate, _ subject: Finding.Subject) -> Finding {
    let lists = policy.store.distrusts.filter { $0.certificate == certificate }
    let inForce = lists.filter { $0.isInForce(on: policy.today ?? policy.date, os: policy.os) }
    guard let list = inForce.first(where: { $0.covers(path) }) else {
      return check(.distrusted, subject, !policy.store.distrusted.contains(certificate))
    }
    return check(.distrusted, subject, false, required: list.required, found: list.found(on: path))
  }

  /// What the user decided, where anything is: SecTrustSettings.h. Nobody is asked since OS X 10.5 (SecTrust.h).
  private func decisions(about certificate: Certificate, _ subject: Finding.Subject) -> [Finding] {
    let store = policy.store
    var findings: [Finding] = []
    if !store.denied.isEmpty { findings.append(check(.denied, subject, !store.denied.contains(certificate))) }
    if store.asked.contains(certificate) {
      let isAsked = policy.os.map { $0.family == .macOS && $0 < OSVersion(.macOS, 10, 5) } ?? false
      findings.append(isAsked ? check(.asksUser, subject, false) : note(.asksUser, subject, .notApplicable))
    }
    return findings
  }

  /// At which date paths are validated, where an app chose one: SecTrustSetVerifyDate.
  var verifyDate: [Finding] {
    guard let today = policy.today, let subject = subjects.first else { return [] }
    return [
      check(.verifyDate, subject, policy.date == today, required: .date(today), found: .date(policy.date))
    ]
  }
}
