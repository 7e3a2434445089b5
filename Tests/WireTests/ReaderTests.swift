import Explanation
import Testing
import Wire

@Suite("Reading and writing the presentation language of RFC 5246 section 4")
struct ReaderTests {
  @Test(
    "a vector's length field has as many bytes as the ceiling needs",
    arguments: [
      (0...0xff, "02abcd"), (0...0xffff, "0002abcd"), (0...0xff_ffff, "000002abcd"),
    ])
  func vectors(_ allowed: ClosedRange<Int>, _ hex: String) throws {
    var writer = Writer()
    try writer.opaque("session_id", allowed, [0xab, 0xcd])
    #expect(Hex.string(writer.bytes) == hex)
    var reader = Reader(writer.bytes)
    #expect(try reader.opaque("session_id", allowed) == [0xab, 0xcd])
    #expect(reader.isAtEnd)
    let parts = [
      Field("length", 0..<(hex.count / 2 - 2), meaning: "2"), Field("opaque", (hex.count / 2 - 2)..<(hex.count / 2)),
    ]
    #expect(reader.fields == [Field("session_id", 0..<writer.bytes.count, meaning: "2 bytes", children: parts)])
  }

  @Test("numbers are big-endian and their fields have their bytes")
  func numbers() throws {
    var reader = Reader([1, 2, 3, 4, 5, 6])
    #expect(try reader.uint8("a") == 1)
    #expect(try reader.uint16("b") == 0x0203)
    #expect(try reader.uint24("c") == 0x040506)
    #expect(reader.fields.map(\.range) == [0..<1, 1..<3, 3..<6])
  }

  @Test("a field longer than the available bytes is an error with its position")
  func truncated() throws {
    var reader = Reader([0, 5, 1, 2])
    #expect(throws: WireError(offset: 2, field: "suites", .truncated(needed: 5, available: 2))) {
      try reader.opaque("suites", 0...0xffff)
    }
    var whole = Reader([0, 2, 1, 2])
    #expect(try whole.opaque("suites", 0...0xffff) == [1, 2])
  }

  @Test("a vector outside its floor and ceiling is an error in both directions")
  func bounds() throws {
    var reader = Reader([33] + [UInt8](repeating: 0, count: 33))
    #expect(throws: WireError(offset: 0, field: "session_id", .length(33, allowed: 0...32))) {
      try reader.opaque("session_id", 0...32)
    }
    var writer = Writer()
    #expect(throws: WireError(offset: 0, field: "session_id", .length(33, allowed: 0...32))) {
      try writer.opaque("session_id", 0...32, [UInt8](repeating: 0, count: 33))
    }
  }

  @Test("bytes left after a structure are an error")
  func excess() throws {
    var reader = Reader([2, 7, 9])
    #expect(throws: WireError(offset: 2, field: "list", .excess(1))) {
      try reader.vector("list", 0...255) { (reader) throws(WireError) in try reader.uint8("item") }
    }
  }

  @Test("nested fields keep offsets relative to the whole")
  func nested() throws {
    var reader = Reader([9, 4, 0, 1, 0, 2])
    _ = try reader.uint8("version")
    let items = try reader.vector("list", 0...255) { (reader) throws(WireError) in
      try reader.items { (reader) throws(WireError) in try reader.uint16("item") }
    }
    #expect(items == [1, 2])
    #expect(reader.fields[1].range == 1..<6)
    #expect(reader.fields[1].children.map(\.range) == [1..<2, 2..<4, 4..<6])
  }

  @Test("an error has its sentence")
  func sentences() {
    #expect(
      WireError(offset: 35, field: "cipher_suites", .truncated(needed: 4, available: 2)).description
        == "cipher_suites at byte 35: 4 bytes expected, 2 left")
    #expect(
      WireError(offset: 0, field: "level", .value(9, expected: "1")).description
        == "level at byte 0: 9; 1 is expected")
  }
}
