import Explanation
import Testing
import Trust

@testable import Advice
@testable import URLLoading

// Release notes of iOS 17, 101967030: addresses are open by default for apps that are linked with an earlier SDK.
@Suite("The SDK in a built app's plist")
struct LinkedSDKTests {
  /// An Info.plist as Xcode writes it: with the SDK, if there is one, and entries for these hosts.
  private func plist(sdk: String?, open hosts: [String] = []) -> PropertyList {
    let entries = hosts.map { PropertyList.Dictionary.Entry(key: $0, value: Self.open) }
    let settings: PropertyList = ["NSExceptionDomains": .dictionary(.init(entries: entries))]
    let root: [(String, PropertyList)] =
      [("NSAppTransportSecurity", settings)] + (sdk.map { [("DTSDKName", .string($0))] } ?? [])
    return .dictionary(.init(entries: root.map { .init(key: $0.0, value: $0.1) }))
  }

  private static let open: PropertyList = ["NSExceptionAllowsInsecureHTTPLoads": true]

  private func settings(sdk: String?, open hosts: [String] = []) -> ATS.Configuration {
    .init(infoPlist: plist(sdk: sdk, open: hosts))
  }

  @Test("decisions use the plist's SDK, unless the load has its own")
  func decisions() throws {
    func standing(
      _ sdk: String?, _ host: String = "203.0.113.4", load: OSVersion? = nil
    ) throws -> ATS.Decision.Standing {
      let load = ATS.Load(try LoadURL("https://\(host)/"), os: OSVersion(.iOS, 17), linkedSDK: load)
      return ATS.decide(load, by: settings(sdk: sdk)).standing
    }
    #expect(try standing("iphoneos16.4") == .notApplicable(.addressOfEarlierSDK))
    #expect(try standing("iphoneos17.0") == .inForce)
    #expect(try standing(nil) == .inForce)
    #expect(try standing("iphoneos16.4", "api.example") == .inForce)
    #expect(try standing("iphoneos8.0", "api.example") == .notApplicable(.sdk))
    // The SDK of the load takes precedence.
    #expect(try standing("iphoneos16.4", load: OSVersion(.iOS, 17)) == .inForce)
    #expect(try standing("iphoneos17.0", load: OSVersion(.iOS, 16, 4)) == .notApplicable(.addressOfEarlierSDK))
  }

  @Test("an entry for an address is dropped only if the SDK opens addresses")
  func pruning() throws {
    func droppable(_ sdk: String?, _ url: String) throws -> [String] {
      ATS.ExceptionPruning(
        of: settings(sdk: sdk, open: ["203.0.113.0/24", "a.example"]),
        urls: [try LoadURL(url), try LoadURL("http://a.example/")], systems: [OSVersion(.iOS, 18, 4)]
      ).droppable
    }
    let range = "NSExceptionDomains.203.0.113.0/24"
    #expect(try droppable("iphoneos16.4", "http://203.0.113.1/") == [range])
    #expect(try droppable("iphoneos17.0", "http://203.0.113.1/") == [])
    #expect(try droppable(nil, "http://203.0.113.1/") == [])
  }

  @Test("plists are equal if they differ only in an entry that the SDK makes needless")
  func differences() {
    func changes(_ sdk: String) -> [String] {
      let difference = ATS.SettingsDifference(
        from: settings(sdk: sdk, open: ["203.0.113.0/24"]), to: settings(sdk: sdk), urls: [],
        systems: [OSVersion(.iOS, 18, 4)])
      return difference.changes.map { "\($0.kind.rawValue) \($0.new.load.url)" }
    }
    #expect(changes("iphoneos16.4").isEmpty)
    #expect(changes("iphoneos17.0").contains("newly-blocked http://203.0.113.0/"))
  }
}
