import Cryptography
import Explanation
import Simulator

/// The values of a run's steps, each listed once. Steps refer to values by name.
struct ValueTable {
  private let run: any TracedRun
  /// Whether the table contains the bytes of values that only the endpoints have. If not, these values only have a
  /// name.
  private let hasSecrets: Bool
  private let reproduction: Reproduction

  /// Creates a table of the values of `run`.
  init(_ run: any TracedRun, hasSecrets: Bool = true) {
    self.run = run
    self.hasSecrets = hasSecrets
    reproduction = Reproduction(run)
  }

  /// The values as JSON, in the order of the steps that first mention them.
  var json: JSONValue {
    var seen: Set<Value.ID> = []
    let values = run.trace.steps.flatMap(\.values).filter { seen.insert($0.id).inserted }
    return .array(values.map { json(run.trace.values[$0.id] ?? $0) })
  }

  private func json(_ value: Value) -> JSONValue {
    let isShown = hasSecrets || value.derivations.contains(.published) || value.id.kind == .applicationData
    let members: [JSONValue.Member] = [
      .init("name", .string(value.id)), .init("bytes", isShown ? .string(Hex.string(value.bytes)) : .null),
      .init("derivation", .array(value.derivations.map(Self.json))),
    ]
    guard hasSecrets else { return .object(members) }
    let commands = reproduction.commands(for: value).map { JSONValue.string($0.description) }
    return .object(members + (commands.isEmpty ? [] : [.init("reproduce", .array(commands))]))
  }

  private static func json(_ derivation: Value.Derivation) -> JSONValue {
    switch derivation {
    case .generated(let party): ["kind": "generated", "by": .string(party.name)]
    case .published: ["kind": "published"]
    case .computed(let method, let inputs):
      [
        "kind": "computed", "function": .string(method.description), "from": .strings(inputs),
        "method": .string(method.id), "capability": .string(method.capability.rawValue),
      ]
    }
  }
}
