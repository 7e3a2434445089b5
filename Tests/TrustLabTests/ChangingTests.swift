import Foundation
import Oracles
import Rendering
import Testing

@testable import trustlab

@Suite("Changes to a scenario")
struct ChangingTests {
  @Test("one of several connections is changed by its index")
  func connections() throws {
    var session = Bench.session("open L1-07")
    let said = session.evaluate("set connections[0].request.body = pay 200").text
    #expect(said.contains("connections") && said.contains("pay 200"))
    #expect(session.opened?.scenario.tree["connections"]?.items?.count == 2)
    #expect(session.opened?.scenario.tree["connections"]?.items?.first?.flowText.contains("pay 200") == true)
    #expect(session.evaluate("set connections[2].name = x").text.shows("'connections' … 2"))
    #expect(session.evaluate("set requests[0] = x").text.contains("'requests'"))
    #expect(session.evaluate("undo").text.contains("undone: connections[0]"))
  }

  @Test("a sweep warns if connections override its value, and can change an item")
  func ownSystems() throws {
    let text = """
      connections:
        - { client: { os: iOS 9 }, request: "https://api.example/" }
        - { client: { os: iOS 10 }, request: "https://api.example/" }
      """
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("own-systems-\(getpid())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    func file(_ name: String, _ text: String) throws -> String {
      let url = folder.appendingPathComponent(name)
      try Data(text.utf8).write(to: url)
      return url.path
    }
    var session = Bench.session("open \(try file("both.yaml", text))")
    #expect(session.evaluate("matrix os iOS 8, iOS 9").text.contains("client.os"))
    #expect(session.evaluate("sweep connections[1].client.os iOS 8, iOS 11").text.contains("2"))
    #expect(session.evaluate("sweep server.presents[0] api, Issuing").text.contains("name.mismatch"))
    let one = text.replacing("client: { os: iOS 9 }, ", with: "")
    session = Bench.session("open \(try file("one.yaml", one))")
    #expect(session.evaluate("matrix os iOS 8, iOS 9").text.shows("connections[1] … client.os … iOS 10"))
  }

  @Test("sweep accepts the same paths as set, and none of the file's metadata")
  func sweptPaths() {
    let session = Bench.session("open L1-15")
    func message(_ line: String) -> String? { session.evaluated(line).complaint?.message }
    for name in ["authorities.'Root A'.trust", "authorities.\"Root A\".trust"] {
      #expect(message("set \(name) = user") == nil && message("sweep \(name) user, system") == nil)
    }
    #expect(message("sweep client..os iOS 8, iOS 9")?.contains("'client..os'") == true)
    #expect(message("set client..os = iOS 8")?.contains("'client..os'") == true)
    #expect(message("sweep cases a, b")?.contains("'cases'") == true)
    #expect(message("set cases = a")?.contains("'cases'") == true)
  }

  @Test("'attacker' alone lists the attackers on the network, and possible additions")
  func attackers() {
    var session = Bench.session("open L0-02")
    let said = session.evaluate("attacker").text
    #expect(said.contains("eavesdrop") && said.contains("alter: HTTP response") && said.contains("impersonate"))
    _ = session.evaluate("set network = []")
    let nobody = session.evaluate("attacker")
    #expect(!nobody.isError && !nobody.text.contains("alter: HTTP response"), "\(nobody.text)")
    #expect(Bench.session().evaluated("attacker").isError)
  }

  @Test("a difference of two cases lists their settings, without titles, texts and expectations")
  func difference() {
    var session = Bench.session("open L0-02", "fork main", "open L0-02 nobody interferes")
    let said = session.evaluate("diff main now").text
    #expect(said.contains("network = [eavesdrop]"))
    for word in ["expect", "title", "after", "before", "sources"] { #expect(!said.contains("≠ \(word)"), "\(word)") }
  }
}
