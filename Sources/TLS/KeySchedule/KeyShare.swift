import Cryptography
import Explanation

/// An ephemeral key of one side, either on an elliptic curve (RFC 8422 section 5.10) or in a finite field (RFC 5246
/// section 8.1.2).
struct KeyShare: Sendable {
  private enum Key: Sendable {
    case curve(NamedGroup, KeyAgreementPrivateKey)
    case field(DHPrivateKey)
  }

  /// The public key as encoded in messages.
  let publicKey: [UInt8]
  private let key: Key

  /// Generates a key for `side` from the random stream `SIDE_ecdh_private`; nil if the group is not implemented.
  init?(_ group: NamedGroup, of side: Side, random: RandomStreams) {
    guard let curve = group.curve, let key = Self.key(curve, ValueName(.ecdhPrivate, of: side), random) else {
      return nil
    }
    self.key = .curve(group, key)
    publicKey = key.publicKey
  }

  /// Generates a key on `curve` from the random stream of `name`.
  static func key(
    _ curve: KeyAgreementCurve, _ name: Value.ID, _ random: RandomStreams
  ) -> KeyAgreementPrivateKey? {
    var stream = random.stream(name)
    guard case .bits(let bits) = random.overrides[name] else {
      if case .fixed(let seed) = random.overrides[name] {
        // A generator that restarts each time produces the same key each time.
        stream = DeterministicRandom(seed: .number(0), label: "\(name)/\(Hex.string(seed))")
      }
      return try? KeyAgreementPrivateKey(curve, random: &stream)
    }
    let number = stream.bytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return try? KeyAgreementPrivateKey(
      curve,
      rawRepresentation: curve.privateKey(numbered: bits < 64 ? number & ((1 << UInt64(max(0, bits))) - 1) : number))
  }

  /// Generates a key for `side` from the random stream `SIDE_dh_private`; nil if the parameters allow no key.
  init?(_ group: DHGroup, of side: Side, random: RandomStreams) {
    var stream = random.stream(ValueName(.dhPrivate, of: side))
    guard let key = try? DHPrivateKey(group, random: &stream) else { return nil }
    self.key = .field(key)
    publicKey = key.publicKey
  }

  /// Generates a client's key in the server's group.
  init?(matching parameters: ServerParameters, random: RandomStreams) {
    switch parameters {
    case .ecdh(let parameters): self.init(parameters.group, of: .client, random: random)
    case .dh(let parameters): self.init(parameters.numbers, of: .client, random: random)
    }
  }

  /// The server's parameters in ServerKeyExchange.
  var serverParameters: ServerParameters {
    switch key {
    case .curve(let group, _): .ecdh(ServerECDHParameters(group: group, publicKey: publicKey))
    case .field(let key): .dh(ServerDHParameters(key.group, publicKey: publicKey))
    }
  }

  /// The client's ClientKeyExchange message.
  var clientKeyExchange: ClientKeyExchange {
    switch key {
    case .curve: .ecdhe(publicKey: publicKey)
    case .field: .dhe(publicKey: publicKey)
    }
  }

  /// The requirement that the peer's public key must meet.
  var requirement: String {
    switch key {
    case .curve(let group, _): "a point of \(group)"
    case .field: "a number from 2 to dh_p - 2"
    }
  }

  /// The private and the public key as values.
  func values(of side: Side, party: Party, _ names: ValueScope) -> [Value] {
    switch key {
    case .curve(let group, let key):
      [
        names.value(.ecdhPrivate, of: side, key.rawRepresentation, .generated(by: party)),
        names.ecdhPublic(of: side, publicKey, group),
      ]
    case .field(let key):
      [names.value(.dhPrivate, of: side, key.rawRepresentation, .generated(by: party))]
        + names.dhPublic(of: side, publicKey, key.group)
    }
  }

  /// The `premaster_secret` of this key and the peer's public key; nil if the public key is not in the group.
  func premasterSecret(with peer: [UInt8], of side: Side, _ names: ValueScope) -> Value? {
    switch key {
    case .curve(let group, let key):
      guard let secret = try? key.sharedSecret(with: peer) else { return nil }
      return names.value(.premasterSecret, secret, names.ecdhAgreement(of: side, group))
    case .field(let key):
      guard let secret = try? key.sharedSecret(with: peer) else { return nil }
      return names.value(.premasterSecret, Self.withoutLeadingZeros(secret), names.dhAgreement(of: side))
    }
  }

  /// Returns the premaster secret without the leading zero bytes of Z (RFC 5246 section 8.1.2).
  ///
  /// The time that the next hash takes reveals the number of zero bytes (R. Merget and others: Raccoon, 2021).
  static func withoutLeadingZeros(_ secret: [UInt8]) -> [UInt8] { Array(secret.drop { $0 == 0 }) }
}

extension ServerDHParameters {
  /// The server's parameters for a public key in `group`.
  init(_ group: DHGroup, publicKey: [UInt8]) {
    self.init(
      prime: group.prime.bigEndianBytes(), generator: group.generator.bigEndianBytes(), publicKey: publicKey)
  }

  /// The finite-field group that these parameters define.
  var numbers: DHGroup { DHGroup(prime: Natural(bigEndian: prime), generator: Natural(bigEndian: generator)) }

  /// The name of the group in RFC 7919; nil for any other group.
  public var group: NamedGroup? {
    let numbers = numbers
    return DHGroup.named.first { $0.group == numbers }.flatMap { NamedGroup(name: $0.name) }
  }
}
