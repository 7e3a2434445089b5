import Testing
import Trust

@testable import Advice
@testable import URLLoading

extension ATS.SettingsDifference.Change {
  /// Whether missing pins alone shut the load out, or no longer do.
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

  @Test("every host needs pins, but one whose entry has two empty lists, since iOS 14")
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

  @Test("the decision about a load says that demanded pins are missing, where pins hold at all")
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
    // Pins are part of server trust: there is none without TLS, and Network.framework asks nobody's plist.
    #expect(try !decide("http://api.example/").lacksRequiredPins)
    #expect(try !decide("https://api.example/", .networkFramework).lacksRequiredPins)
  }

  private func changes(
    _ old: ATS.Configuration, _ new: ATS.Configuration, _ os: OSVersion = OSVersion(.iOS, 18, 4)
  ) -> [ATS.SettingsDifference.Change] {
    ATS.SettingsDifference(from: old, to: new, urls: [], systems: [os]).changes
  }

  @Test("a new demand for pins shuts out the hosts that have none, and its end lets them in again")
  func difference() {
    // What no list names, and of the entry with neither list its host and one below.
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
    // Before iOS 14 nobody knows the key.
    #expect(changes(list(demanded: false), list(demanded: true), OSVersion(.iOS, 13)).isEmpty)
  }

  @Test("a demand that moves from inside NSAppTransportSecurity to its place beside it is named once")
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
    // Inside, it changes nothing.
    #expect(keys(inside, .empty).isEmpty)
  }

  @Test("where pins are demanded, taking away those of a host shuts it out")
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

  @Test("a demand for pins is compared beside a build setting that is not replaced yet")
  func unexpanded() {
    let entry: PropertyList = ["$(HOST)": ["NSPinnedLeafIdentities": Self.hash]]
    let shut = changes(list(demanded: false, entry), list(demanded: true, entry))
    let expected = LoadChange(.newlyBlocked, "https://any-other-host.example/", by: "SecTrustPinningRequired")
    #expect(shut.map(LoadChange.init).contains(expected))
    #expect(!shut.contains { "\($0.new.load.url) \($0.key) \($0.demands)".contains("unexpanded") })
  }

  @Test("what decided is found beside NSAppTransportSecurity")
  func spot() {
    let root: PropertyList = ["NSAppTransportSecurity": [:], "SecTrustPinningRequired": true]
    #expect(ATS.LintFinding.Spot(of: "SecTrustPinningRequired", in: root).keyPath == "SecTrustPinningRequired")
    #expect(ATS.LintFinding.Spot(of: "NSPinnedDomains", in: root).keyPath == "NSAppTransportSecurity")
  }

  @Test("the demand counts in an Info.plist, and not inside the NSAppTransportSecurity dictionary given by itself")
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
