import Foundation
import Oracles
import Testing

@Suite("The command limbo")
struct LimboCommandTests {
  private static let pem =
    "-----BEGIN CERTIFICATE-----\\nMAA=\\n-----END CERTIFICATE-----\\n"

  /// One case with a certificate that cannot be read.
  private static func file(_ expected: String, kind: String = "SERVER", time: String = "null") -> Data {
    Data(
      """
      {"version": 1, "testcases": [{"id": "rfc5280::nc::one", "features": null, "validation_kind": "\(kind)",
      "trusted_certs": [], "untrusted_intermediates": [], "peer_certificate": "\(pem)", "validation_time": \(time),
      "signature_algorithms": [], "key_usage": [], "extended_key_usage": [], "expected_result": "\(expected)",
      "expected_peer_name": {"kind": "DNS", "value": "example.com"}, "expected_peer_names": [], "crls": []}]}
      """.utf8)
  }

  private static func folder() throws -> URL {
    try Program.folder([
      "agrees.json": file("FAILURE"), "differs.json": file("SUCCESS"),
      "skipped.json": file("SUCCESS", kind: "OTHER"), "time.json": file("FAILURE", time: "\"yesterday\""),
      "empty.json": Data("{\"version\": 1, \"testcases\": []}".utf8), "junk.json": Data([0, 0xFF, 0x9B, 7]),
      "chain.json": Data("-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n".utf8),
      "broken.json": Data("{\"version\": 1,\n  oops".utf8), "other.json": Data("{\"version\": 2}".utf8),
    ])
  }

  @Test(
    "the exit status says whether all results agree",
    arguments: [("agrees.json", 0), ("differs.json", 1), ("skipped.json", 0)])
  func status(file: String, status: Int) throws {
    let result = try Program.run("limbo", file, in: try Self.folder())
    #expect(Int(result.status) == status, "\(result.output)\(result.errors)")
    #expect(result.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
  }

  @Test("a disagreement and a skip have their reasons")
  func reasons() throws {
    let folder = try Self.folder()
    #expect(try Program.run("limbo", "differs.json", in: folder).output.contains("rfc5280::"))
    #expect(try Program.run("limbo", "skipped.json", in: folder).output.contains("validation_kind OTHER"))
  }

  @Test(
    "an invalid x509-limbo file is an error with its place",
    arguments: [
      ("broken.json", "broken.json:2:3: error: "), ("other.json", "1"),
      ("empty.json", "testcases"), ("chain.json", "'chain.json' … PEM"),
      ("junk.json", "'junk.json'"), (".", "'.'"),
      ("time.json", "testcases[0] (rfc5280::nc::one).validation_time"), ("none.json", "'none.json'"),
    ])
  func unreadable(file: String, message: String) throws {
    let result = try Program.run("limbo", file, in: try Self.folder())
    #expect(result.status == 2)
    #expect(result.errors.shows(message), "\(result.errors)")
  }

  @Test("only cases that match are evaluated, and at least one must match")
  func only() throws {
    let folder = try Self.folder()
    #expect(try Program.run("limbo", "agrees.json", "--only", "rfc5280::*", in: folder).status == 0)
    #expect(try Program.run("limbo", "agrees.json", "--only", "webpki::*", in: folder).status == 2)
  }

  @Test(
    "results conform to their schema", .needs(.jsonschema),
    arguments: ["agrees.json", "differs.json", "skipped.json"])
  func schema(file: String) throws {
    let folder = try Self.folder()
    let result = try Program.run("limbo", file, "--format", "json", in: folder)
    let answer = folder.appendingPathComponent("answer-\(file)")
    try Data(result.output.utf8).write(to: answer)
    #expect(OtherPrograms.violation(in: answer, of: "limbo") == "")
  }
}
