import Cryptography
import Explanation
import PKIX
import Trust

/// What authorities and logs say of certificates, where the scenario says anything of it.
extension PKIExport {
  /// NAME.crl of each authority and NAME.ocsp.der of each certificate, where something is revoked or a client asks; and
  /// NAME.sct with ct-logs.json, where certificates come with timestamps.
  mutating func addStatus(_ stems: [String: String], _ hierarchy: Hierarchy) {
    let entries = scenario.authorities + scenario.certificates
    let isAsked = scenario.connections.contains { $0.client.revocation != .none }
    if isAsked || entries.contains(where: { $0.revoked != nil }) {
      for issuer in hierarchy.issuers(in: scenario) { addStatus(of: issuer, stems) }
    }
    addTimestamps(stems, hierarchy)
  }

  private mutating func addStatus(of issuer: StatusIssuer, _ stems: [String: String]) {
    if let list = issuer.list(at: date), let stem = stems[issuer.name] {
      add("\(stem).crl", Array(list.pem.utf8), "revocation list of \(issuer.name)")
    }
    for one in issuer.issued {
      guard let answer = issuer.answer(about: one, at: date), let stem = stems[one.name] else { continue }
      add("\(stem).ocsp.der", answer.der, "OCSP response about \(one.name), signed by \(issuer.name)")
    }
  }

  /// Timestamps over the certificate itself, as the TLS extension and OCSP responses have them.
  private mutating func addTimestamps(_ stems: [String: String], _ hierarchy: Hierarchy) {
    let counted = hierarchy.timestamps(in: scenario)
    var logs: [LogOperator] = []
    for entry in hierarchy.entries {
      guard let certificate = entry.certificates.first?.certificate, let stem = stems[entry.name],
        let count = counted[certificate].map({ $0.embedded + $0.tlsExtension + $0.ocsp }), count > 0
      else { continue }
      while logs.count < count { logs.append(PKIExport.log(logs.count + 1)) }
      var random = DeterministicRandom(seed: scenario.seed, label: "timestamps/\(entry.name)")
      let moment = UInt64(max(0, certificate.notBefore.secondsSince1970)) &* 1000
      let timestamps = logs.prefix(count).compactMap {
        try? $0.timestamp(.x509(certificate.der), at: moment, random: &random)
      }
      add(
        "\(stem).sct", SignedCertificateTimestampList(timestamps).bytes, "timestamps of \(entry.name), as TLS has them")
    }
    if !logs.isEmpty { add("ct-logs.json", Array(PKIExport.list(logs).utf8), "the logs that made the timestamps") }
  }

  private static func log(_ number: Int) -> LogOperator {
    let name = "Log \(number)"
    return LogOperator(
      name, operator: "Operator \(number)", key: .ec(KeyStore().ecKey(owner: name, curve: .p256)))
  }

  /// The logs in the form of Google's lists, schema 3. No name here needs escaping.
  private static func list(_ logs: [LogOperator]) -> String {
    let operators = logs.map { one in
      let key = one.log.key.map { Base64.encode($0.subjectPublicKeyInfo) } ?? ""
      return """
            { "name": "\(one.log.operator)", "email": [], "logs": [ {
              "description": "\(one.log.name)", "log_id": "\(Base64.encode(one.log.id))",
              "key": "\(key)",
              "url": "https://log.example/", "mmd": 86400,
              "state": { "usable": { "timestamp": "2013-01-01T00:00:00Z" } } } ] }
        """
    }
    return "{ \"version\": \"1\", \"operators\": [\n\(operators.joined(separator: ",\n"))\n] }\n"
  }
}
