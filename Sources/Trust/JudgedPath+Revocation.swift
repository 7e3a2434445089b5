import Explanation
import PKIX

extension JudgedPath {
  /// What the lists at hand say about each certificate below the anchor: RFC 5280 section 6.3.
  var listedRevocation: [Finding] {
    let revocation = policy.revocation
    let checking = RevocationChecking(
      revocation.lists, candidates: revocation.listIssuers + path.certificates, at: policy.date,
      requiresConformance: requiresConformance, enforcement: policy.enforcement)
    let count = path.certificates.count - (path.isAnchored ? 1 : 0)
    return (0..<count).flatMap { index in
      let mode = index == 0 ? revocation.mode : revocation.modeForAuthorities ?? revocation.mode
      return mode == .none ? [] : findings(checking.status(at: index, of: path), subjects[index], mode)
    }
  }

  private func findings(
    _ status: RevocationStatus, _ subject: Finding.Subject, _ mode: RevocationPolicy.Mode
  ) -> [Finding] {
    switch status {
    case .good: return [check(.revoked, subject, true)]
    case .revoked(let date, let reason):
      let why = reason.map { "\($0.name), " } ?? ""
      return [check(.revoked, subject, false, required: .word("on no list"), found: .word("\(why)since \(date)"))]
    case .undetermined(let obstacle):
      let unknown = note(.revoked, subject, .unknown)
      guard mode == .hardFail else { return [unknown] }
      return [
        unknown,
        check(
          .revocationUnknown, subject, false, required: .word("a current list"), found: .word(obstacle.description)),
      ]
    }
  }
}
