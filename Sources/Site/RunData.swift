import CZlib
import Foundation
import Rendering

/// A run's data as a page contains it: JSON, compressed as RFC 1950 defines it, in Base64.
enum RunData {
  /// The element that the player opens.
  static func element(_ value: JSONValue) -> HTML {
    var bytes: [UInt8] = []
    value.write(to: &bytes)
    return "<script type=\"text/plain\" id=\"run\">\(Data(compressed(bytes)).base64EncodedString())</script>"
  }

  /// The members of a run that the player shows.
  private static let shown: Set<String> = [
    "os", "clock", "verdict", "layer", "because", "path", "cipherSuite", "trustResult", "errors", "content", "goals",
    "goalReasons", "attempts", "steps", "values", "knowledge", "findings", "rules", "diagram", "chain",
  ]

  /// The run as the player needs it, with each step's bytes and fields written once. A step that repeats an earlier one
  /// has its index instead. The sentences of the steps are in the page's list of all steps.
  static func brief(_ run: JSONValue) -> JSONValue {
    let members: [JSONValue.Member] = run.members ?? []
    return .object(
      members.filter { shown.contains($0.name) }.map { member in
        switch member.name {
        case "steps": .init("steps", .array(shared(run["steps"].elements)))
        case "rules": .init("rules", .array(brief(run["rules"].elements, violated: violations(in: run))))
        default: member
        }
      })
  }

  /// The rules that the run violates, by their places.
  private static func violations(in run: JSONValue) -> Set<JSONValue> {
    Set(run["findings"].elements.filter { $0["outcome"].text == "violated" }.compactMap { $0["rule"] })
  }

  /// The rules; the statement and the fix of a rule only if a step shows them.
  private static func brief(_ rules: [JSONValue], violated: Set<JSONValue>) -> [JSONValue] {
    rules.enumerated().map { place, rule in
      let names: Set = violated.contains(.integer(place)) ? ["id", "statement", "fix"] : ["id"]
      let members: [JSONValue.Member] = rule.members ?? []
      return .object(members.filter { names.contains($0.name) })
    }
  }

  /// The members of a step that the player does not show, or reads from the list of all steps.
  private static let omitted: Set<String> = ["at", "kind", "protected", "narration"]

  private static func shared(_ steps: [JSONValue]) -> [JSONValue] {
    var seen: [JSONValue.Member: Int] = [:]
    return steps.enumerated().map { index, step in
      let members = (step.members ?? []).filter { !omitted.contains($0.name) }
      let parts = members.map { part -> JSONValue.Member in
        guard ["bytes", "fields", "plaintextFields"].contains(part.name), part.value != .null else { return part }
        if let first = seen[part] { return .init(part.name, .integer(first)) }
        seen[part] = index
        return part.name == "bytes" ? part : .init(part.name, .array(sized(step[part.name].elements, from: 0)))
      }
      return .object(parts)
    }
  }

  /// The fields, most with their length instead of their range.
  ///
  /// Such a field begins where the one before it ends. The first begins where the field that contains it begins.
  private static func sized(_ fields: [JSONValue], from start: Int) -> [JSONValue] {
    var start = start
    return fields.map { field in
      let ends = field["range"].elements
      guard ends.count == 2, case .integer(let first) = ends[0], case .integer(let end) = ends[1] else { return field }
      let isNext = first == start
      start = end
      let members: [JSONValue.Member] = field.members ?? []
      return .object(
        members.map { member in
          switch member.name {
          case "range" where isNext: .init("range", .integer(end - first))
          case "children": .init("children", .array(sized(field["children"].elements, from: first)))
          default: member
          }
        })
    }
  }

  private static func compressed(_ bytes: [UInt8]) -> [UInt8] {
    var size = compressBound(uLong(bytes.count))
    return [UInt8](unsafeUninitializedCapacity: Int(size)) { buffer, count in
      let status = compress2(buffer.baseAddress, &size, bytes, uLong(bytes.count), 9)
      count = status == Z_OK ? Int(size) : 0
    }
  }
}
