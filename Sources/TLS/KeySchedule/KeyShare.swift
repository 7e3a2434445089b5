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

  /// The number of the key among those of its side; nil for the first.
  private let number: Int?

  /// Generates a key for `side` from the random stream `SIDE_ecdh_private`, or from a numbered one for a further key.
  ///
  /// Nil if the group is not implemented.
  init?(_ group: NamedGroup, of side: Side, number: Int? = nil, random: RandomStreams) {
    if let field = group.field {
      self.init(field, of: side, number: number, random: random)
      return
    }
    guard let curve = group.curve,
      let key = Self.key(curve, ValueName(.ecdhPrivate, of: side, number: number), random)
    else { return nil }
    self.init(.curve(group, key), key.publicKey, number)
  }

  private init(_ key: Key, _ publicKey: [UInt8], _ number: Int?) {
    (self.key, self.publicKey, self.number) = (key, publicKey, number)
  }

  /// Generates a key on `curve` from the random stream of `name`.
  static func key(
    _ curve: KeyAgreementCurve, _ name: Value.ID, _ random: RandomStreams
  ) -> KeyAgreementPrivateKey? {
    let override = random.override(of: name)
    var stream = random.stream(name)
    if case .drawn(let bytes) = override, let key = try? KeyAgreementPrivateKey(curve, rawRepresentation: bytes) {
      return key
    }
    guard case .bits(let bits) = override else {
      if case .fixed(let seed) = override {
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
  init?(_ group: DHGroup, of side: Side, number: Int? = nil, random: RandomStreams) {
    var stream = random.stream(ValueName(.dhPrivate, of: side, number: number))
    guard let key = try? DHPrivateKey(group, random: &stream) else { return nil }
    self.init(.field(key), key.publicKey, number)
  }

  /// Generates a client's key in the server's group.
  init?(matching parameters: ServerParameters, number: Int? = nil, random: RandomStreams) {
    switch parameters {
    case .ecdh(let parameters): self.init(parameters.group, of: .client, number: number, random: random)
    case .dh(let parameters): self.init(parameters.numbers, of: .client, number: number, random: random)
    }
  }

  /// Whether the key is in the group of a server's parameters.
  func suits(_ parameters: ServerParameters) -> Bool {
    switch (key, parameters) {
    case (.curve(let group, _), .ecdh(let parameters)): group == parameters.group
    case (.field(let key), .dh(let parameters)): key.group == parameters.numbers
    default: false
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
        Value(privateName(of: side, names), key.rawRepresentation, .generated(by: party)),
        names.ecdhPublic(of: side, number: number, publicKey, group),
      ]
    case .field(let key):
      [Value(privateName(of: side, names), key.rawRepresentation, .generated(by: party))]
        + names.dhPublic(of: side, number: number, publicKey, key.group)
    }
  }

  private func privateName(of side: Side, _ names: ValueScope) -> ValueName {
    switch key {
    case .curve: names.name(.ecdhPrivate, of: side, number: number)
    case .field: names.name(.dhPrivate, of: side, number: number)
    }
  }

  /// The group and the public key as TLS 1.3 encodes them (RFC 8446 section 4.2.8); nil for a group without a name.
  var entry: KeyShareEntry? {
    switch key {
    case .curve(let group, _): KeyShareEntry(group: group, keyExchange: publicKey)
    case .field(let key): NamedGroup(key.group).map { KeyShareEntry(group: $0, keyExchange: publicKey) }
    }
  }

  /// The `shared_secret` of this key and the peer's public key (RFC 8446 section 7.4).
  ///
  /// Nil if the peer's key is not in the group. Leading zeros are kept. `peerNumber` is the number of the peer's key.
  func sharedSecret(with peer: [UInt8], number peerNumber: Int? = nil, of side: Side, _ names: ValueScope) -> Value? {
    let own = privateName(of: side, names)
    switch key {
    case .curve(let group, let key):
      guard let secret = try? key.sharedSecret(with: peer) else { return nil }
      let inputs = [own, names.name(.ecdhPublic, of: side.peer, number: peerNumber)]
      return names.value(.sharedSecret, secret, .computed(.keyAgreement(group: "\(group)"), from: inputs))
    case .field(let key):
      // RFC 8446 section 4.2.8.1: the public key has the length of the prime.
      guard peer.count == publicKey.count, let secret = try? key.sharedSecret(with: peer) else { return nil }
      let inputs = [own, names.name(.dhPublic, of: side.peer, number: peerNumber), names.name(.dhPrime)]
      return names.value(.sharedSecret, secret, .computed(.finiteFieldAgreement, from: inputs))
    }
  }

  /// The public key of the peer's share as a value.
  func received(_ peer: [UInt8], number: Int? = nil, of side: Side, _ names: ValueScope) -> [Value] {
    switch key {
    case .curve: [Value(names.name(.ecdhPublic, of: side, number: number), peer, .published)]
    case .field: [Value(names.name(.dhPublic, of: side, number: number), peer, .published)]
    }
  }

  /// The `premaster_secret` of this key and the peer's public key; nil if the public key is not in the group.
  func premasterSecret(with peer: [UInt8], of side: Side, _ names: ValueScope) -> Value? {
    switch key {
    case .curve(let group, let key):
      guard let secret = try? key.sharedSecret(with: peer) else { return nil }
      let inputs = [privateName(of: side, names), names.name(.ecdhPublic, of: side.peer)]
      return names.value(.premasterSecret, secret, .computed(.keyAgreement(group: "\(group)"), from: inputs))
    case .field(let key):
      guard let secret = try? key.sharedSecret(with: peer) else { return nil }
      let inputs = [
        privateName(of: side, names), names.name(.dhPublic, of: side.peer), names.name(.dhPrime),
      ]
      return names.value(
        .premasterSecret, Self.withoutLeadingZeros(secret), .computed(.finiteFieldAgreement, from: inputs))
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
