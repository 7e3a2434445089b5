import Testing

@testable import Cryptography

@Suite("RSASSA-PSS-params")
struct PSSParametersTests {
  /// RFC 4055 section 6's rSASSA-PSS-SHA256-Params, as certificates contain them, and similar ones.
  static let written: [(String, Hash, Int)] = [
    ("3000", .sha1, 20),
    (
      "3034a00f300d06096086480165030402010500a11c301a06092a864886f70d010108300d06096086480165030402010500a203020120",
      .sha256, 32
    ),
    (
      "3034a00f300d06096086480165030402030500a11c301a06092a864886f70d010108300d06096086480165030402030500a203020140",
      .sha512, 64
    ),
  ]

  @Test("parameters are decoded and encoded without loss", arguments: written)
  func readAndWritten(hex: String, hash: Hash, saltLength: Int) throws {
    let read = try #require(PSSParameters(der: bytes(hex)))
    #expect(read == PSSParameters(hash: hash, saltLength: saltLength))
    #expect(read.der == (try bytes(hex)))
  }

  @Test("a hash without NULL, and encoded defaults, are equivalent")
  func variants() throws {
    let bare = "3030a00d300b0609608648016503040201a11a301806092a864886f70d010108300b0609608648016503040201a203020120"
    #expect(PSSParameters(der: try bytes(bare)) == PSSParameters(hash: .sha256))
    let explicit = "300aa203020114a303020101"
    #expect(PSSParameters(der: try bytes(explicit)) == PSSParameters(hash: .sha1, saltLength: 20))
  }

  @Test("another trailer, a negative salt or an unknown field is refused")
  func unknown() throws {
    let mixed = "3022a00f300d06096086480165030402010500a203020120a3020201"
    for bad in [mixed, "3005a303020102", "3005a2030201ff", "3000ff", "", "0500", "3005a203020120a2"] {
      #expect(PSSParameters(der: try bytes(bad)) == nil, "\(bad)")
    }
    let sha256WithDefaultMask = "3011a00f300d06096086480165030402010500"
    // RFC 4055 section 3.1 recommends equal hashes, but does not require them: MGF1 with SHA-1 is the default.
    #expect(PSSParameters(der: try bytes(sha256WithDefaultMask))?.maskHash == .sha1)
  }
}
