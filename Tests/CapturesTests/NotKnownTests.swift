import Explanation
import TLS
import Testing

@testable import Captures

/// Recordings that are incomplete or use unmodelled features: no side is blamed, and the feature has a name.
@Suite("Limits of recordings")
struct NotKnownTests {
  /// The first flights of sessions that OpenSSL 3.0 had with itself.
  ///
  /// One has a suite with a pre-shared key, one a suite without certificates, and one a ClientHello that offers TLS
  /// 1.3.
  private static let preShared = (
    client: "160301006b0100006703032171d1fb3af06e222b0274d2164c7d74cf543116ffeb314adfb285a1f1b21f3c00000400ae00ff0100"
      + "003a002300000016000000170000000d002a0028040305030603080708080809080a080b080408050806040105010601030303010302"
      + "040205020602",
    server: "160303003d020000390303c00fcaadb500520e25b09d2661f29c97bdd42882c99499bb7ed8c2d16a7a5c120000ae000011ff0100"
      + "010000230000001600000017000016030300040e000000"
  )
  private static let anonymous = (
    client: "1603010089010000850303243e1c0e60670b2fd7bc7cd841c9553cbb1deb3afb16841e52b93490a71c5f02000004c01800ff0100"
      + "0058000b000403000102000a000c000a001d0017001e00190018002300000016000000170000000d0030002e04030503060308070808"
      + "0809080a080b080408050806040105010601030302030301020103020202040205020602",
    server: "1603030045020000410303491f150401d3584da4efd15b2cf297f00e5d1030bfbe6e094b2bac0c9020383600c018000019ff0100"
      + "0100000b00040300010200230000001600000017000016030300280c00002403001d20dee385e185b887d75dbc41542987bb88ae5e12"
      + "97222261392d7c365774c2b51716030300040e000000"
  )
  private static let offer13 =
    "16030100dc010000d803030965c002c47141c65bf090e9ff7b2ec63352d86b056e6d26013d2e936f74092920e71b48b4b015657ed0c7fd1e"
    + "8cbc91a347bfa9eadade9d70f7d9893b56886c58000813021303130100ff01000087000b000403000102000a00160014001d0017001e00"
    + "19001801000101010201030104002300000016000000170000000d001e001c040305030603080708080809080a080b0804080508060401"
    + "05010601002b0003020304002d00020101003300260024001d00205262e0cf59a0abe26fb916c8d4abcf68b549922c965b6f0e965b7098"
    + "6305ce38"

