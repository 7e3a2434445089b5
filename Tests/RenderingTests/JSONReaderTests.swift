import Rendering
import Testing

@Suite("Reading JSON")
struct JSONReaderTests {
  private func read(_ text: String) throws(JSONError) -> JSONValue { try JSONValue(reading: Array(text.utf8)) }

  @Test(
    "valid JSON is read, and written unchanged",
    arguments: [
      #"{"b":[1,-0.5,1e400,12345678901234567890,true,false,null],"a":{},"c":[]}"#, #""é\u0001😀\"""#, "-7", "[[],{}]",
    ])
  func good(text: String) throws {
    #expect(try read(" \t\r\n\(text)\n").text(pretty: false) == text)
  }

  @Test("escapes are what RFC 8259 says")
  func escapes() throws {
    #expect(try read(#""\ud83d\ude00\/\b\f\n\r\t\u00e9""#) == .string("😀/\u{8}\u{c}\n\r\té"))
  }

  @Test(
    "what is no JSON says where",
    arguments: [
      ("", 0), ("{", 1), ("[1,]", 3), ("{\"a\":1,\"a\":2}", 10), ("01", 1), ("1.", 2), ("1e", 2), ("-", 1), ("tru", 0),
      ("\"a", 2), ("\"\t\"", 2), (#""\x""#, 3), (#""\ud800""#, 7), (#""\u12g4""#, 3), ("[1 2]", 3), ("1 2", 2),
      ("{1:2}", 1), ("{\"a\" 1}", 5), (String(repeating: "[", count: 200), 129),
    ])
  func bad(text: String, offset: Int) {
    #expect { _ = try read(text) } throws: { ($0 as? JSONError)?.offset == offset }
  }

  @Test("bytes that are not UTF-8 are no string")
  func encoding() {
    #expect(throws: JSONError.self) { try JSONValue(reading: [34, 0xff, 34]) }
  }
}
