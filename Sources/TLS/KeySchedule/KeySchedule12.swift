import Cryptography
import Explanation

/// From the premaster secret to the keys of the records: RFC 5246 sections 6.3, 7.4.9 and 8.1, RFC 7627 section 4.
///
/// ```
/// premaster_secret + hello randoms → master_secret → key_block = client_write_MAC_key | server_write_MAC_key
///   | client_write_key | server_write_key | client_write_IV | server_write_IV
/// ```
public struct KeySchedule12: Sendable, Hashable {
  /// What the hellos settled: the suite's row gives the hash and the lengths.
  public let negotiated: Negotiated
  /// 48 bytes.
  public let masterSecret: [UInt8]

  /// The row of the suite.
  public var suite: CipherSuite.Registration { negotiated.suite }
  /// How many bytes a master secret has.
  public static let masterSecretLength = 48

  /// A schedule that starts from a known master secret.
  public init(_ negotiated: Negotiated, masterSecret: [UInt8]) {
    self.negotiated = negotiated
    self.masterSecret = masterSecret
  }

  /// PRF(premaster_secret, "master secret", client_random + server_random): RFC 5246 section 8.1.
  public init(
    _ negotiated: Negotiated, premasterSecret: [UInt8], clientRandom: [UInt8], serverRandom: [UInt8]
  ) {
    self.init(
      negotiated,
      masterSecret: PRF12.output(
        negotiated.suite.prf.hash, secret: premasterSecret, label: "master secret", seed: clientRandom + serverRandom,
        count: Self.masterSecretLength))
  }

  /// The one with a `sessionHash`, the other without.
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

  /// PRF(premaster_secret, "extended master secret", session_hash): RFC 7627 section 4. `sessionHash` is the hash of
  /// all handshake messages up to and including ClientKeyExchange.
  public init(_ negotiated: Negotiated, premasterSecret: [UInt8], sessionHash: [UInt8]) {
    self.init(
      negotiated,
      masterSecret: PRF12.output(
        negotiated.suite.prf.hash, secret: premasterSecret, label: "extended master secret", seed: sessionHash,
        count: Self.masterSecretLength))
  }

  /// PRF(master_secret, "key expansion", server_random + client_random), cut into keys: RFC 5246 section 6.3.
  public func keyBlock(
    clientRandom: [UInt8], serverRandom: [UInt8], encryptThenMAC: Bool = false
  ) -> KeyBlock {
    KeyBlock(
      negotiated,
      bytes: PRF12.output(
        suite.prf.hash, secret: masterSecret, label: "key expansion", seed: serverRandom + clientRandom,
        count: suite.keyBlockLength), encryptThenMAC: encryptThenMAC)
  }

  /// PRF(master_secret, finished_label, Hash(handshake_messages)), 12 bytes: RFC 5246 section 7.4.9.
  public func verifyData(of side: Side, _ transcript: Transcript) -> [UInt8] {
    PRF12.output(
      suite.prf.hash, secret: masterSecret, label: "\(side) finished", seed: transcript.digest(suite.prf),
      count: Finished.verifyDataLength)
  }
}

/// The two ends of a connection, whose names begin those of their values.
public enum Side: String, Sendable, Hashable, CaseIterable, CustomStringConvertible {
  case client
  case server

  /// The other end.
  public var peer: Side { self == .client ? .server : .client }
  /// `client` or `server`.
  public var description: String { rawValue }
}

/// The pseudo-random function of TLS 1.2, RFC 5246 section 5.
///
/// ```
/// P_hash(secret, seed) = HMAC_hash(secret, A(1) + seed) + HMAC_hash(secret, A(2) + seed) + …
/// A(0) = seed, A(i) = HMAC_hash(secret, A(i-1))
/// PRF(secret, label, seed) = P_hash(secret, label + seed)
/// ```
public enum PRF12 {
  /// The first `count` bytes of PRF(`secret`, `label`, `seed`) with the suite's hash.
  public static func output(
    _ hash: Hash, secret: [UInt8], label: String, seed: [UInt8], count: Int
  ) -> [UInt8] {
    let key = HMAC.Key(hash, secret)
    let seed = Array(label.utf8) + seed
    var a = seed
    var output: [UInt8] = []
    while output.count < count {
      a = key.authenticationCode(a)
      output += key.authenticationCode([a, seed])
    }
    return Array(output.prefix(max(0, count)))
  }
}

extension CipherSuite.PRF {
  /// The hash inside.
  public var hash: Hash {
    switch self {
    case .sha256: .sha256
    case .sha384: .sha384
    }
  }
}

/// `handshake_messages`: all handshake messages sent and received so far, headers included, RFC 5246 section 7.4.9.
///
/// A message joins after its own check, since Finished covers the messages before it; HelloRequest never joins.
public struct Transcript: Sendable {
  /// The messages, joined.
  public private(set) var bytes: [UInt8] = []
  /// The messages in the hash of the suite, once that is settled.
  private var running: Hash.Running?

  /// No messages.
  public init() {}

  /// From here on every message is hashed once, when it joins.
  mutating func settle(_ prf: CipherSuite.PRF) {
    var hash = Hash.Running(prf.hash)
    hash.update(bytes)
    running = hash
  }

  /// One more message.
  public mutating func append(_ message: HandshakeMessage) {
    bytes += message.bytes
    running?.update(message.bytes)
  }

  /// Hash(handshake_messages).
  public func digest(_ prf: CipherSuite.PRF) -> [UInt8] {
    guard let running, running.hash == prf.hash else { return prf.hash.digest(bytes) }
    return running.digest
  }
}

/// One side's ephemeral (EC)DHE key: RFC 8422 section 5.10.
struct KeyShare: Sendable {
  let group: NamedGroup
  let publicKey: [UInt8]
  private let privateKey: KeyAgreementPrivateKey

  /// A key of `side`, drawn from its stream `SIDE_ecdh_private`; nil for a group that is not implemented.
  init?(_ group: NamedGroup, of side: Side, random: RandomStreams) {
    guard let curve = group.curve else { return nil }
    var stream = random.stream("\(side)_ecdh_private")
    guard let key = try? KeyAgreementPrivateKey(curve, random: &stream) else { return nil }
    self.group = group
    privateKey = key
    publicKey = key.publicKey
  }

  /// `SIDE_ecdh_private` and `SIDE_ecdh_public`.
  func values(of side: Side, party: Party, _ names: ValueNames) -> [Value] {
    [
      names.value("\(side)_ecdh_private", privateKey.rawRepresentation, .generated(by: party)),
      names.value(
        "\(side)_ecdh_public", publicKey, names.computed(.publicKey(group: "\(group)"), from: ["\(side)_ecdh_private"]),
        .published),
    ]
  }

  /// `premaster_secret` from this key and the peer's public one; nil when that is no member of the group.
  func premasterSecret(with peer: [UInt8], of side: Side, _ names: ValueNames) -> Value? {
    guard let secret = try? privateKey.sharedSecret(with: peer) else { return nil }
    return names.value(
      "premaster_secret", secret,
      names.computed(.keyAgreement(group: "\(group)"), from: ["\(side)_ecdh_private", "\(side.peer)_ecdh_public"]))
  }
}
