import Explanation
import Testing
import URLLoading

@testable import Rendering

@Suite("Property lists for pasting")
struct PropertyListNotationTests {
  @Test("pins are arrays of dictionaries, and an array without items is an array")
  func pins() {
    let pins: PropertyList = [
      "NSPinnedDomains": [
        "a.example": ["NSPinnedLeafIdentities": [["SPKI-SHA256-BASE64": "AAA="]], "NSPinnedCAIdentities": []]
      ]
    ]
    #expect(
      pins.dictionary?.xmlLines(asValueOf: "NSAppTransportSecurity") == [
        "<key>NSAppTransportSecurity</key>",
        "<dict>",
        "    <key>NSPinnedDomains</key>",
        "    <dict>",
        "        <key>a.example</key>",
        "        <dict>",
        "            <key>NSPinnedLeafIdentities</key>",
        "            <array>",
        "                <dict>",
        "                    <key>SPKI-SHA256-BASE64</key>",
        "                    <string>AAA=</string>",
        "                </dict>",
        "            </array>",
        "            <key>NSPinnedCAIdentities</key>",
        "            <array/>",
        "        </dict>",
        "    </dict>",
        "</dict>",
      ])
  }

  @Test("every value of a property list can be read back")
  func roundTrip() throws {
    let all: PropertyList = [
      "text": "<a> & b", "yes": true, "no": false, "whole": -7, "part": 0.5, "data": .data([0, 255]),
      "date": .date(try #require(Instant("2026-01-31T12:00:00Z"))), "none": [:], "items": [1, "two", ["three": 3]],
    ]
    let lines = try #require(all.dictionary?.xmlLines(asValueOf: "key"))
    let text = "<plist version=\"1.0\"><dict>\(lines.joined(separator: "\n"))</dict></plist>"
    #expect(try PropertyList(reading: Array(text.utf8)).dictionary?["key"] == all)
  }

  // RFC 8259 section 6: a number has a fraction or an exponent, and none is NaN or infinite.
  @Test(
    "a real is a JSON number and can be read back",
    arguments: [(1.0, "1.0"), (0.0, "0.0"), (0.5, "0.5"), (-2.25, "-2.25"), (1e300, "1e+300")])
  func reals(number: Double, text: String) throws {
    let list: PropertyList = ["NSExceptionAllowsInsecureHTTPLoads": .real(number)]
    let json = list.json.text(pretty: false)
    #expect(json == #"{"NSExceptionAllowsInsecureHTTPLoads":\#(text)}"#)
    #expect(PropertyList(try JSONValue(reading: Array(json.utf8))) == list)
  }

  @Test("strings stay strings in JSON, integers stay integers, and other numbers become text")
  func otherValues() throws {
    let list: PropertyList = ["text": "1.0", "whole": 1, "large": .integer(1 << 63), "yes": true]
    let json = list.json.text(pretty: false)
    #expect(json == #"{"text":"1.0","whole":1,"large":9223372036854775808,"yes":true}"#)
    #expect(PropertyList(try JSONValue(reading: Array(json.utf8))) == list)
    for number in [Double.infinity, -.infinity, .nan] {
      guard case .string = PropertyList.real(number).json else {
        Issue.record("\(number) is no number of JSON")
        continue
      }
    }
  }
}
