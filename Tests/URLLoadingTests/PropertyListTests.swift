import Explanation
import Foundation
import Oracles
import Testing

@testable import URLLoading

@Suite struct PropertyListTests {
  private func read(_ text: String) throws(PropertyListError) -> PropertyList {
    try PropertyList(reading: Array(text.utf8))
  }

  private func failure(_ bytes: [UInt8]) -> PropertyListError? {
    do {
      _ = try PropertyList(reading: bytes)
      return nil
    } catch {
      return error
    }
  }

  private func binary(_ xml: String) throws -> [UInt8] {
    let value = try PropertyListSerialization.propertyList(from: Data(xml.utf8), options: [], format: nil)
    return Array(try PropertyListSerialization.data(fromPropertyList: value, format: .binary, options: 0))
  }

  private static let everything = """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <!-- one of each -->
    <plist version="1.0">
    <dict>
      <key>yes</key><true/>
      <key>no</key> <false></false>
      <key>one</key><integer>1</integer>
      <key>minus</key><integer>-5</integer>
      <key>hex</key><integer>0x1F</integer>
      <key>big</key><integer>18446744073709551615</integer>
      <key>real</key><real>1.5</real>
      <key>text</key><string>a &lt;b&gt; &amp; &#x41;&#66; <![CDATA[<c>]]> é ∞</string>
      <key>empty</key><string/>
      <key>date</key><date>2016-11-01T12:00:00Z</date>
      <key>data</key><data>
        AAECAwQF
        Bgc=
      </data>
      <key>list</key><array><integer>300</integer><dict/><array/><string>x</string></array>
      <key>long</key><string>0123456789abcdef0123456789abcdef</string>
    </dict>
    </plist>
    """

  @Test("every type of value is read from XML")
  func everyKind() throws {
    let root = try #require(try read(Self.everything).dictionary)
    #expect(root["yes"] == true)
    #expect(root["no"] == false)
    #expect(root["one"] == 1)
    #expect(root["minus"] == -5)
    #expect(root["hex"] == 31)
    #expect(root["big"] == .integer(18_446_744_073_709_551_615))
    #expect(root["real"] == 1.5)
    #expect(root["text"] == "a <b> & AB <c> é ∞")
    #expect(root["empty"] == "")
    #expect(root["date"] == Instant("2016-11-01T12:00:00Z").map { .date($0) })
    #expect(root["data"] == .data([0, 1, 2, 3, 4, 5, 6, 7]))
    #expect(root["list"] == [300, [:], [], "x"])
    #expect(root.keys.first == "yes" && root.keys.last == "long")
    #expect(root.entries.first?.place == PropertyList.Place(line: 6, column: 3))
  }

  @Test("a boolean and the number 1 are not the same, in XML and in binary")
  func booleansAndNumbers() throws {
    let xml = "<plist><array><true/><integer>1</integer><real>1</real></array></plist>"
    #expect(try read(xml) == [true, 1, 1.0])
    #expect(try PropertyList(reading: binary(xml)) == [true, 1, 1.0])
    #expect(PropertyList.boolean(true) != .integer(1) && PropertyList.integer(1) != .real(1))
  }

  @Test("a binary property list written by Foundation reads like its XML source")
  func binaryEqualsXML() throws {
    #expect(try PropertyList(reading: binary(Self.everything)) == read(Self.everything))
  }

  @Test(
    "Info.plist files of shipped apps are read alike in XML and in binary",
    .needsData("plists"), arguments: SharedData.plists)
  func shippedApps(name: String) throws {
    let xml = try SharedData.bytes("plists/\(name)")
    let list = try PropertyList(reading: xml)
    #expect(try PropertyList(reading: binary(String(decoding: xml, as: UTF8.self))) == list)
  }

