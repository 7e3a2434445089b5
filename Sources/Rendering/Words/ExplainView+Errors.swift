import Explanation
import Scenarios
import TLS
import Trust
import URLLoading

/// Explains errors and results of trust evaluation: their meaning, the situations that cause them, and fixes.
extension ExplainView {
  /// Explains errors by code (`-9802`), by name (`errSSLFatalAlert`), or in scenario notation (`NSURLErrorDomain
  /// -1200`).
  static func errors(_ word: String, _ scenarios: [String]) -> [WordExplanation] {
    if let error = AppError(word) { return [explanation(of: error, scenarios)] }
    guard let code = Int(word) else {
      return word.isEmpty ? [] : AppError.all.filter { $0.name == word }.map { explanation(of: $0, scenarios) }
    }
    let own = AppError.named(code: code)
    if !own.isEmpty { return own.map { explanation(of: $0, scenarios) } }
    let negative = code > 0 ? -code : code
    if AppError.isUndefined(negative) { return [undefined(negative)] }
    return AppError.named(code: negative).map { explanation(of: $0, scenarios) }
  }

  private static func undefined(_ code: Int) -> WordExplanation {
    WordExplanation(
      "error", "\(AppError.Domain.tls.rawValue) \(code)",
      [("meaning", ["not defined: SecBase.h has no name for it (or for -9866 to -9879 and -9887 to -9889)"])])
  }

  /// Explains a result of SecTrustEvaluate, given by its value (`5`) or its name.
  static func trustResult(_ word: String, _ scenarios: [String]) -> [WordExplanation] {
    SecTrustResultType.allCases.filter { "\($0.rawValue)" == word || $0.description == word }.map { result in
      WordExplanation(
        "trust result", result.description,
        [
          ("value", ["\(result.rawValue)"]), ("meaning", [result.meaning]),
          ("means trust", [result.isTrusted ? "yes" : "no"]),
          ("rules", result == .invalid ? ["challenge.not-evaluated"] : rules(failingAs: result)),
          ("what to do", [result.advice]), ("source", ["Security: SecTrust.h"]),
          ("scenarios", scenarios),
        ])
    }
  }

  private static func rules(failingAs result: SecTrustResultType) -> [String] {
    RuleCatalogue.all.filter { [.chain, .name, .pin].contains($0.layer) && $0.decides }
      .filter { TrustEvaluation.refusals(by: $0).contains(result) }.map(\.id)
  }

