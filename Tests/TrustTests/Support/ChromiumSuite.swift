import Explanation

/// Chains with the errors that another validator reports for each certificate, from BoringSSL's pki/testdata.
struct ChromiumSuite: Decodable {
  struct Settings: Decodable {
    let last_cert_trust: String
    let utc_time: String
    let key_purpose: String
    let digest_policy: String?
    let expected_user_constrained_policy_set: String?
    let initial_policy_set: String?
    let initial_explicit_policy: Bool?
    let initial_policy_mapping_inhibit: Bool?
    let initial_any_policy_inhibit: Bool?
  }
  struct Case: Decodable {
    let id: String
    let chain: String
    let settings: Settings
    let expected_result: String
    let expected_errors: [String]

    /// The errors, with the index of their certificate.
    var errors: [(index: Int, text: String)] {
      var index = 0
      return expected_errors.compactMap { line in
        if let place = line.firstMatch(of: /Certificate i=(\d+)/) { index = Int(place.1) ?? 0 }
        return line.hasPrefix("ERROR: ") ? (index, String(line.dropFirst("ERROR: ".count))) : nil
      }
    }

    /// The date, in the form `211005120000Z`, which is also the default.
    var date: Instant {
      let text = settings.utc_time == "DEFAULT" ? "211005120000Z" : settings.utc_time
      let pairs = stride(from: 0, to: 12, by: 2).map { String(text.dropFirst($0).prefix(2)) }
      return World.date("20\(pairs[0])-\(pairs[1])-\(pairs[2])T\(pairs[3]):\(pairs[4]):\(pairs[5])Z")
    }
  }
  let chains: [String: [String]]
  let testcases: [Case]
}
