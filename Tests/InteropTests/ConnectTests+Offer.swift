import Foundation
import Oracles
import Rendering
import Testing

/// What the client itself sends, or may not send, is not the server's fault.
extension ConnectTests {
  // RFC 5246 section 7.4.4: the certificate's type and signature must be among those of the request.
  @Test(
    "an identity that does not fit the CertificateRequest is not sent, and the reason is not that there is none",
    .needs(.openssl), arguments: [("RSA+SHA256", false), ("ECDSA+SHA256", true)])
  func misfit(_ algorithm: String, _ fits: Bool) throws {
    let folder = try #require(FaultyChains.folder)
    let (server, words) = try good(
      "-Verify", "3", "-tls1_2", "-CAfile", "root.pem", "-client_sigalgs", algorithm, "-naccept", "9")
    let file = try Program.folder([:]).appendingPathComponent("me.p12").path
    #expect(
      OtherPrograms.openssl(
        ["pkcs12", "-export", "-in", "good.pem", "-inkey", "leaf.key", "-certfile", "issuing.pem"]
          + ["-passout", "pass:test", "-out", file], in: folder))
    let run = try json(words + ["--identity", file, "--passphrase", "test"])
    #expect(because(run).contains("client-auth.certificate-required") == !fits)
    if fits { return }
    let finding = try #require(reason(run))
    #expect(finding.text("required").contains("rsa_pkcs1_sha256"))
    #expect(finding.text("found").contains("ecdsa_secp256r1_sha256"))
    let none = try #require(reason(try json(words)))
    #expect(none.text("found") == "absent" && none.text("fix") != finding.text("fix"))
    withExtendedLifetime(server) {}
  }

  private func reason(_ run: JSONValue) -> JSONValue? {
    run.findings(of: "client-auth.certificate-required").first { $0.text("outcome") == "violated" }
  }

  // RFC 5746 section 3.4: the hello has the SCSV or renegotiation_info, and without either the server may not answer.
  @Test("a named suite leaves the SCSV in the hello", .needs(.openssl), arguments: ["macOS 10.12", "iOS 17"])
  func signalling(_ os: String) throws {
    let (server, words) = try good("-tls1_2")
    let suite = "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"
    let run = try json(words + ["--os", os, "--suites", suite])
    #expect(run.text("verdict") == "accepted")
    #expect(["", "satisfied"].contains(outcome(of: "handshake.insecure-renegotiation", in: run)))
    withExtendedLifetime(server) {}
  }
}