  private func findings(
    _ portions: [(Side, String)], incomplete: [Side: String] = [:]
  ) throws -> (found: [Finding], failure: HandshakeFailure?) {
    var configuration = ReplayConfiguration()
    configuration.incomplete = incomplete
    var replay = Replay(configuration)
    var effects: [ReplayEffect] = []
    for (side, hex) in portions { effects += replay.receive(try #require(Hex.bytes(hex)), from: side) }
    let found = effects.compactMap { effect in
      switch effect {
      case .found(let finding, _): finding
      case .failed(let failure, _): failure.finding
      default: nil
      }
    }
    return (found, effects.compactMap { if case .failed(let failure, _) = $0 { failure } else { nil } }.first)
  }

  @Test("suites with pre-shared keys or without certificates are unmodelled, and no message is missing")
  func suites() throws {
    for (session, name) in [(Self.preShared, "0x00ae"), (Self.anonymous, "0xc018")] {
      let (found, failure) = try findings([(.client, session.client), (.server, session.server)])
      #expect(!found.refuses && failure?.isOwn == false)
      let finding = try #require(failure?.finding)
      #expect(finding.rule == .suiteNotImplemented && finding.outcome == .unknown)
      #expect(finding.found.description.lowercased().contains(name.dropFirst(2)), "\(finding.found)")
    }
    // With a modelled suite, TLS_RSA_WITH_AES_128_CBC_SHA256, the same order of messages is a violation.
    let known = [Self.preShared.client, Self.preShared.server].map {
      $0.replacing("00ae00ff", with: "003c00ff").replacing("0000ae0000", with: "00003c0000")
    }
    let (found, failure) = try findings([(.client, known[0]), (.server, known[1])])
    #expect(failure?.finding.rule == .unexpectedMessage && found.refuses)
  }

  @Test("data before the ServerHello is 0-RTT if TLS 1.3 was offered, otherwise out of order")
  func early() throws {
    let early = "140303000101" + "1703030010" + String(repeating: "a5", count: 16)
    let (found, failure) = try findings([(.client, Self.offer13), (.client, early)])
    #expect(!found.refuses && failure?.finding.rule == .versionNotImplemented)
    #expect(failure?.finding.outcome == .unknown)
    let (other, refused) = try findings([(.client, Self.preShared.client), (.client, early)])
    #expect(other.refuses && refused?.finding.rule == .unexpectedMessage)
  }

  @Test("an unexpected message is uncertain after a gap, otherwise out of order")
  func hole() throws {
    // ClientKeyExchange as the next message that is at least partly present.
    let later: (Side, String) = (.client, "160303000610000002" + "0000" + "00")
    let portions: [(Side, String)] = [(.client, Self.preShared.client), later]
    let (found, failure) = try findings(portions, incomplete: [.server: "a capture that lacks bytes"])
    #expect(!found.refuses && failure?.finding.rule == .truncatedConnection && failure?.finding.outcome == .unknown)
    #expect(try findings(portions).found.refuses)
  }

  @Test("records of a NULL cipher are read without a key, but not verified")
  func clear() throws {
    let runs = TsharkHistoryTests.Run.all.filter { $0.version == .tls12 }
    let clear = runs.filter { $0.suite.registration?.cipher == .null }
    #expect(clear.count >= 2)
    for run in clear + runs.filter({ $0.suite.registration?.cipher != .null }).prefix(1) {
      let isClear = run.suite.registration?.cipher == .null
      let flow = try TsharkHistoryTests.Recording(run, number: 1).flow
      var replay = Replay(ReplayConfiguration())
      let effects = flow.portions.flatMap { replay.receive($0.bytes, from: $0.side) } + replay.end()
      let said = effects.compactMap { effect in
        if case .message(let message, .client) = effect, case .applicationData(let bytes) = message.content {
          String(decoding: bytes, as: UTF8.self)
        } else {
          nil
        }
      }
      #expect(said.joined().hasPrefix("GET /1 HTTP/1.1") == isClear, "\(run)")
      let found = effects.compactMap { if case .found(let finding, _) = $0 { finding } else { nil } }
      #expect(found.contains { $0.rule == .finishedMismatch && $0.outcome == .notEvaluated }, "\(run)")
      #expect(!found.refuses, "\(run): \(found.deciding)")
    }
  }

  @Test("fragments of a datagram are joined in any order, once they are complete")
  func fragments() throws {
    let content = (0..<60).map { UInt8($0) }
    func part(_ range: Range<Int>, isLast: Bool, identification: UInt8 = 7) -> ArraySlice<UInt8> {
      let place = UInt16(range.lowerBound / 8) | (isLast ? 0 : 0x2000)
      let header: [UInt8] =
        [0x45, 0] + UInt16(20 + range.count).networkOrder + [0, identification] + place.networkOrder
        + [64, 6, 0, 0, 192, 0, 2, 1, 192, 0, 2, 2]
      return (header + content[range] + [9, 9])[...]  // and what Ethernet fills up with
    }
    let parts = [part(0..<24, isLast: false), part(24..<48, isLast: false), part(48..<60, isLast: true)]
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0], [0, 0, 2, 1]] {
      var fragments = IPFragments()
      let whole = order.compactMap { fragments.take(parts[$0], linkType: 101) }
      #expect(whole.count == 1 && whole.first.map { Array($0.bytes.dropFirst(20)) } == content, "\(order)")
    }
    var fragments = IPFragments()
    #expect(fragments.take(parts[0], linkType: 101) == nil && fragments.take(parts[2], linkType: 101) == nil)
    #expect(fragments.take(part(24..<48, isLast: false, identification: 8), linkType: 101) == nil)
    // A packet that is not a fragment is passed on unchanged.
    let other: [UInt8] = [0x45, 0, 0, 20, 0, 7, 0x40, 0, 64, 6, 0, 0, 192, 0, 2, 1, 192, 0, 2, 2]
    #expect(fragments.take(other[...], linkType: 101)?.bytes == other[...])
    #expect(fragments.take([1, 2, 3][...], linkType: 1)?.bytes == [1, 2, 3][...])
  }
}
