import Explanation
import PKIX
import Trust
import URLLoading

/// The words for what a client decides.
enum Narration {
  /// App Transport Security on a load.
  static func decision(_ decision: AppTransportSecurity.Decision) -> Decision {
    let url = decision.load.url.description
    let key = decision.decidedBy == "default" ? "by default" : "by \(decision.decidedBy)"
    let title: String
    let narration: String
    switch (decision.verdict, decision.standing) {
    case (.blocked, _):
      title = "App Transport Security blocks the load"
      narration = "The app may not load \(url) (\(key)): no byte is sent."
    case (_, .notApplicable):
      title = "App Transport Security does not apply"
      narration = "\(decision.load.os) with \(decision.load.loader.rawValue) loads \(url) without it."
    case (_, .lifted):
      title = "App Transport Security lets the load pass"
      narration = "The app's Info.plist lifts it for \(url) (\(key))."
    default:
      title = "App Transport Security is in force"
      narration = "The load of \(url) must meet its demands (\(key)): they narrow what the client offers."
    }
    return Decision(title: title, narration: narration, findings: decision.findings)
  }

  /// A system that does not have what the app would load with.
  static func missing(_ loader: Loader, _ os: OSVersion) -> Decision {
    Decision(
      title: "There is no \(loader.rawValue)",
      narration: "\(os) does not have \(loader.rawValue): nothing is loaded, and there is nothing to judge.",
      findings: [])
  }

  /// A server's answer to "do I trust this client?".
  static func clientTrust(_ findings: [Finding], name: String) -> Decision {
    let violated = findings.deciding.map(\.id)
    let subject = violated.isEmpty ? "trusts" : "does not trust"
    let reason =
      violated.isEmpty
      ? "Every signature leads from \(name) to an authority that the server trusts for clients. Whether the client "
        + "holds the key, its CertificateVerify must show."
      : "Violated: \(violated.joined(separator: ", "))."
    return Decision(
      title: "the server \(subject) the client's certificate", narration: reason, findings: findings)
  }
}
