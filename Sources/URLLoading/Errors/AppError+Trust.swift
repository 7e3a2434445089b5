import Explanation
import Trust

extension AppError {
  /// What SecTrustEvaluateWithError says of a refusal: the status of each rule that decided, each once.
  ///
  /// The codes are those of Security's SecPolicyChecks.list and SecBase.h. Which of several the system reports first is
  /// not documented; they stand in the order of the rules. A rule without a code of its own shows as errSecNotTrusted.
  public static func evaluation(_ because: [Rule]) -> [AppError] {
    var seen: Set<Int> = []
    return because.map { checks[$0.id]?.code ?? -67843 }.filter { seen.insert($0).inserted }.map {
      AppError(.status, $0)
    }
  }

  /// How sure it is that a rule shows with the code of `evaluation`: certain where the list has the same check.
  public static func evaluationConfidence(_ rule: Rule) -> Finding.Confidence {
    guard let check = checks[rule.id] else { return .likely("no check of its own in SecPolicyChecks.list") }
    return check.doubt.map { .likely($0) } ?? .certain
  }

  /// A check of SecPolicyChecks.list: its status, and what makes it unsure that it is the same as the rule's.
  private struct Check {
    let code: Int
    var doubt: String?

    init(_ code: Int, doubt: String? = nil) {
      self.code = code
      self.doubt = doubt
    }
  }

  private static let checks: [String: Check] = [
    "name.mismatch": Check(-67602), "name.no-san": Check(-67602), "name.wildcard-depth": Check(-67602),
    "name.wildcard-form": Check(-67602),
    "chain.expired": Check(-67818), "chain.not-yet-valid": Check(-67818), "chain.key-size": Check(-67735),
    "chain.weak-signature": Check(-67815), "chain.lifetime": Check(-67901), "chain.extended-key-usage": Check(-67609),
    "chain.key-usage": Check(-67608), "chain.path-length": Check(-67611), "chain.name-constraints": Check(-67689),
    "chain.certificate-policy": Check(-67835), "chain.unhandled-critical-extension": Check(-67603),
    "chain.not-a-ca": Check(-67605, doubt: "-67604 where basicConstraints is missing"),
    "chain.malformed": Check(-67618, doubt: "-67903 where an extension appears twice"),
    "chain.revoked": Check(-67820), "chain.revocation-unknown": Check(-67635), "chain.denied": Check(-67654),
    "chain.distrusted": Check(-67820, doubt: "-67843 for keys of its grey list"),
    "chain.no-issuer": Check(-25318), "chain.no-anchor": Check(-67843), "chain.self-signed": Check(-67843),
    "chain.not-trusted-yet": Check(-67843), "pin.mismatch": Check(-9886),
    "chain.certificate-transparency": Check(-67825), "ats.certificate-transparency": Check(-67825),
  ]
}
