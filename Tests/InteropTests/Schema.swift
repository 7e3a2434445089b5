import Foundation
import Rendering

/// A published JSON Schema, for the features in use: types, constants, properties, items, references, alternatives.
///
/// It is compared with outputs in both directions. Each member of an output must be in the schema, and each property of
/// the schema in some output.
struct Schema {
  let name: String
  private let root: JSONValue
  /// Schemas that are referred to by their file.
  private var others: [String: JSONValue] = [:]
  /// The properties that outputs had, as pointers within the schema's file.
  private var met: Set<String> = []
  private(set) var violations: [String] = []

  init(_ name: String) throws {
    self.name = name
    root = try Self.read("\(name).schema.json")
  }

  private static func read(_ file: String) throws -> JSONValue {
    let place = Program.root.appendingPathComponent("Scenarios/schema/\(file)")
    return try JSONValue(reading: Array(Data(contentsOf: place)))
  }

  /// Checks a document against the schema.
  mutating func check(_ document: JSONValue) throws {
    if let violation = try violation(of: Place(file: "", pointer: "", schema: root), document, "$") {
      violations.append(violation)
    }
  }

  /// The properties of the schema itself that no document has had.
  var unmet: [String] { Self.properties(root, "").filter { !met.contains($0) } }

  /// The objects that allow additional members.
  var open: [String] { Self.open(root, "") }

  private struct Place {
    let file: String
    let pointer: String
    let schema: JSONValue

    func below(_ name: String, _ schema: JSONValue) -> Place {
      Place(file: file, pointer: "\(pointer)/\(name)", schema: schema)
    }
  }

  /// The violation by `value`; nil if there is none.
  private mutating func violation(of place: Place, _ value: JSONValue, _ path: String) throws -> String? {
    if case .string(let reference)? = place.schema["$ref"] {
      return try violation(of: target(of: reference, from: place), value, path)
    }
    for word in ["oneOf", "anyOf"] {
      guard case .array(let kinds)? = place.schema[word] else { continue }
      if let violation = try alternative(kinds, word, place, value, path) { return violation }
    }
    if let violation = scalar(place.schema, value, path) { return violation }
    if case .array(let values) = value, let items = place.schema["items"] {
      for (index, value) in values.enumerated() {
        if let violation = try violation(of: place.below("items", items), value, "\(path)[\(index)]") {
          return violation
        }
      }
    }
    guard let members = value.members else { return nil }
    return try object(place, members, path)
  }

  /// One of the alternatives must match; only its properties count as used.
  private mutating func alternative(
    _ kinds: [JSONValue], _ word: String, _ place: Place, _ value: JSONValue, _ path: String
  ) throws -> String? {
    var reasons: [String] = []
    for (index, kind) in kinds.enumerated() {
      var attempt = self
      guard let reason = try attempt.violation(of: place.below("\(word)/\(index)", kind), value, path) else {
        self = attempt
        return nil
      }
      reasons.append(reason)
    }
    return reasons.joined(separator: " | ")
  }

  private mutating func object(_ place: Place, _ members: [JSONValue.Member], _ path: String) throws -> String? {
    if case .array(let required)? = place.schema["required"] {
      for case .string(let name) in required where !members.contains(where: { $0.name == name }) {
        return "\(path) lacks \(name)"
      }
    }
    let properties = place.schema["properties"]
    for member in members {
      let path = "\(path).\(member.name)"
      if let schema = properties?[member.name] {
        if place.file.isEmpty { met.insert("\(place.pointer)/properties/\(member.name)") }
        let inner = place.below("properties/\(member.name)", schema)
        if let violation = try violation(of: inner, member.value, path) { return violation }
      } else if place.schema["additionalProperties"] == false {
        return "\(path) is not in the schema"
      } else if let more = place.schema["additionalProperties"], more.members != nil {
        let inner = place.below("additionalProperties", more)
        if let violation = try violation(of: inner, member.value, path) { return violation }
      }
    }
    return nil
  }

  private mutating func target(of reference: String, from place: Place) throws -> Place {
    let parts = reference.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let file = parts[0].isEmpty ? place.file : parts[0]
    if !file.isEmpty, others[file] == nil { others[file] = try Self.read(file) }
    var schema = file.isEmpty ? root : others[file] ?? .null
    let pointer = parts.count > 1 ? parts[1] : ""
    for name in pointer.split(separator: "/") { schema = schema[String(name)] ?? .null }
    return Place(file: file, pointer: pointer, schema: schema)
  }

  /// Type, constant, enumeration, pattern and bounds.
  private func scalar(_ schema: JSONValue, _ value: JSONValue, _ path: String) -> String? {
    let types: [JSONValue]? =
      if case .array(let types)? = schema["type"] { types } else { schema["type"].map { [$0] } }
    if let types, !types.contains(where: { Self.types(of: value).contains($0) }) {
      return "\(path) is \(value.text(pretty: false).prefix(40)), not \(types)"
    }
    if let constant = schema["const"], constant != value { return "\(path) is not \(constant)" }
    if case .array(let words)? = schema["enum"], !words.contains(value) {
      return "\(path) is \(value.text(pretty: false).prefix(40)), none of the words"
    }
    if case .string(let pattern)? = schema["pattern"], case .string(let text) = value,
      let expression = try? Regex(pattern), text.firstMatch(of: expression) == nil
    {
      return "\(path) does not match \(pattern)"
    }
    if case .integer(let minimum)? = schema["minimum"], case .integer(let number) = value, number < minimum {
      return "\(path) is less than \(minimum)"
    }
    if case .array(let values) = value {
      if case .integer(let least)? = schema["minItems"], values.count < least { return "\(path) has too few" }
      if case .integer(let most)? = schema["maxItems"], values.count > most { return "\(path) has too many" }
    }
    return nil
  }

  private static func types(of value: JSONValue) -> [JSONValue] {
    switch value {
    case .object: ["object"]
    case .array: ["array"]
    case .string: ["string"]
    case .integer: ["integer", "number"]
    case .number: ["number"]
    case .boolean: ["boolean"]
    case .null: ["null"]
    }
  }

  /// The pointers of all properties within a schema.
  private static func properties(_ schema: JSONValue, _ pointer: String) -> [String] {
    children(of: schema, pointer).flatMap { name, place, child in
      (name.map { ["\(pointer)/properties/\($0)"] } ?? []) + properties(child, place)
    }
  }

  private static func open(_ schema: JSONValue, _ pointer: String) -> [String] {
    let isOpen = schema["properties"] != nil && schema["additionalProperties"] == nil
    return (isOpen ? [pointer] : []) + children(of: schema, pointer).flatMap { open($0.schema, $0.place) }
  }

  /// The schemas within a schema: each with its place and, for a property, its name.
  private static func children(
    of schema: JSONValue, _ pointer: String
  ) -> [(name: String?, place: String, schema: JSONValue)] {
    var children: [(String?, String, JSONValue)] = []
    for member in schema["properties"]?.members ?? [] {
      children.append((member.name, "\(pointer)/properties/\(member.name)", member.value))
    }
    for member in schema["$defs"]?.members ?? [] {
      children.append((nil, "\(pointer)/$defs/\(member.name)", member.value))
    }
    for word in ["items", "additionalProperties"] {
      if let child = schema[word], child.members != nil { children.append((nil, "\(pointer)/\(word)", child)) }
    }
    for word in ["oneOf", "anyOf"] {
      guard case .array(let kinds)? = schema[word] else { continue }
      for (index, kind) in kinds.enumerated() { children.append((nil, "\(pointer)/\(word)/\(index)", kind)) }
    }
    return children
  }
}
