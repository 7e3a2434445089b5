import URLLoading

extension LibraryVerdict {
  /// What a library said, and what it posts, as JSON.
  var json: JSONValue {
    [
      "accepts": .boolean(accepts), "reason": .string(reason?.constant ?? ""), "error": .optional(error?.description),
      "report": report?.json ?? .null,
    ]
  }
}

extension PinFailureReport {
  /// Where the report goes, and its members as TrustKit writes them; what is the app's own and the device's is left out.
  var json: JSONValue {
    [
      "destinations": .strings(destinations),
      "body": [
        "hostname": .string(hostname), "port": 0, "noted-hostname": .string(notedHostname),
        "include-subdomains": .boolean(includesSubdomains), "enforce-pinning": .boolean(enforcesPinning),
        "validated-certificate-chain": .strings(pem), "known-pins": .strings(pins),
        "date-time": .string(date.description), "validation-result": .integer(result.rawValue),
      ],
    ]
  }
}
