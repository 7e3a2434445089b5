import Cryptography
import Explanation

/// Computes the record keys from the premaster secret (RFC 5246 sections 6.3, 7.4.9 and 8.1, RFC 7627 section 4).
///
/// TLS 1.0 and 1.1 use another pseudorandom function, and SSL 3.0 uses a third one.
///
/// ```
/// premaster_secret + hello randoms → master_secret → key_block = client_write_MAC_key | server_write_MAC_key
///   | client_write_key | server_write_key | client_write_IV | server_write_IV
/// ```
public struct KeySchedule12: Sendable, Hashable {
  /// The version and suite, which determine the hash and the key lengths.
  public let negotiated: Negotiated
  private let secret: PRFSecret

  /// The master secret, which has 48 bytes.
  public var masterSecret: [UInt8] { secret.bytes }

  /// The registered properties of the suite.
  public var suite: CipherSuite.Registration { negotiated.suite }
  /// The length of a master secret in bytes.
  public static let masterSecretLength = 48

  /// Creates a schedule from a known master secret.
  public init(_ negotiated: Negotiated, masterSecret: [UInt8]) {
    self.negotiated = negotiated
    secret = PRFSecret(negotiated.prf, masterSecret)
  }

  /// Computes the master secret, PRF(premaster_secret, "master secret", client_random + server_random) (RFC 5246
  /// section 8.1).
  public init(
    _ negotiated: Negotiated, premasterSecret: [UInt8], clientRandom: [UInt8], serverRandom: [UInt8]
  ) {
    self.init(
      negotiated,
      masterSecret: negotiated.prf.output(
        secret: premasterSecret, label: "master secret", seed: clientRandom + serverRandom,
        count: Self.masterSecretLength))
  }

  /// Creates the schedule; uses the extended master secret if there is a `sessionHash`.
  init(
    _ negotiated: Negotiated, premasterSecret: [UInt8], clientRandom: [UInt8], serverRandom: [UInt8],
    sessionHash: [UInt8]?
  ) {
    if let sessionHash {
      self.init(negotiated, premasterSecret: premasterSecret, sessionHash: sessionHash)
    } else {
      self.init(
        negotiated, premasterSecret: premasterSecret, clientRandom: clientRandom, serverRandom: serverRandom)
    }
  }

  /// Computes the extended master secret, PRF(premaster_secret, "extended master secret", session_hash) (RFC 7627
  /// section 4). `sessionHash` is the hash of all handshake messages up to and including ClientKeyExchange.
  public init(_ negotiated: Negotiated, premasterSecret: [UInt8], sessionHash: [UInt8]) {
    self.init(
      negotiated,
      masterSecret: negotiated.prf.output(
        secret: premasterSecret, label: "extended master secret", seed: sessionHash, count: Self.masterSecretLength))
  }

  /// The key block, PRF(master_secret, "key expansion", server_random + client_random), divided into keys (RFC 5246
  /// section 6.3).
  public func keyBlock(
    clientRandom: [UInt8], serverRandom: [UInt8], encryptThenMAC: Bool = false
  ) -> KeyBlock {
    KeyBlock(
      negotiated,
      bytes: secret.output(
        label: "key expansion", seed: serverRandom + clientRandom, count: negotiated.keyBlockLength),
      encryptThenMAC: encryptThenMAC)
  }

  /// The 12 bytes of Finished: PRF(master_secret, finished_label, Hash(handshake_messages)) (RFC 5246 section 7.4.9).
  ///
  /// SSL 3.0 uses its own construction with 36 bytes (RFC 6101 section 5.6.9).
  public func verifyData(of side: Side, _ transcript: Transcript) -> [UInt8] {
    if negotiated.version == .sslv3 { return SSL3.verifyData(of: side, transcript, masterSecret: masterSecret) }
    return secret.output(
      label: "\(side) finished", seed: transcript.digest(negotiated.prf), count: Finished.verifyDataLength)
  }

  /// Whether both schedules result in the same keys.
  public static func == (one: KeySchedule12, other: KeySchedule12) -> Bool {
    one.negotiated == other.negotiated && one.masterSecret == other.masterSecret
  }

  /// Hashes the properties that equality compares.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(negotiated)
    hasher.combine(masterSecret)
  }
}
