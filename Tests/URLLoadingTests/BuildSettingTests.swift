import Explanation
import Testing
import Trust

@testable import URLLoading

@Suite("Build settings in a property list")
struct BuildSettingTests {
  private static func settings(_ files: [String: String], _ defined: [String: String] = [:]) throws -> BuildSettings {
    var settings = BuildSettings()
    for (name, value) in defined { settings.define(name, value) }
    if files["main"] != nil { try settings.read("main") { files[$0] } }
    return settings
  }

  /// See `MacroEvaluationProgram.swift` and `String.swift` of swift-build.
  @Test(
    "operators change a value in order, and unknown ones stay as written",
    arguments: [
      ("$(HOST:lower)", "api-1.example"), ("${HOST:upper}", "API-1.EXAMPLE"), ("$(HOST:identifier)", "Api_1_Example"),
      ("$(HOST:rfc1034identifier)", "Api-1-Example"), ("$(HOST:lower:rfc1034identifier)", "api-1-example"),
      ("$(HOST:c99extidentifier)", "Api_1_Example"), ("$(DIGIT:rfc1034identifier)", "-1a"),
      ("$(DIGIT:identifier)", "_1a"), ("$(DIGIT:c99extidentifier)", "$(DIGIT:c99extidentifier)"),
      ("$(NONE:default=x.example)", "x.example"), ("$(EMPTY:default=x.example)", "x.example"),
      ("$(HOST:default=x.example)", "Api-1.Example"), ("$(NONE:default=$(HOST:lower))", "api-1.example"),
      ("$(HOST:md5)", "$(HOST:md5)"), ("$(HOST:lower:dir)", "$(HOST:lower:dir)"), ("$(NONE:lower)", "$(NONE:lower)"),
      ("$(HOST_$(KIND))", "live.example"), ("a.$(HOST_${KIND:lower}).b", "a.live.example.b"),
      ("$(HOST_$(NONE))", "$(HOST_$(NONE))"), ("$(HOST", "$(HOST"), ("$HOST", "$HOST"), ("$($(KIND)", "$(live"),
    ])
  func operators(text: String, expanded: String) throws {
    let settings = try Self.settings(
      [:], ["HOST": "Api-1.Example", "DIGIT": "11a", "EMPTY": "", "KIND": "live", "HOST_live": "live.example"])
    #expect(settings.expanded(text) == expanded)
  }

  /// See `nextValueForMacro` of the same file.
  @Test(
    "a setting that refers to itself expands to its previous value, or to nothing",
    arguments: [
      ("A = base\nA = $(A).example", "base.example"), ("A = base\nA = $(inherited).example", "base.example"),
      ("A = Base\nA = ${A:lower}.example\nA = x.$(A)", "x.base.example"), ("A = $(A)x", "x"),
      ("AB = ab\nA = $(AB).${A:default=none}", "ab.none"), ("A = a\nA = $(A)$(A)\nA = $(A)$(A)", "aaaa"),
    ])
  func ownName(text: String, value: String) throws {
    let settings = try Self.settings(["main": text])
    #expect(settings.endless.isEmpty && settings.expanded("$(A)") == value)
    #expect(settings.expanded("$(AB)") == (text.hasPrefix("AB") ? "ab" : "$(AB)"))
  }

  @Test("settings that refer to each other in a cycle stay as written")
  func endless() throws {
    let settings = try Self.settings(
      [:], ["B": "$(C)", "C": "${B:lower}", "D": "d $(B)", "HOST": "$(KIND).example", "KIND": "live"])
    #expect(settings.endless == ["B", "C", "D"])
    #expect(settings.expanded("$(B)").contains("$"))
    #expect(settings.expanded("$(HOST)") == "live.example")
    #expect(try Self.settings([:], ["HOST": "$(NONE)", "LIST": "$(inherited) a"]).endless.isEmpty)
  }

  @Test("a name has letters, digits and underscores; a line ends with a semicolon or CRLF")
  func lines() throws {
    for wrong in ["API HOST = x", "API-HOST = x", "1HOST = x", "A.B = x"] {
      #expect(throws: BuildSettings.Fault.self) { try Self.settings(["main": "OK = 1\n\(wrong)\n"]) }
      do { _ = try Self.settings(["main": "OK = 1\n\(wrong)\n"]) } catch let fault as BuildSettings.Fault {
        #expect(fault.line == 2 && fault.message.contains("'\(wrong.prefix { $0 != "=" }.dropLast())'"))
      }
    }
    let settings = try Self.settings(["main": "A = a.example;\r\nB [config=Release] = b.example // c\r\n_C1=$(A)\r\n"])
    #expect(settings.values == ["A": "a.example", "B": "b.example", "_C1": "$(A)"])
  }

