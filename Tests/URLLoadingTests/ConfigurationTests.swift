import Explanation
import Foundation
import Oracles
import TLS
import Testing
import Trust

@testable import URLLoading

@Suite struct ConfigurationTests {
  private typealias Configuration = AppTransportSecurity.Configuration

  private func configuration(_ dictionary: PropertyList) throws -> Configuration {
    Configuration(dictionary: try #require(dictionary.dictionary))
  }

  @Test(
    "a global switch is on for true and 1, off but present for other numbers",
    arguments: [
      (PropertyList.boolean(true), true), (.integer(1), true), (.real(1), true), (.boolean(false), false),
      (.integer(0), false), (.integer(2), false), (.integer(-1), false), (.real(0.5), false), (.string("YES"), nil),
      (.array([]), nil), (.date(Instant(secondsSince1970: 0)), nil), (.data([1]), nil), (.dictionary(.init()), nil),
    ] as [(PropertyList, Bool?)])
  func globalValues(value: PropertyList, meaning: Bool?) throws {
    let configuration = try configuration(["NSAllowsLocalNetworking": value])
    #expect(configuration.globals.localNetworking == meaning)
    let overridden = try self.configuration(["NSAllowsLocalNetworking": value, "NSAllowsArbitraryLoads": true])
    let load = AppTransportSecurity.Load(try LoadURL("http://example.com"), os: OSVersion(.iOS, 18, 4))
    let decision = AppTransportSecurity.decide(load, by: overridden)
    #expect(decision.because == (meaning == nil ? [] : [.atsInsecureHTTP]))
    #expect(decision.decidedBy == (meaning == nil ? "NSAllowsArbitraryLoads" : "NSAllowsLocalNetworking"))
  }

  @Test(
    "a switch of an entry has its default if the value has the wrong type",
    arguments: [
      (PropertyList.boolean(true), true, true), (.integer(1), true, true), (.integer(2), false, false),
      (.boolean(false), false, false), (.string("YES"), false, true), (.array([]), false, true),
    ])
  func entryValues(value: PropertyList, allowsInsecure: Bool, requiresForwardSecrecy: Bool) throws {
    let configuration = try configuration([
      "NSExceptionDomains": [
        "api.example": [
          "NSExceptionAllowsInsecureHTTPLoads": value, "NSExceptionRequiresForwardSecrecy": value,
        ]
      ]
    ])
    let load = AppTransportSecurity.Load(try LoadURL("https://api.example"), os: OSVersion(.iOS, 18, 4))
    let decision = AppTransportSecurity.decide(load, by: configuration)
    #expect(decision.isRequired == !allowsInsecure)
    #expect(decision.requirements?.requiresForwardSecrecy == requiresForwardSecrecy)
  }

  @Test(
    "a minimum version is only accepted in its exact spelling",
    arguments: [
      ("TLSv1.0", ProtocolVersion.tls10), ("TLSv1.1", .tls11), ("TLSv1.2", .tls12), ("TLSv1.3", .tls13),
      ("DTLSv1.0", .tls11), ("DTLSv1.2", .tls12), ("TLSv1.4", .tls12), ("TLSV1.3", .tls12), ("TLSv1.00", .tls12),
      ("SSLv3.0", .tls12), ("1.0", .tls12), ("", .tls12), ("TLSv1.0 ", .tls12),
    ])
  func versions(text: String, version: ProtocolVersion) throws {
    let configuration = try configuration([
      "NSExceptionDomains": ["api.example": ["NSExceptionMinimumTLSVersion": .string(text)]]
    ])
    let load = AppTransportSecurity.Load(try LoadURL("https://api.example"), os: OSVersion(.iOS, 18, 4))
    #expect(AppTransportSecurity.decide(load, by: configuration).requirements?.minimumVersion == version)
  }

  @Test("a version that is not a string, and entries that are not dictionaries, are ignored")
  func shapes() throws {
    let number = try configuration(["NSExceptionDomains": ["a.example": ["NSExceptionMinimumTLSVersion": 1.0]]])
    #expect(number.domain(named: "a.example")?.values.isEmpty == true)
    let list = try configuration(["NSAllowsArbitraryLoads": true, "NSExceptionDomains": ["a.example"]])
    #expect(list.domains.isEmpty && list.globals.arbitraryLoads == true)
    let text = try configuration(["NSExceptionDomains": ["a.example": "", "b.example": [:]]])
    #expect(text.domains.map(\.name) == ["b.example"])
  }

  @Test("a whole Info.plist, the dictionary alone, and a plist without one are all read")
  func infoPlists() {
    let whole = Configuration(infoPlist: ["CFBundleName": "x", "NSAppTransportSecurity": ["NSAllowsArbitraryLoads": 1]])
    #expect(whole.globals.arbitraryLoads == true)
    #expect(Configuration(infoPlist: ["NSAllowsArbitraryLoads": true]).globals.arbitraryLoads == true)
    #expect(Configuration(infoPlist: ["CFBundleName": "x"]).dictionary.isEmpty)
    #expect(Configuration(infoPlist: ["NSAppTransportSecurity": "YES"]).dictionary.isEmpty)
    #expect(Configuration(infoPlist: [1, 2]).dictionary.isEmpty)
  }

  @Test(
    "the Info.plist files of shipped apps decide every load, and have their known contents",
    .needsData("plists"))
  func shippedApps() throws {
    let known = try Self.sources()
    #expect(SharedData.plists.count == 30)
    for name in SharedData.plists {
      let configuration = try Configuration(readingInfoPlist: SharedData.bytes("plists/\(name)"))
      #expect(PropertyList.dictionary(configuration.dictionary) == known[name], Comment(rawValue: name))
      for url in ["http://example.com/", "https://api.rocket.chat/", "http://localhost:8081/", "http://192.168.1.1/"] {
        for os in ["iOS 8", "iOS 9", "iOS 12", "iOS 16", "iOS 17", "iOS 18.4", "macOS 10.11", "macOS 15.4", "doc"] {
          for loader in Loader.allCases {
            let load = AppTransportSecurity.Load(
              try LoadURL(url), os: try #require(OSVersion(os)), loader: loader)
            let decision = AppTransportSecurity.decide(load, by: configuration)
            #expect(decision.verdict == .allowed || decision.because == [.atsInsecureHTTP])
            #expect(decision.verdict != .unknown)
          }
        }
      }
    }
  }

  /// The dictionaries in SOURCES.txt, each on the line after the one that begins with its file's name.
  private static func sources() throws -> [String: PropertyList] {
    let lines = String(decoding: try SharedData.bytes("plists/SOURCES.txt"), as: UTF8.self).split(separator: "\n")
    var known: [String: PropertyList] = [:]
    for (head, body) in zip(lines, lines.dropFirst()) where body.hasPrefix("  {") {
      let name = String(head.prefix { $0 != " " })
      known[name] = try JSONDecoder().decode(JSONPropertyList.self, from: Data(body.utf8)).value
    }
    return known
  }
}
