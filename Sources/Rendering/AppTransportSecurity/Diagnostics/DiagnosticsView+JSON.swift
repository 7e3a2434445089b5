import URLLoading

extension DiagnosticsView {
  /// The results as JSON, version 1.
  public func json() -> JSONValue {
    [
      "trustlab": 1, "url": .string(diagnostics.url.description), "os": .string(diagnostics.os.description),
      "passes": .boolean(diagnostics.passes), "tests": .array(diagnostics.rows.map(\.json)),
      "interpretation": .array(
        diagnostics.interpretations.map { interpretation in
          [
            "says": .string(interpretation.word),
            "text": .string(interpretation.sentence(diagnostics.url.host)),
          ]
        }), "minimal": .object(MinimalView(diagnostics.smallestException).members), "unknown": .strings(notes),
    ]
  }
}

extension AppTransportSecurity.Diagnostics.Row {
  fileprivate var json: JSONValue {
    [
      "number": .integer(test.number), "section": .string(test.section), "title": .string(test.title),
      "dictionary": PropertyList.dictionary(test.dictionary).json, "result": passes ? "PASS" : "FAIL",
      "confidence": .string(load.confidence.note ?? "certain"), "because": .strings(load.because.map(\.id)),
      "errors": .array(load.errors.map(\.json)), "failingURL": .optional(load.failingURL?.description),
      "hops": .array(load.hops.map(\.json)),
    ]
  }
}

extension AppTransportSecurity.LoadResult.Hop {
  var json: JSONValue {
    [
      "url": .string(url.description), "passes": .boolean(passes), "atsRequired": .boolean(decision.isRequired),
      "decidedBy": .string(decision.decidedBy), "version": .optional(negotiated?.version.description),
      "cipherSuite": .optional(negotiated?.cipherSuite.name),
      "overridden": .strings(
        findings.filter { $0.outcome == .violated && $0.weight.word == "overridden" }.map(\.rule.id)),
    ]
  }
}