  @Test("a setting without a name is empty, and a byte order mark is skipped")
  func nothing() throws {
    let settings = try Self.settings(["main": "\u{FEFF}HOST = a.$()b\nURL = http:/$()/$(HOST)/"])
    #expect(settings.expanded("$(URL) $() ${}") == "http://a.b/  ")
    // In the name of another setting it is empty too.
    #expect(settings.expanded("$(HO$()ST)") == "a.b" && settings.expanded("$(NONE$())") == "$(NONE$())")
  }

  @Test("the configuration can be part of a setting's name, but not in the property list")
  func configured() throws {
    let text = "HOST = $(HOST_$(CONFIGURATION))\nHOST_Release = live\nHOST_Debug = test"
    let settings = try Self.settings(["main": text])
    #expect(settings.expanded("$(HOST) $(CONFIGURATION)") == "live $(CONFIGURATION)" && settings.usesConfiguration)
    #expect(try Self.settings(["main": text], ["CONFIGURATION": "Debug"]).expanded("$(HOST)") == "test")
  }

  @Test("conditions use the defined SDK, else that of preceding settings, else that of devices")
  func sdk() throws {
    let text = "HOST = phone\nHOST[sdk=macosx*] = mac"
    #expect(try Self.settings(["main": text]).expanded("$(HOST)") == "phone")
    #expect(try Self.settings(["main": text]).sdks == ["macosx*"])
    #expect(try Self.settings(["main": "SDKROOT = macosx\n" + text]).expanded("$(HOST)") == "mac")
    for name in ["SDK", "SDKROOT"] {
      #expect(try Self.settings(["main": text], [name: "macosx"]).expanded("$(HOST)") == "mac")
    }
  }

  @Test("the configurations in conditions are known, and whether the selected one is among them")
  func configurations() throws {
    let file = ["main": "A[config=Debug] = d\nA[config=Rel*] = r\nA[config=Debug][sdk=macosx*] = m\n"]
    let usual = try Self.settings(file)
    #expect(usual.configurations == ["Debug", "Rel*"] && usual.configuration == "Release" && usual.isNamed)
    #expect(usual.values["A"] == "r")
    let staging = try Self.settings(file, ["CONFIGURATION": "Staging"])
    #expect(!staging.isNamed && staging.values["A"] == nil)
    #expect(try Self.settings(["main": "A = 1\n"]).configurations.isEmpty)
  }

  @Test("a decision is uncertain if a domain, value or pin is an unexpanded setting")
  func decisions() throws {
    func doubts(_ settings: PropertyList, _ url: String) throws -> [String] {
      let decision = AppTransportSecurity.decide(
        .init(try LoadURL(url), os: OSVersion(.iOS, 18, 4)),
        by: .init(dictionary: try #require(settings.dictionary)))
      return decision.doubts.compactMap(\.note).filter { $0.contains("build setting") }
    }
    let open: PropertyList = ["NSExceptionAllowsInsecureHTTPLoads": true]
    let named: PropertyList = ["NSExceptionDomains": ["$(API_HOST)": open, "b.example": open]]
    #expect(try doubts(named, "http://a.example/").first?.contains("'$(API_HOST)'") == true)
    #expect(try doubts(named, "http://b.example/") == [])
    let version: PropertyList = ["NSExceptionDomains": ["a.example": ["NSExceptionMinimumTLSVersion": "$(MIN)"]]]
    #expect(try doubts(version, "https://a.example/").first?.contains("'$(MIN)'") == true)
    #expect(try doubts(version, "https://b.example/") == [])
    let pinned: PropertyList = [
      "NSPinnedDomains": ["a.example": ["NSPinnedLeafIdentities": [["SPKI-SHA256-BASE64": "$(PIN)"]]]]
    ]
    #expect(try doubts(pinned, "https://a.example/").first?.contains("'$(PIN)'") == true)
    #expect(try doubts(pinned, "http://a.example/") == [])
    let decision = AppTransportSecurity.decide(
      .init(try LoadURL("https://a.example/"), os: OSVersion(.iOS, 18, 4)),
      by: .init(dictionary: try #require(pinned.dictionary)))
    #expect(decision.pinnedIdentities?.areMetByNone == false)
  }
}
