import Cryptography
import Explanation

/// NTLM v2 (MS-NLMP section 3.3.2), without signing, sealing and channel binding.
///
/// HTTP uses neither signing nor sealing. It is not documented whether the URL Loading System uses channel binding to
/// TLS.
public struct NTLMv2: Sendable, Hashable {
  /// NTOWFv2, which a server may store instead of the password.
  public let responseKey: [UInt8]

  /// Creates the key of a user of a domain. The domain is case-sensitive, but the user name is not.
  public init(user: String, domain: String, password: String) {
    responseKey = HMAC.authenticationCode(
      .md5, key: MD4.digest(NTLMText.bytes(password)), NTLMText.bytes(user.uppercased() + domain))
  }

  /// Computes NtChallengeResponse, which is NTProofStr followed by its input `temp`.
  public func ntResponse(serverChallenge: [UInt8], temp: [UInt8]) -> [UInt8] { proof(serverChallenge, temp) + temp }

  /// LmChallengeResponse.
  public func lmResponse(serverChallenge: [UInt8], clientChallenge: [UInt8]) -> [UInt8] {
    HMAC.authenticationCode(.md5, key: responseKey, serverChallenge + clientChallenge) + clientChallenge
  }

  /// Computes SessionBaseKey, from which all other keys are derived.
  public func sessionBaseKey(ntResponse: [UInt8]) -> [UInt8] {
    HMAC.authenticationCode(.md5, key: responseKey, Array(ntResponse.prefix(16)))
  }

  /// Returns whether a response proves knowledge of the password.
  public func accepts(ntResponse: [UInt8], serverChallenge: [UInt8]) -> Bool {
    // The proof has 16 bytes, and 28 bytes precede the attributes. A shorter response is an NTLMv1 response.
    guard ntResponse.count >= 44 else { return false }
    return ConstantTime.difference(ntResponse.prefix(16), proof(serverChallenge, Array(ntResponse.dropFirst(16)))) == 0
  }

  /// NTProofStr.
  private func proof(_ serverChallenge: [UInt8], _ temp: [UInt8]) -> [UInt8] {
    HMAC.authenticationCode(.md5, key: responseKey, serverChallenge + temp)
  }

  /// Computes `temp`: NTLMv2_CLIENT_CHALLENGE (section 2.2.2.7) and four zero bytes.
  public static func temp(fileTime: UInt64, clientChallenge: [UInt8], targetInfo: [UInt8]) -> [UInt8] {
    [1, 1, 0, 0, 0, 0, 0, 0] + littleEndian(fileTime) + clientChallenge + [0, 0, 0, 0] + targetInfo + [0, 0, 0, 0]
  }

  /// Converts a date to a FILETIME, in units of 100 nanoseconds since 1601.
  public static func fileTime(_ date: Instant) -> UInt64 {
    let since1601 = date.secondsSince1970.addingReportingOverflow(11_644_473_600)
    guard !since1601.overflow, since1601.partialValue > 0 else { return 0 }
    return UInt64(since1601.partialValue).multipliedReportingOverflow(by: 10_000_000).partialValue
  }

  /// Encodes the TargetInfo of a server: its domain, its name and an end mark.
  public static func targetInfo(domain: String, server: String) -> [UInt8] {
    pair(2, NTLMText.bytes(domain)) + pair(1, NTLMText.bytes(server)) + pair(0, [])
  }

  /// Returns the date in TargetInfo (MsvAvTimestamp), which a client uses instead of its own; nil if there is none.
  static func timestamp(in targetInfo: [UInt8]) -> UInt64? {
    var rest = targetInfo[...]
    while rest.count >= 4 {
      let header = Array(rest.prefix(4))
      let (id, count) = (Int(header[0]) | Int(header[1]) << 8, Int(header[2]) | Int(header[3]) << 8)
      rest = rest.dropFirst(4)
      guard id != 0, rest.count >= count else { return nil }
      if id == 7, count == 8 { return rest.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) } }
      rest = rest.dropFirst(count)
    }
    return nil
  }

  private static func pair(_ id: UInt8, _ value: [UInt8]) -> [UInt8] {
    let value = value.prefix(0xfffe)
    return [id, 0, UInt8(truncatingIfNeeded: value.count), UInt8(truncatingIfNeeded: value.count >> 8)] + value
  }

  private static func littleEndian(_ number: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
  }
}
