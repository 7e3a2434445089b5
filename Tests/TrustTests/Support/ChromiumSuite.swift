/// Chains with the errors that another validator finds on each certificate, from BoringSSL's pki/testdata.
struct ChromiumSuite: Decodable {
  struct Settings: Decodable {
    let last_cert_trust: String
    let utc_time: String
  }
  struct Case: Decodable {
    let id: String
    let chain: String
    let settings: Settings
    let expected_result: String
    let expected_errors: [String]

    /// The errors with the place of their certificate.
    var errors: [(index: Int, text: String)] {
      var index = 0
      return expected_errors.compactMap { line in
        if let place = line.firstMatch(of: /Certificate i=(\d+)/) { index = Int(place.1) ?? 0 }
        return line.hasPrefix("ERROR: ") ? (index, String(line.dropFirst("ERROR: ".count))) : nil
      }
    }
  }
  let chains: [String: [String]]
  let testcases: [Case]
}
