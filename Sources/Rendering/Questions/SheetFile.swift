import Explanation
import Learning
import Scenarios

/// A student's sheet as a JSON file, with a member for each part that the seal covers.
public enum SheetFile {
  /// Returns the text of the file.
  public static func text(of sheet: Sheet) -> String {
    let entries = sheet.entries.enumerated().map { place, entry -> JSONValue in
      [
        "number": .integer(place + 1), "scenario": .string(entry.scenario), "kind": .string(entry.kind),
        "asked": .string(entry.asked), "answers": .strings(entry.answers), "hints": .integer(entry.hints),
        "confidence": .integer(entry.confidence), "result": .string(entry.result), "right": .string(entry.right),
        "code": .string(sheet.codes.indices.contains(place) ? Hex.string(sheet.codes[place]) : ""),
      ]
    }
    let json: JSONValue = [
      "trustlab": 1, "lesson": .string(sheet.lesson), "student": .string(sheet.student), "begun": .integer(sheet.begun),
      "sealed": .string(sheet.isTeachers ? "teacher" : "everybody"), "questions": .array(entries),
    ]
    return json.text(pretty: true) + "\n"
  }

  /// Reads the sheet in these bytes.
  ///
  /// - Throws: `Diagnostics` if the bytes are not a sheet.
  public static func sheet(_ bytes: [UInt8], file: String) throws(Diagnostics) -> Sheet {
    let hint = "write a new sheet with 'sheet FILE' in the shell; TrustLab does not change a damaged file"
    guard bytes.count <= largest, let json = try? JSONValue(reading: bytes) else {
      throw Diagnostics("'\(file)' is not a sheet: it is not JSON", hint: hint)
    }
    guard case .string(let lesson)? = json["lesson"], case .string(let student)? = json["student"],
      case .integer(let begun)? = json["begun"], case .string(let sealed)? = json["sealed"],
      case .array(let questions)? = json["questions"]
    else {
      throw Diagnostics("'\(file)' is not a sheet: lesson, student, begun, sealed or questions are missing", hint: hint)
    }
    var entries: [Sheet.Entry] = []
    var codes: [[UInt8]] = []
    for (place, question) in questions.enumerated() {
      guard let entry = entry(question), case .string(let code)? = question["code"], let bytes = Hex.bytes(code) else {
        throw Diagnostics("'\(file)' is damaged: question \(place + 1) cannot be read", hint: hint)
      }
      entries.append(entry)
      codes.append(bytes)
    }
    return Sheet(
      lesson: lesson, student: student, begun: begun, entries: entries, codes: codes, isTeachers: sealed == "teacher")
  }

  private static func entry(_ json: JSONValue) -> Sheet.Entry? {
    guard case .string(let scenario)? = json["scenario"], case .string(let kind)? = json["kind"],
      case .string(let asked)? = json["asked"], case .array(let answers)? = json["answers"],
      case .integer(let hints)? = json["hints"], case .integer(let confidence)? = json["confidence"],
      case .string(let result)? = json["result"], case .string(let right)? = json["right"]
    else { return nil }
    let texts = answers.compactMap { answer -> String? in
      if case .string(let text) = answer { return text }
      return nil
    }
    guard texts.count == answers.count else { return nil }
    return Sheet.Entry(
      scenario: scenario, kind: kind, asked: asked, answers: texts, hints: hints, confidence: confidence,
      result: result,
      right: right)
  }

  private static let largest = 1 << 22
}
