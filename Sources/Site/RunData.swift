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

  /// The run with each step's bytes and fields written once. A step that repeats an earlier one has its index instead.
  static func sharing(_ run: JSONValue) -> JSONValue {
    let members: [JSONValue.Member] = run.members ?? []
    let steps = shared(run["steps"].elements)
    return .object(members.map { $0.name == "steps" ? .init("steps", .array(steps)) : $0 })
  }

  private static func shared(_ steps: [JSONValue]) -> [JSONValue] {
    var seen: [JSONValue.Member: Int] = [:]
    return steps.enumerated().map { index, step in
      let members: [JSONValue.Member] = step.members ?? []
      let parts = members.map { part -> JSONValue.Member in
        guard ["bytes", "fields"].contains(part.name), part.value != .null else { return part }
        if let first = seen[part] { return .init(part.name, .integer(first)) }
        seen[part] = index
        return part
      }
      return .object(parts)
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
