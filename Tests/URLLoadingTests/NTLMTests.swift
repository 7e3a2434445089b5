import Cryptography
import Explanation
import Testing

@testable import URLLoading

@Suite("NTLM v2")
struct NTLMTests {
  // MS-NLMP section 4.2.4: User, Domain and Password; the challenges are 0123456789abcdef and aa eight times, the time
  // is 0. The messages are those of section 4.2.4.3.
  private static let serverChallenge: [UInt8] = [0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef]
  private static let clientChallenge = [UInt8](repeating: 0xaa, count: 8)
  private static let challengeMessage =
    "4e544c4d53535000020000000c000c003800000033828ae20123456789abcdef00000000000000002400240044000000"
    + "060070170000000f53006500720076006500720002000c0044006f006d00610069006e0001000c005300650072007600650072000000"
    + "0000"
  private static let authenticateMessage =
    "4e544c4d5353500003000000180018006c00000054005400840000000c000c00480000000800080054000000100010005c000000"
    + "10001000d8000000358288e20501280a0000000f44006f006d00610069006e00550073006500720043004f004d0050005500540045005200"
    + "86c35097ac9cec102554764a57cccc19aaaaaaaaaaaaaaaa68cd0ab851e51c96aabc927bebef6a1c01010000000000000000000000000000"
    + "aaaaaaaaaaaaaaaa0000000002000c0044006f006d00610069006e0001000c0053006500720076006500720000000000"
    + "00000000c5dad2544fc9799094ce1ce90bc9d03e"

  private func bytes(_ hex: String) throws -> [UInt8] { try #require(Hex.bytes(hex)) }

  @Test("keys and responses, MS-NLMP sections 4.2.4.1 and 4.2.4.2")
  func keys() throws {
    let ntlm = NTLMv2(user: "User", domain: "Domain", password: "Password")
    #expect(Hex.string(ntlm.responseKey) == "0c868a403bfd7a93a3001ef22ef02e3f")
    #expect(NTLMv2(user: "uSER", domain: "Domain", password: "Password") == ntlm)
    #expect(NTLMv2(user: "User", domain: "DOMAIN", password: "Password") != ntlm)
    let info = NTLMv2.targetInfo(domain: "Domain", server: "Server")
    let temp = NTLMv2.temp(fileTime: 0, clientChallenge: Self.clientChallenge, targetInfo: info)
    let response = ntlm.ntResponse(serverChallenge: Self.serverChallenge, temp: temp)
    #expect(Hex.string(response.prefix(16)) == "68cd0ab851e51c96aabc927bebef6a1c")
    #expect(Hex.string(ntlm.sessionBaseKey(ntResponse: response)) == "8de40ccadbc14a82f15cb0ad0de95ca3")
    let lm = ntlm.lmResponse(serverChallenge: Self.serverChallenge, clientChallenge: Self.clientChallenge)
    #expect(Hex.string(lm) == "86c35097ac9cec102554764a57cccc19aaaaaaaaaaaaaaaa")
    #expect(ntlm.accepts(ntResponse: response, serverChallenge: Self.serverChallenge))
    #expect(!ntlm.accepts(ntResponse: response, serverChallenge: Self.clientChallenge))
    #expect(!ntlm.accepts(ntResponse: Array(response.prefix(43)), serverChallenge: Self.serverChallenge))
    let other = NTLMv2(user: "User", domain: "Domain", password: "password")
    #expect(!other.accepts(ntResponse: response, serverChallenge: Self.serverChallenge))
  }

  @Test("CHALLENGE_MESSAGE of section 4.2.4.3, decoded and encoded")
  func challenge() throws {
    let bytes = try bytes(Self.challengeMessage)
    let message = try #require(NTLMMessage.Challenge(bytes: bytes))
    #expect(message.flags.rawValue == 0xe28a_8233 && message.serverChallenge == Self.serverChallenge)
    #expect(message.targetName == "Server")
    #expect(message.targetInfo == NTLMv2.targetInfo(domain: "Domain", server: "Server"))
    #expect(message.version == [6, 0, 0x70, 0x17, 0, 0, 0, 15])
    #expect(message.bytes == bytes)
  }

  @Test("AUTHENTICATE_MESSAGE of section 4.2.4.3, made from its parts and decoded")
  func authenticate() throws {
    let ntlm = NTLMv2(user: "User", domain: "Domain", password: "Password")
    let temp = NTLMv2.temp(
      fileTime: 0, clientChallenge: Self.clientChallenge,
      targetInfo: NTLMv2.targetInfo(domain: "Domain", server: "Server"))
    let nt = ntlm.ntResponse(serverChallenge: Self.serverChallenge, temp: temp)
    // Section 4.2.4.2.3: RC4 of the RandomSessionKey, sixteen times 55, with the SessionBaseKey.
    var cipher = try RC4(key: ntlm.sessionBaseKey(ntResponse: nt))
    let message = NTLMMessage.Authenticate(
      flags: .init(rawValue: 0xe288_8235),
      lmResponse: ntlm.lmResponse(serverChallenge: Self.serverChallenge, clientChallenge: Self.clientChallenge),
      ntResponse: nt, domain: "Domain", user: "User", workstation: "COMPUTER",
      sessionKey: cipher.process([UInt8](repeating: 0x55, count: 16)), version: [5, 1, 0x28, 0x0a, 0, 0, 0, 15])
    let documented = try bytes(Self.authenticateMessage)
    #expect(message.bytes == documented)
    #expect(NTLMMessage.Authenticate(bytes: documented) == message)
  }

  @Test("NEGOTIATE_MESSAGE has only flags")
  func negotiate() {
    let message = NTLMMessage.Negotiate()
    #expect(message.bytes.count == 32)
    #expect(NTLMMessage.Negotiate(bytes: message.bytes) == message)
    #expect(NTLMMessage.Challenge(bytes: message.bytes) == nil)
  }

  @Test("truncated messages are refused, and changed ones cause no harm")
  func hostile() throws {
    let (challenge, authenticate) = (try bytes(Self.challengeMessage), try bytes(Self.authenticateMessage))
    for count in challenge.indices { #expect(NTLMMessage.Challenge(bytes: Array(challenge[..<count])) == nil) }
    for count in authenticate.indices { #expect(NTLMMessage.Authenticate(bytes: Array(authenticate[..<count])) == nil) }
    for index in challenge.indices {
      for bit in 0..<8 {
        var changed = challenge
        changed[index] ^= 1 << UInt8(bit)
        if let message = NTLMMessage.Challenge(bytes: changed) { _ = NTLMv2.timestamp(in: message.targetInfo) }
      }
    }
    for index in authenticate.indices {
      var changed = authenticate
      changed[index] = 0xff
      _ = NTLMMessage.Authenticate(bytes: changed)
    }
  }

  @Test("dates are counted from 1601; a server's own date is found in its target information")
  func dates() throws {
    #expect(NTLMv2.fileTime(Instant(secondsSince1970: 0)) == 116_444_736_000_000_000)
    #expect(NTLMv2.fileTime(Instant(secondsSince1970: .min)) == 0)
    _ = NTLMv2.fileTime(Instant(secondsSince1970: .max))
    let date: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
    #expect(NTLMv2.timestamp(in: [7, 0, 8, 0] + date + [0, 0, 0, 0]) == 0x0807_0605_0403_0201)
    #expect(NTLMv2.timestamp(in: [7, 0, 8, 0] + date.dropLast()) == nil)
    #expect(NTLMv2.timestamp(in: NTLMv2.targetInfo(domain: "d", server: "s") + [7, 0, 8, 0] + date) == nil)
  }
}
