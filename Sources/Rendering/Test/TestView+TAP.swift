import Scenarios

extension TestView {
  /// The run as TAP, version 14 of the Test Anything Protocol: a test point for each case, in order.
  public func tap() -> String {
    let points = run.entries.enumerated().map { Self.point($0.element, number: $0.offset + 1) }
    return (["TAP version 14", "1..\(points.count)"] + points).joined(separator: "\n")
  }

  private static func point(_ entry: TestRun.Entry, number: Int) -> String {
    let status = entry.result == .failed ? "not ok" : "ok"
    let line = "\(status) \(number) - \(description(entry.name))"
    switch entry {
    case .played(let result):
      if let reason = result.judgement.reason { return "\(line) # SKIP \(description(reason))" }
      guard !result.judgement.mismatches.isEmpty else { return line }
      return line + "\n" + block(of: result)
    case .unplayable, .unreadable:
      let message = entry.obstacle?.description ?? "cannot be played"
      return line + "\n" + block([("message", text(message)), ("severity", "error"), ("file", text(entry.file))])
    }
  }

  private static func block(of result: CaseResult) -> String {
    let mismatches = result.judgement.mismatches.map { mismatch in
      "\n    - path: \(text(mismatch.path))\n      expected: \(text(mismatch.expected))"
        + "\n      found: \(text(mismatch.found))"
    }
    return block([
      ("message", text(result.judgement.mismatches.first?.sentence ?? "")), ("severity", "fail"),
      ("file", text(result.scenario.file)), ("verdict", text(summary(of: result.outcome.verdict))),
      ("mismatches", mismatches.joined()),
    ])
  }

  /// A block of YAML below a test point.
  private static func block(_ members: [(key: String, value: String)]) -> String {
    let lines = members.map { "  \($0.key):\($0.value.hasPrefix("\n") ? "" : " ")\($0.value)" }
    return (["  ---"] + lines + ["  ..."]).joined(separator: "\n")
  }

  /// JSON's strings are double-quoted scalars of YAML.
  private static func text(_ text: String) -> String { JSONValue.string(text).text(pretty: false) }

  /// What a line of TAP may say: a number sign would begin a directive, and a line ends the test point.
  private static func description(_ text: String) -> String {
    text.unicodeScalars.map { scalar in
      switch scalar {
      case "\\", "#": "\\\(scalar)"
      case "\t", "\n", "\r", "\u{2028}", "\u{2029}": " "
      case "\u{0}"..."\u{1f}", "\u{7f}"..."\u{9f}": "\\\\u{\(String(scalar.value, radix: 16))}"
      default: "\(scalar)"
      }
    }.joined()
  }
}
