import Cryptography
import Explanation
import Oracles
import Testing

@testable import TLS

/// The handshake traces of RFC 8448, with every secret, key and record.
struct Traces13: Decodable {
  static let file = "tls13/rfc8448.json"

  let traces: [Trace]
  let server_rsa_key: RSAKey

  struct RSAKey: Decodable {
    let modulus, public_exponent: HexBytes
  }

  struct Trace: Decodable, CustomStringConvertible {
    let id: String
    let cipher_suite: String
    let shared_secret: HexBytes
    let ephemeral_keys: [String: [EphemeralKey]]
    let secrets: [Secret]
    let traffic_keys: [TrafficKeys]
    let steps: [Step]
    let tickets: [Ticket]?

    var description: String { id }
    var suite: CipherSuite.Registration? { CipherSuite(name: cipher_suite)?.registration }

    func secret(_ name: String) -> Secret? { secrets.first { $0.name == name } }
  }

  struct EphemeralKey: Decodable {
    let group: String
    let `private`: HexBytes
  }

  struct Secret: Decodable {
    let name: String
    let label: String?
    let salt, ikm, secret, context, info: HexBytes?
    let value: HexBytes
  }

  struct TrafficKeys: Decodable {
    let secret, writer: String
    let key, iv, key_info, iv_info: HexBytes
    let finished_key, finished_info: HexBytes?
  }

  struct Step: Decodable {
    let number: Int
    let from: String
    let record, plaintext: HexBytes
    let secret: String?
    let sequence_number: UInt64?
    let padding: Int?
    let messages: [Message]?
  }

  struct Message: Decodable {
    let type: String
    let bytes: HexBytes
    let transcript_hash_after: HexBytes?
    let verify: Verify?
  }

  struct Verify: Decodable {
    let transcript_hash: HexBytes
    let verify_data, signed_content, signature: HexBytes?
  }

  struct Ticket: Decodable {
    let nonce, psk: HexBytes
  }

  private static let file13 = try? Vectors.read(file, as: Traces13.self)
  static let all: [Trace] = file13?.traces ?? []
  /// The key in the server's certificate.
  static let serverKey: PublicKey? = file13.flatMap { file in
    let key = file.server_rsa_key
    return (try? RSAPublicKey(
      modulus: Natural(bigEndian: key.modulus.bytes), exponent: Natural(bigEndian: key.public_exponent.bytes)))
      .map(PublicKey.rsa)
  }
}

/// Whole recorded sessions of TLS 1.3, with their key logs and plaintexts.
struct Sessions13: Decodable {
  static let file = "tls13/tls13_transcripts.json"

  let transcripts: [Session]

  struct Session: Decodable, CustomStringConvertible {
    let id: String
    let records: [Record]
    let client_random: HexBytes
    let key_log: [String: [HexBytes]]
    let shared_secret, handshake_secret: HexBytes?
    let ephemeral: [String: [Ephemeral]]?
    let expected: Expected

    var description: String { id }
  }

  struct Ephemeral: Decodable {
    let value: String
    let hex: HexBytes
  }

  struct Record: Decodable {
    let dir: String
    let hex: HexBytes
  }

  struct Expected: Decodable {
    let cipher_suite, group: String?
    let early_data: String?
    let certificates: [String: [HexBytes]]
    let alpn: String?
    let handshake_message_order: [[String]]
    let application_data: [String: HexBytes]
    let updated_secrets: [String: HexBytes]
    let new_session_tickets: [Ticket]
    let plaintext_records: [Plaintext]
    let exporter: Exporter?
    let complete: Bool
  }

  struct Ticket: Decodable {
    let lifetime: UInt32
    let nonce, ticket, psk: HexBytes
  }

  struct Plaintext: Decodable {
    let dir: String
    let inner_type: UInt8
    let protected: Bool
    let key: String?
    let sequence: UInt64?
    let padding: Int
    let content: HexBytes
  }

  struct Exporter: Decodable {
    let label: String
    let context, value: HexBytes
    let length: Int
  }

  static let all: [Session] = (try? Vectors.read(file, as: Sessions13.self).transcripts) ?? []
}
