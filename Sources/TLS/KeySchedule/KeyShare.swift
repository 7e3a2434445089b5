import Cryptography
import Explanation

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
        "\(side)_ecdh_public", publicKey, names.computed("\(group) base point", from: ["\(side)_ecdh_private"]),
        .published),
    ]
  }

  /// `premaster_secret` from this key and the peer's public one; nil when that is no member of the group.
  func premasterSecret(with peer: [UInt8], of side: Side, _ names: ValueNames) -> Value? {
    guard let secret = try? privateKey.sharedSecret(with: peer) else { return nil }
    return names.value(
      "premaster_secret", secret,
      names.computed("ECDH(\(group))", from: ["\(side)_ecdh_private", "\(side.peer)_ecdh_public"]))
  }
}
