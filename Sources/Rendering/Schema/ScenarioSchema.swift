import Scenarios

/// The JSON Schema of scenario files, generated from the table that the strict reader uses.
public enum ScenarioSchema {
  /// Returns the schema in JSON Schema draft 2020-12.
  public static func json() -> JSONValue {
    [
      "$schema": "https://json-schema.org/draft/2020-12/schema",
      "title": "TrustLab scenario",
      "$ref": "#/$defs/scenario",
      "$defs": .object(Vocabulary.sections.map { .init($0.name, schema(of: $0)) } + kinds),
    ]
  }

  /// The types that many keys share, each under its own name: rules, systems, cipher suites.
  private static var kinds: [JSONValue.Member] {
    var seen: Set<String> = []
    return Vocabulary.sections.flatMap(\.words).flatMap { kinds(in: $0.shape) }.filter { seen.insert($0.name).inserted }
      .map { .init("kind \($0.name)", schema(of: $0.shape)) }
  }

  private static func kinds(in shape: Word.Shape) -> [(name: String, shape: Word.Shape)] {
    switch shape {
    case .kind(let name, let inner): [(name, inner)]
    case .list(let inner), .named(let inner), .paths(let inner): kinds(in: inner)
    case .either(let shapes): shapes.flatMap(kinds)
    default: []
    }
  }

  private static func schema(of section: WordSection) -> JSONValue {
    [
      "description": .string(section.meaning), "type": "object", "additionalProperties": false,
      "properties": .object(section.words.map { .init($0.name, schema(of: $0)) }),
    ]
  }

  /// Returns the schema of a key. The value null removes the value that the baseline or the file sets.
  private static func schema(of word: Word) -> JSONValue {
    ["description": .string(word.meaning), "anyOf": [schema(of: word.shape), ["type": "null"]]]
  }

  /// The schema of a path. A path begins with a key of the file, and an editor completes the rest.
  private static var path: JSONValue {
    let words = Vocabulary.sections.first?.words.map(\.name) ?? []
    return ["anyOf": [["enum": .strings(words)], ["pattern": .string("^(\(words.joined(separator: "|")))\\..+$")]]]
  }

  private static func schema(of shape: Word.Shape) -> JSONValue {
    switch shape {
    case .text: ["type": ["string", "number", "boolean"]]
    case .integer(let range):
      ["type": "integer", "minimum": .integer(range.lowerBound), "maximum": .integer(range.upperBound)]
    case .flag: ["type": "boolean"]
    case .pattern(let expression): ["type": "string", "pattern": .string(expression)]
    case .kind(let name, _): ["$ref": .string("#/$defs/kind \(name)")]
    case .choice(let words): ["enum": .strings(words)]
    case .list(let inner): ["type": "array", "items": schema(of: inner)]
    case .section(let name): ["$ref": .string("#/$defs/\(name)")]
    case .named(let inner):
      ["type": "object", "additionalProperties": ["anyOf": [schema(of: inner), ["type": "null"]]]]
    case .paths(let inner):
      [
        "type": "object", "propertyNames": path,
        "additionalProperties": ["anyOf": [schema(of: inner), ["type": "null"]]],
      ]
    case .either(let shapes): ["anyOf": .array(shapes.map(schema))]
    case .anything: true
    }
  }
}
