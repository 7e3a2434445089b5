import Cryptography
import Explanation
import Laboratory
import Rendering
import Testing

@Suite("Files of log lists")
struct LogListFileTests {
  private static let key = Base64.encode(
    PrivateKey.ec(KeyStore.ecKey(owner: "log", curve: .p256)).publicKey.subjectPublicKeyInfo)

  private func list(_ members: String, log: String = "") throws(LogListFile.Invalid) -> LogListFile {
    let text = """
      {"operators": [{"name": "Alfa", "logs": [{"key": "\(Self.key)"\(log)}]}]\(members)}
      """
    return try LogListFile(reading: Array(text.utf8))
  }

  // RFC 3339 section 5.6; Apple's lists of 2019 to 2021 write -0000.
  @Test(
    "a date and time has Z or a numeric offset",
    arguments: [
      ("2021-03-01T00:00:00Z", "2021-03-01T00:00:00Z"), ("2021-03-01T00:00:00+00:00", "2021-03-01T00:00:00Z"),
      ("2021-03-01T00:00:00-00:00", "2021-03-01T00:00:00Z"), ("2021-03-01T00:00:00-0000", "2021-03-01T00:00:00Z"),
      ("2021-03-01T01:30:00.25+01:30", "2021-03-01T00:00:00Z"), ("2021-02-28T23:00:00-01:00", "2021-03-01T00:00:00Z"),
    ])
  func moments(_ text: String, _ instant: String) throws {
    #expect(try list(#", "log_list_timestamp": "\#(text)""#).list.timestamp == Instant(instant))
  }

  @Test(
    "an invalid date and time is an error with the name of its member",
    arguments: [
      "2021-03-01T00:00:00", "2021-03-01T00:00:00+1", "2021-03-01T00:00:00+24:00", "2021-03-01T00:00:00.Z", "soon",
    ])
  func noMoment(_ text: String) throws {
    let states = [
      (#", "state": {"retired": {"timestamp": "\#(text)"}}"#, "operators[0].logs[0].state.retired.timestamp"),
      (
        #", "previous_operators": [{"name": "Bravo", "end_time": "\#(text)"}]"#,
        "operators[0].logs[0].previous_operators[0].end_time"
      ),
    ]
    for (log, path) in states {
      #expect(throws: LogListFile.Invalid.self) { try list("", log: log) }
      do throws(LogListFile.Invalid) { _ = try list("", log: log) } catch { #expect(error.path == path) }
    }
  }

  @Test("Apple's logListVersion is the version of the list")
  func version() throws {
    #expect(try list(#", "logListVersion": 42"#).list.version == "42")
    #expect(try list(#", "version": "3.1", "logListVersion": 42"#).list.version == "3.1")
    #expect(try list("").list.version == nil)
  }
}
