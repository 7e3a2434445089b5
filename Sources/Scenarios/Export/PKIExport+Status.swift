import Cryptography
import Explanation
import Laboratory
import PKIX
import Simulator
import Trust

/// Exports the CRLs, OCSP responses and SCTs of a scenario.
extension PKIExport {
  /// Adds NAME.crl of each CA and NAME.ocsp.der of each certificate, if the scenario uses revocation.
  ///
  /// If certificates are delivered with SCTs, adds NAME.sct and ct-logs.json too.
  mutating func addStatus(_ stems: [String: String], _ hierarchy: Hierarchy) {
    let entries = scenario.authorities + scenario.certificates
    let isAsked = scenario.connections.contains { $0.client.revocation != .none }
    if isAsked || entries.contains(where: { $0.revoked != nil }) {
      for issuer in hierarchy.issuers(in: scenario) { addStatus(of: issuer, stems) }
    }
    addSCTs(stems, hierarchy)
  }

  private mutating func addStatus(of issuer: StatusIssuer, _ stems: [String: String]) {
    if let list = issuer.list(at: date), let stem = stems[issuer.name] {
      let signer = issuer.description?.signer.map { ", signed by \($0)" } ?? ""
      add("\(stem).crl", Array(list.pem.utf8), "CRL of \(issuer.name)\(signer)")
    }
    if issuer.description?.delta != nil, let delta = issuer.delta(at: date), let stem = stems[issuer.name] {
      add("\(stem).delta.crl", Array(delta.pem.utf8), "delta CRL of \(issuer.name)")
    }
    for one in issuer.issued {
      guard let answer = issuer.answer(about: one, at: date), let stem = stems[one.name] else { continue }
      add("\(stem).ocsp.der", answer.der, "OCSP response about \(one.name), signed by \(issuer.name)")
    }
  }

  /// Adds all logs, and the SCTs that are delivered with certificates, in the format of the TLS extension. Embedded
  /// SCTs are already in the certificate.
  private mutating func addSCTs(_ stems: [String: String], _ hierarchy: Hierarchy) {
    let casting = LogBuilder(scenario: scenario, shift: date.secondsSince1970 - scenario.clock.secondsSince1970)
    for description in scenario.authorities + scenario.certificates {
      guard let certificate = hierarchy[description.name]?.certificates.first?.certificate,
        let stem = stems[description.name], let timestamps = description.timestamps,
        let list = casting.timestamps(timestamps.tlsExtension + timestamps.ocsp, over: certificate)
      else { continue }
      add("\(stem).sct", list.bytes, "SCTs of \(description.name), in the form of the TLS extension")
    }
    let logs = casting.all
    if !logs.isEmpty { add("ct-logs.json", Array(PKIExport.list(logs).utf8), "the logs that issued the SCTs") }
  }

  /// Returns the logs in the format of Google's log lists, schema 3.
  private static func list(_ logs: [LogOperator]) -> String {
    let operators = logs.map { one in
      let key = one.log.key.map { Base64.encode($0.subjectPublicKeyInfo) } ?? ""
      let interval = one.log.interval.map {
        ", \"temporal_interval\": { \"start_inclusive\": \"\($0.start)\", \"end_exclusive\": \"\($0.end)\" }"
      }
      return """
            { "name": \(quoted(one.log.operator)), "email": [], "logs": [ {
              "description": \(quoted(one.log.name)), "log_id": "\(Base64.encode(one.log.id))",
              "key": "\(key)",
              "url": "https://log.example/", "mmd": 86400,
              "state": \(state(of: one.log))\(interval ?? "") } ] }
        """
    }
    return "{ \"version\": \"1\", \"operators\": [\n\(operators.joined(separator: ",\n"))\n] }\n"
  }

  private static func state(of log: TransparencyLog) -> String {
    let since: Instant? =
      switch log.state {
      case .readonly(let date), .retired(let date): date
      default: nil
      }
    return
      "{ \"\(log.state?.word ?? "rejected")\": { \"timestamp\": \"\(since?.description ?? "2013-01-01T00:00:00Z")\" } }"
  }

  /// Returns a JSON string (RFC 8259 section 7). Names are on one line, so there are no control characters to escape.
  private static func quoted(_ text: String) -> String {
    "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }
}
