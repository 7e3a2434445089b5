import Explanation
import Scenarios
import URLLoading

extension RemarkReport {
  /// All remarks in the Static Analysis Results Interchange Format (SARIF), version 2.1.0 (OASIS, 2020).
  ///
  /// Code scanning services read this format. Columns count Unicode code points.
  public func sarif() -> JSONValue {
    [
      "$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
      "runs": [
        [
          "tool": ["driver": driver], "columnKind": "unicodeCodePoints", "invocations": [invocation],
          "artifacts": .array(files.map { ["location": $0.location] }),
          "results": .array(files.enumerated().flatMap { index, file in file.results(index, rules) }),
        ]
      ],
    ]
  }

  private var driver: JSONValue {
    ["name": "trustlab", "version": "1", "rules": .array(rules.map(\.sarif))]
  }

  private var invocation: JSONValue {
    let notifications = files.flatMap { file in
      (file.obstacle?.all ?? []).map { diagnostic in
        var place: [JSONValue.Member] = [.init("artifactLocation", file.location)]
        if let mark = diagnostic.mark {
          place.append(.init("region", ["startLine": .integer(mark.line), "startColumn": .integer(mark.column)]))
        }
        return [
          "level": "error", "message": ["text": .string(diagnostic.message)],
          "locations": [["physicalLocation": .object(place)]],
        ] as JSONValue
      }
    }
    return [
      "executionSuccessful": .boolean(notifications.isEmpty), "toolExecutionNotifications": .array(notifications),
    ]
  }
}

extension Rule {
  fileprivate var sarif: JSONValue {
    [
      "id": .string(id), "shortDescription": ["text": .string(statement)],
      "fullDescription": ["text": .string("\(statement) (\(clause))")],
      "help": [
        "text": .string("\(statement)\n\n\(fix)\n\n\(clause)"),
        "markdown": .string("\(statement)\n\n**Fix:** \(fix)\n\n*\(clause)*; `trustlab explain \(id)` prints details."),
      ],
      "properties": ["tags": ["security", "app-transport-security"]],
    ]
  }
}

extension RemarkReport.File {
  /// The reference to the file. A relative path is relative to the current folder.
  fileprivate var location: JSONValue {
    if path.hasPrefix("/") { return ["uri": .string("file://" + Self.escaped(path))] }
    let relative = path.hasPrefix("./") ? String(path.dropFirst(2)) : path
    return ["uri": .string(Self.escaped(relative)), "uriBaseId": "%SRCROOT%"]
  }

  /// Returns the path with invalid characters percent-encoded, as in `%20` (RFC 3986 section 2.1).
  private static func escaped(_ path: String) -> String {
    path.utf8.reduce(into: "") { text, byte in
      switch byte {
      case 48...57, 65...90, 97...122, 45, 46, 47, 95, 126: text.unicodeScalars.append(UnicodeScalar(byte))
      default: text += "%" + Hex.string([byte]).uppercased()
      }
    }
  }

  fileprivate func results(_ index: Int, _ rules: [Rule]) -> [JSONValue] {
    remarks.map { remark in
      JSONValue.object(
        [
          .init("ruleId", .string(remark.rule.id)),
          .init("ruleIndex", .integer(rules.firstIndex(of: remark.rule) ?? -1)),
          .init("level", .string(remark.severity.rawValue)), .init("message", ["text": .string(remark.text)]),
          .init("locations", [place(remark.spot, index)]),
          .init("partialFingerprints", ["keyPath/v1": .string("\(remark.rule.id) \(remark.spot.keyPath)")]),
        ]
          + (remark.related.isEmpty
            ? [] : [.init("relatedLocations", .array(remark.related.map { place($0, index) }))]))
    }
  }

  /// Returns the line and column if the file is text, and the key path in any case.
  private func place(_ spot: Remark.Spot, _ index: Int) -> JSONValue {
    var artifact = location.members ?? []
    artifact.append(.init("index", .integer(index)))
    var physical: [JSONValue.Member] = [.init("artifactLocation", .object(artifact))]
    if let place = spot.place {
      let end = line(at: place).map { Self.end(of: $0, from: place.column) } ?? place.column + 1
      physical.append(
        .init(
          "region",
          [
            "startLine": .integer(place.line), "startColumn": .integer(place.column),
            "endLine": .integer(place.line), "endColumn": .integer(max(end, place.column + 1)),
          ]))
    }
    // Services that show source code require a line, even if the remark has none.
    if spot.place == nil, !lines.isEmpty { physical.append(.init("region", ["startLine": 1])) }
    let members = [JSONValue.Member("physicalLocation", .object(physical))]
    if spot.path.isEmpty { return .object(members) }
    let logical: JSONValue = [
      "name": .string(spot.path.last ?? ""), "fullyQualifiedName": .string(spot.keyPath), "kind": "property",
    ]
    return .object(members + [.init("logicalLocations", [logical])])
  }

  /// Returns the column after the key that begins at `column`: after `</key>`, or at the end of the line.
  private static func end(of line: String, from column: Int) -> Int {
    let scalars = Array(line.unicodeScalars)
    guard column <= scalars.count else { return column + 1 }
    let rest = String(String.UnicodeScalarView(scalars[(column - 1)...]))
    let key = rest.firstRange(of: "</key>").map { String(rest[..<$0.upperBound]) } ?? rest
    return column + key.unicodeScalars.count
  }
}
