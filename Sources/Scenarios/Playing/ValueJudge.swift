import Endpoint
import Explanation
import Simulator

/// Holds the bytes of values against an expectation.
struct ValueJudge {
  let trace: Trace
  /// What the names of a calculation stand for.
  var quantities: [Value.ID: Quantity] = [:]

  func mismatches(_ expectation: Expectation) -> [Judgement.Mismatch] {
    single(expectation.values) + expectation.equal.flatMap { mismatches($0, areEqual: true) }
      + expectation.different.flatMap { mismatches($0, areEqual: false) }
      + expectation.neverOnWire.compactMap(wireMismatch)
  }

  /// Numbers are compared as numbers, whether they are written in decimal or in hexadecimal.
  private func single(_ values: [Value.ID: String]) -> [Judgement.Mismatch] {
    values.sorted { $0.key < $1.key }.compactMap { name, expected in
      let path = "values.\(name)"
      guard let value = trace.values[name] else {
        return .init(path: path, expected: expected, found: "there is no \(name)")
      }
      switch quantities[name] {
      case .number(let number):
        return Quantities.number(expected) == number
          ? nil : .init(path: path, expected: expected, found: number.description)
      case .text(let text): return text == expected ? nil : .init(path: path, expected: expected, found: text)
      default:
        let found = Hex.string(value.bytes)
        return found == expected.lowercased() || found.isEmpty && expected == "none"
          ? nil : .init(path: path, expected: expected, found: found)
      }
    }
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
