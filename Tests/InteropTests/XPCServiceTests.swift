import Foundation
import Testing

@Suite("Property lists of XPC services")
struct XPCServiceTests {
  private static let lifted = "<key>NSAllowsArbitraryLoads</key><true/>"

  private static func plist(_ settings: String) -> Data {
    Data("<plist><dict><key>NSAppTransportSecurity</key><dict>\(settings)</dict></dict></plist>".utf8)
  }

  @Test("an XPC service has its own plist, in an app and in a framework")
  func services() throws {
    let folder = try Program.folder([:])
    defer { try? FileManager.default.removeItem(at: folder) }
    let versions = "Contents/Frameworks/Sparkle.framework/Versions"
    let lists = [
      "Contents": "", "Contents/XPCServices/Get.xpc/Contents": Self.lifted,
      "Contents/PlugIns/Share.appex/Contents/XPCServices/Send.xpc/Contents": "",
      "\(versions)/B/XPCServices/Load.xpc/Contents": "", "\(versions)/B/Resources": Self.lifted,
    ]
    let app = folder.appendingPathComponent("My.app")
    for (place, body) in lists {
      let place = app.appendingPathComponent(place)
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
      try Self.plist(body).write(to: place.appendingPathComponent("Info.plist"))
    }
    try FileManager.default.createSymbolicLink(
      atPath: app.appendingPathComponent("\(versions)/Current").path, withDestinationPath: "B")
    func files(of name: String) throws -> [String] {
      let lint = try Program.run("ats", "lint", name, "--format", "json", in: folder)
      let behind = lint.output.components(separatedBy: "\"file\": \"").dropFirst()
      return behind.map { String($0.prefix { $0 != "\"" }) }
    }
    #expect(
      try files(of: "My.app") == [
        "My.app/Contents/Info.plist", "My.app/\(versions)/B/XPCServices/Load.xpc/Contents/Info.plist",
        "My.app/Contents/PlugIns/Share.appex/Contents/XPCServices/Send.xpc/Contents/Info.plist",
        "My.app/Contents/XPCServices/Get.xpc/Contents/Info.plist",
      ])
    let own = "My.app/Contents/XPCServices/Get.xpc"
    #expect(try files(of: own) == ["\(own)/Contents/Info.plist"])
    // The app's own plist decides about the app, regardless of a service's.
    func decide(_ name: String) throws -> Int32 {
      try Program.run("ats", "decide", "--plist", name, "--url", "http://a.example/", "--os", "macOS 14", in: folder)
        .status
    }
    #expect(try decide("My.app") == 1)
    #expect(try decide(own) == 0)
  }
}
