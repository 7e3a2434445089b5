import Explanation
import Trust

extension AppError {
  /// What SecTrustEvaluateWithError says of a refusal: the status of each rule that decided, each once.
  ///
  /// The codes are those of Security's SecPolicyChecks.list and SecBase.h. Which of several the system reports first is
  /// not documented; they stand in the order of the rules. A rule without a code of its own shows as errSecNotTrusted.
  public static func evaluation(_ because: [Rule]) -> [AppError] {
    var seen: Set<Int> = []
    return because.map { trustStatus[$0.id] ?? -67843 }.filter { seen.insert($0).inserted }.map {
      AppError(.status, $0)
    }
  }

  private static let trustStatus: [String: Int] = [
    "name.mismatch": -67602, "name.no-san": -67602, "name.wildcard-depth": -67602, "name.wildcard-form": -67602,
    "chain.expired": -67818, "chain.not-yet-valid": -67818, "chain.key-size": -67735, "chain.weak-signature": -67815,
    "chain.lifetime": -67901, "chain.extended-key-usage": -67609, "chain.no-issuer": -25318,
    "pin.mismatch": -9886,
    "chain.certificate-transparency": -67825, "ats.certificate-transparency": -67825,
  ]
}
