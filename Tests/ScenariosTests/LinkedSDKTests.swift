import Foundation
import Scenarios
import Testing

// Release notes of iOS 17, 101967030: apps that are linked with an earlier SDK may load from IP addresses by default.
@Suite("Scenarios with a built app's plist")
struct LinkedSDKTests {
  /// The verdict on a load from an IP address on iOS 17 by an app built with `sdk`.
  private func verdict(sdk: String, more: String = "") throws -> String {
    let plist = """
      <plist version="1.0"><dict><key>DTSDKName</key><string>\(sdk)</string>
      <key>NSAppTransportSecurity</key><dict/></dict></plist>
      """
    let text = """
      certificates: { api: { issuer: Issuing, names: [203.0.113.4] } }
      server: { host: 203.0.113.4 }
      client: { os: iOS 17, infoPlist: App.plist\(more) }
      request: http://203.0.113.4/
      """
    let scenario = try #require(try Lab.read(text).cases.first)
    let cast = ScenarioSetup(keys: Lab.keys) { path in path.hasSuffix("App.plist") ? Array(plist.utf8) : nil }
    let verdict = try ScenarioPlayer(cast: cast).play(scenario).outcome.verdict
    return ([verdict.word.rawValue] + verdict.because.map(\.id)).joined(separator: " ")
  }

  @Test("the plist's SDK decides about an IP address, and linkedSDK takes precedence")
  func addresses() throws {
    #expect(try verdict(sdk: "iphoneos16.4") == "accepted")
    #expect(try verdict(sdk: "iphoneos17.0") == "refused ats.insecure-http")
    #expect(try verdict(sdk: "iphoneos16.4", more: ", linkedSDK: iOS 17") == "refused ats.insecure-http")
    #expect(try verdict(sdk: "iphoneos17.0", more: ", linkedSDK: iOS 16.4") == "accepted")
  }
}
