import Scenarios

/// The JSON Schema of scenario files, made from the same table that the strict reader reads.
public enum ScenarioSchema {
  /// The schema, JSON Schema draft 2020-12.
  public static func json() -> JSONValue {
    [
      "$schema": "https://json-schema.org/draft/2020-12/schema",
      "title": "TrustLab scenario",
      "$ref": "#/$defs/scenario",
      "$defs": .object(Vocabulary.sections.map { .init($0.name, schema(of: $0)) }),
    ]
  }

  private static func schema(of section: WordSection) -> JSONValue {
    [
      "description": .string(section.meaning), "type": "object", "additionalProperties": false,
      "properties": .object(section.words.map { .init($0.name, schema(of: $0)) }),
    ]
  }

  /// A key; null takes away what the baseline or the file says there.
  private static func schema(of word: Word) -> JSONValue {
    ["description": .string(word.meaning), "anyOf": [schema(of: word.shape), ["type": "null"]]]
  }

  private static func schema(of shape: Word.Shape) -> JSONValue {
    switch shape {
    case .text: ["type": ["string", "number", "boolean"]]
    case .integer: ["type": "integer"]
    case .date: ["type": "string"]
    case .flag: ["type": "boolean"]
    case .duration: ["type": ["string", "integer"]]
    case .choice(let words): ["enum": .strings(words)]
    case .list(let inner): ["type": "array", "items": schema(of: inner)]
    case .section(let name): ["$ref": .string("#/$defs/\(name)")]
    case .named(let inner):
      ["type": "object", "additionalProperties": ["anyOf": [schema(of: inner), ["type": "null"]]]]
    case .either(let shapes): ["anyOf": .array(shapes.map(schema))]
    case .anything: true
    }
  }
}
