import Explanation
import Wire

/// The client's part of the premaster secret: RFC 5246 section 7.4.7, RFC 8422 section 5.7.
public enum ClientKeyExchange: Sendable, Hashable {
  /// `EncryptedPreMasterSecret`: the premaster secret, encrypted to the server's RSA key.
  case rsa(encryptedPremasterSecret: [UInt8])
  /// `ClientECDiffieHellmanPublic`: the client's point, `client_ecdh_public`.
  case ecdhe(publicKey: [UInt8])
  /// The message of a key exchange this package does not run.
  case opaque([UInt8])

  init(_ reader: inout Reader, _ keyExchange: CipherSuite.KeyExchange?) throws(WireError) {
    switch keyExchange {
    case .rsa:
      self = .rsa(encryptedPremasterSecret: try reader.opaque("encrypted_premaster_secret", 0...0xffff))
    case .ecdheRSA, .ecdheECDSA: self = .ecdhe(publicKey: try reader.opaque("ecdh_Yc", 1...0xff))
    default: self = .opaque(try reader.rest("exchange_keys"))
    }
  }

  func write(to writer: inout Writer) throws(WireError) {
    switch self {
    case .rsa(let encrypted): try writer.opaque("encrypted_premaster_secret", 0...0xffff, encrypted)
    case .ecdhe(let publicKey): try writer.opaque("ecdh_Yc", 1...0xff, publicKey)
    case .opaque(let bytes): writer.raw(bytes)
    }
  }
}
