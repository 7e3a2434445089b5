import Foundation
import Oracles
import Rendering
import Testing

/// Tests in which the client's own offer, or its limits, cause the failure.
extension ConnectTests {
  // RFC 5246 section 7.4.4: the certificate's type and signature must be among those of the request.
  @Test(
    "an identity that does not match the CertificateRequest is not sent, for the right reason",
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
    let bare = try json(words)
    let none = try #require(reason(bare))
    #expect(none.text("found") == "absent" && bare.fix(of: none) != run.fix(of: finding))
    withExtendedLifetime(server) {}
  }

  private func reason(_ run: JSONValue) -> JSONValue? {
    run.findings(of: "client-auth.certificate-required").first { $0.text("outcome") == "violated" }
  }

  // RFC 5746 section 3.4: the hello must have the SCSV or renegotiation_info; without either the server may abort.
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
