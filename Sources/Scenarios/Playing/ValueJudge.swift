import Endpoint
import Explanation

/// Holds the bytes of values against an expectation.
struct ValueJudge {
  let trace: Trace

  func mismatches(_ expectation: Expectation) -> [Judgement.Mismatch] {
    expectation.equal.flatMap { mismatches($0, areEqual: true) }
      + expectation.different.flatMap { mismatches($0, areEqual: false) }
      + expectation.neverOnWire.compactMap(wireMismatch)
  }

  private func mismatches(_ names: [Value.ID], areEqual: Bool) -> [Judgement.Mismatch] {
    let path = areEqual ? "equal" : "different"
    let values = names.map { trace.values[$0]?.bytes }
    if let missing = zip(names, values).first(where: { $0.1 == nil })?.0 {
      return [.init(path: path, expected: missing, found: "there is no \(missing)")]
    }
    let distinct = Set(values.compactMap(\.self)).count
    if areEqual ? distinct <= 1 : distinct == names.count { return [] }
    return [
      .init(
        path: path, expected: names.joined(separator: areEqual ? " = " : " ≠ "),
        found: areEqual ? "\(distinct) different values" : "some are equal")
    ]
  }

  private func wireMismatch(_ name: Value.ID) -> Judgement.Mismatch? {
    guard let bytes = trace.values[name]?.bytes, !bytes.isEmpty else {
      return .init(path: "neverOnWire", expected: name, found: "there is no \(name)")
    }
    let step = trace.steps.first { $0.kind == .message && $0.bytes.contains(bytes) }
    return step.map { .init(path: "neverOnWire", expected: name, found: "it travels in step \($0.number)") }
  }
}
