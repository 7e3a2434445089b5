import Testing
import Trust

@testable import Advice
@testable import URLLoading

extension ATS.SettingsDifference.Change {
  /// Whether missing pins alone block the load, or no longer do.
  fileprivate var isByRequiredPins: Bool {
    demands == [.shutOut(byMissingPins: true)] || demands == [.readmitted(byMissingPins: true)]
  }
}

@Suite("SecTrustPinningRequired")
struct RequiredPinsTests {
  private static let hash: PropertyList = [["SPKI-SHA256-BASE64": "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="]]
  private static let pins: PropertyList = [
    "pinned.example": ["NSPinnedCAIdentities": hash],
    "free.example": ["NSPinnedLeafIdentities": [], "NSPinnedCAIdentities": []],
    "bare.example": ["NSIncludesSubdomains": true],
  ]

  private func list(demanded: Bool, _ pins: PropertyList = Self.pins) -> ATS.Configuration {
    let list: PropertyList = [
      "SecTrustPinningRequired": .boolean(demanded), "NSAppTransportSecurity": ["NSPinnedDomains": pins],
    ]
    return .init(infoPlist: list)
  }

  private func lacks(_ host: String, _ os: String = "iOS 17", demanded: Bool = true) throws -> Bool {
    list(demanded: demanded).lacksRequiredPins(for: host, os: try #require(OSVersion(os)))
  }

  @Test("since iOS 14 every host needs pins, except with an entry of two empty lists")
  func demanded() throws {
    #expect(try lacks("api.example") && lacks("API.example."))
    #expect(try !lacks("pinned.example") && !lacks("free.example"))
    #expect(try !lacks("api.example", demanded: false) && !lacks("api.example", "iOS 13"))
  }

  @Test("an entry with neither list pins nothing, and turns nothing off")
  func neitherList() throws {
    #expect(try lacks("bare.example") && lacks("a.bare.example"))
    #expect(try !lacks("bare.example", demanded: false))
  }

  @Test("the decision about a load reports missing required pins, on systems that check pins")
  func decisions() throws {
    func decide(_ url: String, demanded: Bool = true, _ loader: Loader = .urlSession) throws -> ATS.Decision {
      ATS.decide(.init(try LoadURL(url), os: OSVersion(.iOS, 17), loader: loader), by: list(demanded: demanded))
    }
    let missing = try decide("https://api.example/")
    #expect(missing.verdict == .allowed && missing.lacksRequiredPins && missing.isShutOutByPins)
    #expect(missing.notes.contains { $0.note?.contains("SecTrustPinningRequired") == true })
    let pinned = try decide("https://pinned.example/")
    #expect(!pinned.lacksRequiredPins && !pinned.isShutOutByPins)
    let free = try decide("https://api.example/", demanded: false)
    #expect(!free.lacksRequiredPins && !free.isShutOutByPins)
    #expect(!free.notes.contains { $0.note?.contains("SecTrustPinningRequired") == true })
    // Pins are part of server trust: without TLS there is none, and Network.framework reads no plist.
    #expect(try !decide("http://api.example/").lacksRequiredPins)
    #expect(try !decide("https://api.example/", .networkFramework).lacksRequiredPins)
  }

  private func changes(
    _ old: ATS.Configuration, _ new: ATS.Configuration, _ os: OSVersion = OSVersion(.iOS, 18, 4)
  ) -> [ATS.SettingsDifference.Change] {
    ATS.SettingsDifference(from: old, to: new, urls: [], systems: [os]).changes
  }

  @Test("requiring pins blocks the hosts without any, and removing the requirement allows them")
  func difference() {
    // Hosts that no list names, and for the entry with neither list its host and a subdomain.
    let hosts = ["203.0.113.1", "any-other-host.example", "bare.example", "printer.local", "www.bare.example"]
    let shut = changes(list(demanded: false), list(demanded: true))
    #expect(shut.map(\.new.load.url.description).sorted() == hosts.map { "https://\($0)/" })
    #expect(shut.allSatisfy { $0.kind == .newlyBlocked && $0.key == "SecTrustPinningRequired" })
    #expect(shut.allSatisfy { $0.isByRequiredPins && !$0.old.lacksRequiredPins && $0.new.lacksRequiredPins })
    let opened = changes(list(demanded: true), list(demanded: false))
    #expect(Set(opened.map(\.new.load.url)) == Set(shut.map(\.new.load.url)) && opened.count == shut.count)
    #expect(opened.allSatisfy { $0.kind == .newlyAllowed && $0.key == "SecTrustPinningRequired" })
    #expect(opened.allSatisfy { $0.isByRequiredPins && $0.old.lacksRequiredPins && !$0.new.lacksRequiredPins })
    #expect(changes(list(demanded: true), list(demanded: true)).isEmpty)
    // Systems before iOS 14 ignore the key.
    #expect(changes(list(demanded: false), list(demanded: true), OSVersion(.iOS, 13)).isEmpty)
  }

  @Test("moving the requirement out of NSAppTransportSecurity is reported once")
  func moved() {
    let inside = ATS.Configuration(infoPlist: ["NSAppTransportSecurity": ["SecTrustPinningRequired": true]])
    let beside = ATS.Configuration(infoPlist: ["NSAppTransportSecurity": [:], "SecTrustPinningRequired": true])
    func keys(_ old: ATS.Configuration, _ new: ATS.Configuration) -> Set<String> {
      Set(
        ATS.SettingsDifference(from: old, to: new, urls: [], systems: [OSVersion(.iOS, 18, 4)]).changes.map {
          "\($0.kind.rawValue) by \($0.key)"
        })
    }
    #expect(keys(inside, beside) == ["newly-blocked by SecTrustPinningRequired"])
    #expect(keys(beside, inside) == ["newly-allowed by SecTrustPinningRequired"])
    // Inside the dictionary it changes nothing.
    #expect(keys(inside, .empty).isEmpty)
  }

  @Test("if pins are required, removing those of a host blocks it")
  func takenAway() {
    let entry: PropertyList = ["a.example": ["NSPinnedLeafIdentities": Self.hash]]
    let key = "NSPinnedDomains.a.example.NSPinnedLeafIdentities"
    let shut = changes(list(demanded: true, entry), list(demanded: true, [:]))
    #expect(shut.map(LoadChange.init) == [.init(.newlyBlocked, "https://a.example/", by: key)])
    #expect(shut.first?.isByRequiredPins == true && shut.first?.new.lacksRequiredPins == true)
    let loosened = changes(list(demanded: false, entry), list(demanded: false, [:]))
    #expect(loosened.map(LoadChange.init) == [.init(.loosened, "https://a.example/", by: key)])
    #expect(loosened.first?.old.pinnedIdentities != nil && loosened.first?.new.pinnedIdentities == nil)
    #expect(loosened.first?.demands.count == 1)
  }

  @Test("required pins are compared even with an unexpanded build setting")
  func unexpanded() {
    let entry: PropertyList = ["$(HOST)": ["NSPinnedLeafIdentities": Self.hash]]
    let shut = changes(list(demanded: false, entry), list(demanded: true, entry))
    let expected = LoadChange(.newlyBlocked, "https://any-other-host.example/", by: "SecTrustPinningRequired")
    #expect(shut.map(LoadChange.init).contains(expected))
    #expect(!shut.contains { "\($0.new.load.url) \($0.key) \($0.demands)".contains("unexpanded") })
  }

  @Test("the deciding key is found next to NSAppTransportSecurity")
  func spot() {
    let root: PropertyList = ["NSAppTransportSecurity": [:], "SecTrustPinningRequired": true]
    #expect(ATS.LintFinding.Spot(of: "SecTrustPinningRequired", in: root).keyPath == "SecTrustPinningRequired")
    #expect(ATS.LintFinding.Spot(of: "NSPinnedDomains", in: root).keyPath == "NSAppTransportSecurity")
  }

  @Test("the requirement counts in an Info.plist, not in an NSAppTransportSecurity dictionary by itself")
  func place() {
    let inside: PropertyList = ["NSAllowsArbitraryLoads": false, "SecTrustPinningRequired": true]
    #expect(ATS.Configuration.Origin(in: inside) == .dictionaryItself)
    #expect(!ATS.Configuration(infoPlist: inside).requiresPinning)
    #expect(ATS.lint(inside).contains { $0.rule == .plistMisplacedKey && $0.spot.keyPath == "SecTrustPinningRequired" })
    for settings in [["NSAllowsArbitraryLoads": false], "YES"] as [PropertyList] {
      let beside: PropertyList = ["NSAppTransportSecurity": settings, "SecTrustPinningRequired": true]
      #expect(ATS.Configuration(infoPlist: beside).requiresPinning)
      #expect(!ATS.lint(beside).contains { $0.rule == .plistMisplacedKey })
    }
    let absent: PropertyList = ["CFBundleName": "x", "SecTrustPinningRequired": true]
    #expect(ATS.Configuration(infoPlist: absent).requiresPinning)
  }
}