  @Test("a binary property list truncated at any byte is an error with its size")
  func cutBinary() throws {
    let whole = try binary(Self.everything)
    #expect(failure(whole) == nil)
    for count in 0..<8 { #expect(failure(Array(whole.prefix(count)))?.byteCount == count) }
    for count in 8..<whole.count {
      let error = try #require(failure(Array(whole.prefix(count))))
      #expect(error.reason == .damagedBinary)
      #expect(error.byteCount == count && error.message.contains("\(count) bytes") && !error.hint.isEmpty)
    }
  }

  @Test("a binary property list with any byte changed is read or is an error")
  func damagedBinary() throws {
    let whole = try binary(Self.everything)
    for index in whole.indices {
      for value: UInt8 in [0, 1, 0x0f, 0x13, 0x5f, 0x7f, 0x80, 0xa1, 0xd1, 0xdf, 0xff, whole[index] ^ 1] {
        var damaged = whole
        damaged[index] = value
        _ = failure(damaged)
      }
    }
  }

  @Test("a zip archive is recognized by its signature, text with the same letters is not")
  func zip() {
    for end: [UInt8] in [[3, 4], [5, 6], [7, 8]] {
      let found = failure(Array("PK".utf8) + end + [UInt8](repeating: 0, count: 30))
      #expect(found?.reason == .notAPropertyList && found?.place == nil)
      #expect(found?.message.contains("zip") == true)
      #expect(found?.hint.contains("`.ipa`") == true)
    }
    #expect(failure(Array("PK = 34;".utf8))?.reason == .oldStyleText)
  }

  @Test("objects that contain themselves, or expand without bound, are errors")
  func viciousBinary() {
    let magic = Array("bplist00".utf8)
    func trailer(_ count: UInt8, _ table: UInt8) -> [UInt8] {
      [0, 0, 0, 0, 0, 0, 1, 1] + [0, 0, 0, 0, 0, 0, 0, count] + [UInt8](repeating: 0, count: 15) + [table]
    }
    let contained = failure(magic + [0xa1, 0x00] + [8] + trailer(1, 10))
    #expect(contained?.reason == .damagedBinary && contained?.message.contains("contains itself") == true)
    var objects: [UInt8] = []
    for index: UInt8 in 0..<40 { objects += index == 39 ? [0x09] : [0xa2, index + 1, index + 1] }
    let table = UInt8(8 + objects.count)
    let offsets = (0..<40).map { UInt8(8 + 3 * $0) }
    #expect(failure(magic + objects + offsets + trailer(40, table))?.reason == .tooLarge)
    // A similar chain with one reference each expands to forty values.
    var chain: [UInt8] = []
    for index: UInt8 in 0..<40 { chain += index == 39 ? [0x09] : [0xa1, index + 1] }
    let places = (0..<40).map { UInt8(8 + 2 * $0) }
    #expect(failure(magic + chain + places + trailer(40, UInt8(8 + chain.count))) == nil)
  }

  @Test("keys have positions in files of any length, on one line or on many")
  func places() throws {
    let keys = (0..<5000).map { "<key>é\($0)</key>\($0 % 2 == 0 ? "\n" : "")<true/>" }.joined()
    let entries = try #require(try read("<plist><dict>\n\(keys)</dict></plist>").dictionary).entries
    #expect(entries.count == 5000)
    #expect(entries[0].place == PropertyList.Place(line: 2, column: 1))
    #expect(entries[1].place == PropertyList.Place(line: 3, column: 8))
    #expect(entries[4998].place == PropertyList.Place(line: 2501, column: 31))
    #expect(entries[4999].place == PropertyList.Place(line: 2502, column: 8))
  }

  @Test("nesting has a limit, and values below it are read")
  func nesting() {
    func nested(_ depth: Int) -> [UInt8] {
      Array(
        ("<plist>" + String(repeating: "<array>", count: depth) + String(repeating: "</array>", count: depth)
          + "</plist>").utf8)
    }
    #expect(failure(nested(500)) == nil)
    #expect(failure(nested(100_000))?.reason == .tooDeep)
  }

  @Test(
    "malformed XML is an error with its position",
    arguments: [
      ("<plist>\n<dict>\n <key>a</key>\n</dict></plist>", 3, 2, "`a`"),
      ("<plist><dict>\n<key>a</key><tru/></dict></plist>", 2, 13, "<tru>"),
      ("<plist><dict><string>a</string></dict></plist>", 1, 14, "<key>"),
      ("<plist><integer>one</integer></plist>", 1, 8, "`one`"),
      ("<plist><integer>18446744073709551616</integer></plist>", 1, 8, "<integer>"),
      ("<plist><date>yesterday</date></plist>", 1, 8, "<date>"),
      ("<plist><data>AAE</data></plist>", 1, 8, "<data>"),
      ("<plist><true>yes</true></plist>", 1, 8, "<true/>"),
      ("<plist><string>a & b</string></plist>", 1, 18, "`&`"),
      ("<plist><string>&nbsp;</string></plist>", 1, 16, "`&nbsp;`"),
      ("<plist>\n<dict>\n", 2, 1, "<dict>"),
      ("<plist><dict></array></plist>", 1, 14, "</dict>"),
      ("<plist></plist>", 1, 1, "<plist>"),
      ("<plist><true/><false/></plist>", 1, 15, "a second value"),
      ("<plist>é<true/></plist>", 1, 8, "text"),
      ("<plist><key>a</key><dict/></plist>", 1, 8, "outside"),
    ])
  func malformed(text: String, line: Int, column: Int, word: String) throws {
    let error = try #require(failure(Array(text.utf8)))
    #expect(error.reason == .malformedXML)
    #expect(error.message.contains(word), Comment(rawValue: error.description))
    #expect(error.line == line && error.column == column, Comment(rawValue: error.description))
  }

  @Test("a truncated XML property list is an error, until its value is complete")
  func cutXML() {
    let whole = Array(Self.everything.utf8)
    #expect(failure(whole) == nil)
    for count in 0..<whole.count - 8 { #expect(failure(Array(whole.prefix(count))) != nil) }
  }

  @Test("data that is not a property list is refused with a hint")
  func others() {
    #expect(failure([])?.reason == .empty)
    #expect(failure(Array(" \n".utf8))?.reason == .empty)
    #expect(failure(Array("{ NSAllowsArbitraryLoads = YES; }".utf8))?.reason == .oldStyleText)
    #expect(failure(Array("// !$*UTF8*$!\n{ }".utf8))?.reason == .oldStyleText)
    #expect(failure(Array("<0fbd77 1c2735ae>".utf8))?.reason == .oldStyleText)
    #expect(failure(Array("YES".utf8))?.hint.contains("plutil") == true)
    #expect(failure([0x89, 0x50, 0x4e, 0x47])?.reason == .notAPropertyList)
    #expect(failure([0xff, 0xfe, 0x3c])?.reason == .encoding)
    #expect(
      failure(Array("<?xml version='1.0' encoding='ISO-8859-1'?><plist><true/></plist>".utf8))?.reason == .encoding)
  }

  @Test("text in UTF-16 and with a byte order mark is read")
  func encodings() throws {
    let text = "<plist><string>é</string></plist>"
    #expect(try PropertyList(reading: [0xef, 0xbb, 0xbf] + Array(text.utf8)) == "é")
    let big = text.utf16.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }
    #expect(try PropertyList(reading: [0xfe, 0xff] + big) == "é")
    let little = text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
    #expect(try PropertyList(reading: [0xff, 0xfe] + little) == "é")
  }

  @Test("the last value of a repeated key counts, and both are kept")
  func duplicates() throws {
    let root = try read("<plist><dict><key>a</key><true/><key>a</key><false/></dict></plist>").dictionary
    #expect(root?["a"] == false)
    #expect(root?.entries.count == 2)
  }
}
