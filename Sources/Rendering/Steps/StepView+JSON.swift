import Endpoint
import Explanation
import Simulator

extension StepView {
  /// The step as JSON, in the order of the contract.
  public func json() -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("number", .integer(step.number)), .init("at", .string(step.at.description)),
      .init("from", .string(step.from.name)), .init("to", .optional(step.to?.name)),
      .init("title", .string(step.title)), .init("kind", .string(step.kind.rawValue)),
      .init("protected", .boolean(step.isProtected)), .init("fields", .array(step.fields.map(Self.json))),
      .init("bytes", .string(Hex.string(step.bytes))),
    ]
    if step.isProtected {
      members.append(.init("plaintext", .string(Hex.string(step.plaintext))))
      members.append(.init("plaintextFields", .array(step.plaintextFields.map(Self.json))))
    }
    members += [
      .init("values", .array(step.values.map(json))), .init("narration", .string(step.narration)),
      .init("findings", .array(step.findings.map(\.json))),
    ]
    if let arithmetic {
      members.append(.init("arithmetic", ArithmeticView(arithmetic, .numbers, values: step.values).json))
    }
    if let connection = step.connection { members.append(.init("connection", .string(connection))) }
    if let interference = step.interference {
      members.append(
        .init(
          "interference",
          [
            "kind": .string(interference.kind.rawValue), "sent": .string(Hex.string(interference.bytes)),
            "changes": .array(
              ChangeView(step).changes.map { change in
                [
                  "field": .string(change.field), "sent": .optional(change.before.map(Hex.string)),
                  "arrives": .optional(change.after.map(Hex.string)),
                ]
              }),
          ]))
    }
    if !step.leaked.isEmpty { members.append(.init("leaked", .strings(step.leaked))) }
    return .object(members)
  }

  private static func json(_ field: Field) -> JSONValue {
    [
      "name": .string(field.name),
      "range": [.integer(field.range.lowerBound), .integer(field.range.upperBound)],
      "meaning": .string(field.meaning), "children": .array(field.children.map(json)),
    ]
  }

  private func json(_ value: Value) -> JSONValue {
    let value = simulation.trace.values[value.id] ?? value
    let members: [JSONValue.Member] = [
      .init("name", .string(value.id)), .init("bytes", .string(Hex.string(value.bytes))),
      .init("derivation", .array(value.derivations.map(Self.json))),
    ]
    let commands = Reproduction(simulation).commands(for: value).map { JSONValue.string($0.description) }
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
