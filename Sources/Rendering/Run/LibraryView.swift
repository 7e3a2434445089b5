import URLLoading

extension LibraryVerdict {
  /// A library's decision and its report, as JSON.
  var json: JSONValue {
    [
      "accepts": .boolean(accepts), "reason": .string(reason?.constant ?? ""), "error": .optional(error?.description),
      "report": report?.json ?? .null,
    ]
  }
}

extension PinFailureReport {
  /// The report's destinations, and its members in TrustKit's format. Members about the app and the device are omitted.
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