  private static func explanation(of error: AppError, _ scenarios: [String]) -> WordExplanation {
    let os = OSVersion(.iOS, 18)
    let rules = RuleCatalogue.all.filter { rule in
      rule.decides
        && ([true, false].contains { surfacing(rule, atsInForce: $0, os).contains(error) }
          || error.domain == .status && [.chain, .name, .pin].contains(rule.layer)
            && rule.profiles.contains(.apple) && AppError.evaluation([rule]) == [error])
    }
    let situations = error.situations
    let isStatus = error.domain == .status
    let likely = isStatus ? rules.filter { AppError.evaluationConfidence($0) != .certain } : []
    return WordExplanation(
      "error", error.description,
      [
        ("name", [error.name]), ("meaning", [error.meaning]), ("text", [error.localizedText]),
        ("seen when", isStatus ? (rules.isEmpty ? [] : [Self.evaluated]) : situations.map(sentence)),
        ("seen with", situations.isEmpty ? [] : companions(of: error, in: situations)),
        ("surfaces for", grouped(rules.filter { !likely.contains($0) })),
        ("likely for", likely.map(doubted)),
        ("what to do", situations.map(\.advice).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }),
        (
          "known",
          situations.isEmpty && !isStatus
            ? ["only the name and the number: no report shows when an app gets this error"] : []
        ),
        ("SecTrustEvaluate answers", isStatus ? answers(to: rules) : []), ("note", [error.note]),
        ("scenarios", scenarios),
      ])
  }

  /// Returns the results of SecTrustEvaluate for these rules. If one code has several results, the unrecoverable rules
  /// are listed.
  private static func answers(to rules: [Rule]) -> [String] {
    let groups = SecTrustResultType.allCases.map { result in
      (result, rules.filter { TrustEvaluation.refusals(by: $0).contains(result) }.map(\.id))
    }.filter { !$0.1.isEmpty }
    return groups.map { result, ids in
      let isRest = groups.count > 1 && result == .recoverableTrustFailure
      return "\(result) (\(result.rawValue)): \(isRest ? "all others" : ids.joined(separator: ", "))"
    }
  }

  /// Returns a rule with the uncertainty about its error code, unless the general remark covers it.
  private static func doubted(_ rule: Rule) -> String {
    let isOther = AppError.evaluation([rule]) == [AppError(.status, -67843)]
    guard !isOther, case .likely(let doubt) = AppError.evaluationConfidence(rule) else { return rule.id }
    return "\(rule.id) (\(doubt))"
  }

  private static let evaluated =
    "SecTrustEvaluateWithError refuses a chain, with or without App Transport Security. Each failed check of "
    + "SecPolicyChecks.list has its own code (certain)"

  private static func sentence(_ situation: AppError.Situation) -> String {
    let confidence = situation.confidence.note ?? "certain"
    return "\(situation.description) (\(situation.systems); \(confidence))"
  }

  /// Returns the errors of the other domains that accompany this error.
  private static func companions(of error: AppError, in situations: [AppError.Situation]) -> [String] {
    situations.flatMap(\.errors).filter { $0.domain != error.domain }
      .reduce(into: []) { if !$0.contains($1.description) { $0.append($1.description) } }
  }

  /// Returns the ids of rules. If they include all deciding rules of a layer, only the layer is named: `chain.*`.
  private static func grouped(_ rules: [Rule]) -> [String] {
    Layer.allCases.flatMap { layer -> [String] in
      let own = rules.filter { $0.layer == layer }.map(\.id)
      let all = RuleCatalogue.all.count { $0.layer == layer && $0.decides }
      return own.count == all && all > 2 ? ["\(layer.rawValue).*"] : own
    }
  }

  /// Returns the errors that an app receives for a violated rule, with and without App Transport Security.
  static func errors(of rule: Rule) -> [(key: String, values: [String])] {
    let with = surfaced(rule, atsInForce: true)
    let without = surfaced(rule, atsInForce: false)
    return with == without ? [("errors", with)] : [("errors under ATS", with), ("errors without ATS", without)]
  }

  private static func surfaced(_ rule: Rule, atsInForce: Bool) -> [String] {
    guard rule.decides else { return [] }
    let os = OSVersion(.iOS, 18)
    let known = surfacing(rule, atsInForce: atsInForce, os).map { "\($0.description) \($0.name)" }
    return known.isEmpty ? [AppError.openQuestion(about: [rule])?.note].compactMap(\.self) : known
  }

  /// Returns the errors that an app can receive, regardless of which side fails. A failed negotiation can also appear
  /// as the server's alert.
  private static func surfacing(_ rule: Rule, atsInForce: Bool, _ os: OSVersion) -> [AppError] {
    let own = AppError.surfacing([rule], atsInForce: atsInForce, os: os).errors
    if rule == .inappropriateFallback {
      // Only the server notices the fallback, and its alert states the reason.
      let alert = AppError.FatalAlert(.inappropriateFallback, isFromServer: true)
      return AppError.surfacing([rule], atsInForce: atsInForce, os: os, alert: alert).errors
    }
    let negotiation: [Rule] = [.atsNoForwardSecrecy, .atsCipherSuite, .atsTLSVersion, .noCommonSuite, .noCommonVersion]
    guard negotiation.contains(rule) else { return own }
    let isVersion = rule == .atsTLSVersion || rule == .noCommonVersion
    let alert = AppError.FatalAlert(isVersion ? .protocolVersion : .handshakeFailure, isFromServer: true)
    let received = AppError.surfacing([rule], atsInForce: atsInForce, os: os, alert: alert).errors
    return own + received.filter { !own.contains($0) }
  }
}
