import Endpoint
import Explanation
import PKIX
import TLS
import Trust

extension CertificateEvent {
  /// Returns the words for a decision about a certificate. `client` and `server` are the endpoints that decide.
  func words(client: Actor, server: Actor) -> EventWords {
    switch self {
    case .revocationSources(let sources, let os):
      EventWords("\(os) looks up the revocation status", sources.narration)
    case .evaluated(let speaker, let result, let violated, let host):
      Self.evaluated(by: speaker == .client ? client : nil, result, violated, host)
    case .unreadable(let unreadable, let side):
      EventWords("the \(side.peer)'s certificate cannot be read", unreadable.narration)
    case .loosening(let result, let host, let decider): Self.loosening(result, host, decider)
    case .clientEvaluated(let name, let violated): Self.clientEvaluated(name, violated, server)
    case .identityMisfit(let misfit):
      EventWords(
        "the identity does not fit the CertificateRequest",
        "The request has \(misfit.required). The app chose \(misfit.found). The client therefore sends an empty "
          + "Certificate message (RFC 5246 section 7.4.4).")
    case .identityRefused(let refusal): refusal.words(server: server)
    }
  }

  private static func evaluated(
    by client: Actor?, _ result: SecTrustResultType, _ violated: [Rule], _ host: String
  ) -> EventWords {
    let reason =
      violated.isEmpty
      ? "The signatures lead to an anchor in the trust store, and the certificate is valid for \(host)."
      : "Violated: \(violated.map(\.id).joined(separator: ", "))."
    let predicate = "\(violated.isEmpty ? "trusts" : "does not trust") the server's certificate"
    let narration = "SecTrustEvaluate returns \(result). \(reason)"
    return client.map { EventWords($0, predicate, narration) } ?? EventWords("the system \(predicate)", narration)
  }

  private static func loosening(_ result: Loosening, _ host: String, _ decidedBy: String) -> EventWords {
    let decider = decidedBy == "default" ? "by default" : "by \(decidedBy)"
    return switch result {
    case .denied:
      EventWords(
        "App Transport Security does not let the app loosen trust",
        "App Transport Security is in force for \(host) (\(decider)), so the app can only be stricter than the system. "
          + "The credential for a chain that the system refused has no effect.")
    case .allowed:
      EventWords(
        "App Transport Security lets the app loosen trust",
        "The app's Info.plist lifts App Transport Security for \(host) (\(decider)), so the credential takes effect.")
    case .notApplicable:
      EventWords(
        "App Transport Security does not apply here",
        "App Transport Security does not apply to this load, so the credential takes effect.")
    }
  }

  private static func clientEvaluated(_ name: String, _ violated: [Rule], _ server: Actor) -> EventWords {
    EventWords(
      server, "\(violated.isEmpty ? "trusts" : "does not trust") the client's certificate",
      violated.isEmpty
        ? "The signatures lead from \(name) to a CA that the server trusts for client certificates. CertificateVerify must prove "
          + "that the client has the key."
        : "Violated: \(violated.map(\.id).joined(separator: ", ")).")
  }
}

extension UnreadableCertificate {
  fileprivate var narration: String {
    "The certificate is readable only up to byte \(error.place), in \(error.field): \(error.message). "
      + "\(Rule.unreadableCertificate.violation)"
  }
}

extension CertificateEvent.IdentityRefusal {
  fileprivate func words(server: Actor) -> EventWords {
    let asked = "The server sent a CertificateRequest, received the certificate \(name), and gave up with \(alert)"
    guard isAboutCertificate else {
      return EventWords(
        server, "gives up after it received a certificate",
        "\(asked). The certificate may be the cause; only the server's log has the reason.")
    }
    let dates = validity.map { date, end in
      " On the client's date, \(date), \(name) is valid (until \(end)). A certificate sent with it may be invalid, or "
        + "the clocks may differ."
    }
    return EventWords(
      server, "refuses the certificate that it received",
      "\(asked) (RFC 5246 section 7.2.2). \(alert.statement)\(dates ?? "")")
  }
}
