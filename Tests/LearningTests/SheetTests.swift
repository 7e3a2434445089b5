import Learning
import Testing

@Suite("Sheets")
struct SheetTests {
  private static let teacher = Sheet.Key.teacher(Array("a key that the teacher keeps".utf8))

  private static func sheet(_ key: Sheet.Key) -> Sheet {
    let entries = (1...3).map { number in
      Sheet.Entry(
        scenario: "L1-0\(number)/x", kind: "risk", asked: "What?", answers: ["a 3", "b"], hints: 0, confidence: 3,
        result: "wrong", right: "c")
    }
    var sheet = Sheet(
      lesson: "L1", student: "ann", begun: 1, entries: entries, codes: [], isTeachers: key != .everybody)
    sheet.codes = sheet.codes(key)
    return sheet
  }

  @Test("an untouched sheet matches its seal, with the teacher's key and without one")
  func fits() {
    #expect(Self.sheet(Self.teacher).seal(Self.teacher) == .sealed)
    #expect(Self.sheet(.everybody).seal(.everybody) == .unaltered)
  }

  @Test("any changed, moved, dropped or added entry is detected, from that entry on")
  func altered() {
    let sheet = Self.sheet(Self.teacher)
    var changed = sheet
    changed.entries[1].result = "right"
    #expect(changed.seal(Self.teacher) == .altered(from: 2))
    changed = sheet
    changed.entries[2].answers = ["a 3b"]
    #expect(changed.seal(Self.teacher) == .altered(from: 3))
    changed = sheet
    changed.entries.removeLast()
    changed.codes.removeLast()
    #expect(changed.seal(Self.teacher) == .altered(from: 1), "the first seal covers the number of entries")
    changed = sheet
    changed.entries.swapAt(0, 1)
    #expect(changed.seal(Self.teacher) != .sealed)
    changed = sheet
    changed.student = "bob"
    #expect(changed.seal(Self.teacher) == .altered(from: 1))
    changed = sheet
    changed.begun = 0
    #expect(changed.seal(Self.teacher) == .altered(from: 1))
  }

  @Test("only the teacher's key seals for the class: not another key, nor none")
  func forged() {
    #expect(Self.sheet(.teacher(Array("another key of some length".utf8))).seal(Self.teacher) == .altered(from: 1))
    #expect(Self.sheet(.everybody).seal(Self.teacher) == .withoutKey)
    #expect(Self.sheet(Self.teacher).seal(.everybody) == .needsKey)
  }
}
