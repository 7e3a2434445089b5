import Cryptography
import Endpoint
import Explanation
import PKIX
@testable import Simulator
import Testing
import Trust
import URLLoading

@testable import Scenarios

@Suite("Identities that servers issue")
struct RegistrationTests {
  private func play(_ id: String, _ name: String = Scenario.mainCase) throws -> Simulation {
    let scenario = try #require(Lab.cases.first { $0.id == id && $0.caseName == name })
    return try Lab.player.play(scenario).simulation
  }

  @Test("a server's response holds the imported file byte for byte, over http and https")
  func response() throws {
    // If the server requires a password, the first response is 401.
    for (run, number) in [(try play("L13-07"), 1), (try play("L13-01"), 2)] {
      let response = try #require(run.trace.values["register.application_data.server.\(number)"]).bytes
      let text = String(decoding: response, as: UTF8.self)
      #expect(
        text.contains("Content-Type: application/json\r\n") && text.contains("{\"result\": \"SUCCESS\", \"message\": "))
      let file = try #require(IssuedIdentity.file(inResponse: response))
      #expect(run.trace.values["alice.p12"]?.bytes == file)
      let imported = PKCS12Import(file, passphrase: "test", os: OSVersion(.iOS, 8))
      let key = try #require(imported.items.first?.key)
      #expect(try key.pkcs8 == run.trace.values["alice.key"]?.bytes)
      #expect(PKCS12Import(file, passphrase: "Test", os: OSVersion(.iOS, 8)).items.isEmpty)
    }
    #expect(IssuedIdentity.file(inResponse: Array("HTTP/1.1 200 OK\r\n\r\n{\"certificate\": \"MIIK...\"}".utf8)) == nil)
    #expect(IssuedIdentity.file(inResponse: Array("HTTP/1.1 200 OK\r\n\r\nhello".utf8)) == nil)
  }

  @Test("an eavesdropper of a registration over http opens the file and obtains the device's key")
  func stolen() throws {
    let proof = try #require(Execution(of: "alice.key", as: .eavesdropper, in: try play("L13-07")))
    #expect(proof.holds && proof.isComplete)
    #expect(
      proof.steps.map(\.value) == [
        "register.application_data.server.1", "alice.p12", "alice.passphrase", "alice.key",
      ])
  }

  @Test("without the file or without its passphrase, the key stays secret")
  func kept() throws {
    let secure = try play("L13-07", "registered over https, the file is nobody's but the device's").knowledge(
      of: .eavesdropper)
    #expect(secure.knows("alice.passphrase") && !secure.knows("alice.p12") && !secure.knows("alice.key"))
    let typed = try play(
      "L13-07", "with a passphrase that comes another way, the file is read and not opened"
    ).knowledge(of: .eavesdropper)
    #expect(typed.knows("alice.p12") && !typed.knows("alice.passphrase") && !typed.knows("alice.key"))
  }

  @Test("a wrong passphrase and an invalid file open nothing, and the reason is reported")
  func obstacles() throws {
    let run = try play("L13-07")
    let file = try #require(run.trace.values["alice.p12"]).bytes
    func opened(_ bytes: [UInt8], _ passphrase: String) -> Obstacle? {
      let inputs = [("alice.p12", bytes), ("alice.passphrase", Array(passphrase.utf8))].map {
        Execution.Input(name: $0.0, bytes: $0.1)
      }
      do throws(Obstacle) {
        _ = try Application(
          method: .identityFileOpening, value: "alice.key", inputs: inputs, known: [:], run: run, limit: 8
        ).carriedOut()
        return nil
      } catch { return error }
    }
    #expect(opened(file, "test") == nil)
    #expect(opened(file, "Test") == .failed(PKCS12Error.macMismatch.description))
    #expect(try #require(opened(Array(file.dropLast()), "test")).description.hasPrefix("not PKCS #12: "))
  }
}
