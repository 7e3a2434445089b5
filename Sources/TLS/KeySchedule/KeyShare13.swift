import Cryptography
import Explanation

/// The ephemeral key of one share in a client's offer of TLS 1.3 (RFC 8446 section 4.2.8).
enum ClientKeyShare: Sendable {
  case single(KeyShare)
  case hybrid(HybridKeyShare)

  /// Generates a key in the group; nil if the group is not implemented. A further key of a client has a number.
  init?(_ group: NamedGroup, number: Int? = nil, random: RandomStreams) {
    let share: ClientKeyShare? =
      group == .x25519MLKEM768
      ? HybridKeyShare(random: random).map(ClientKeyShare.hybrid)
      : KeyShare(group, of: .client, number: number, random: random).map(ClientKeyShare.single)
    guard let share else { return nil }
    self = share
  }

  /// The share as it is encoded.
  var entry: KeyShareEntry? {
    switch self {
    case .single(let share): share.entry
    case .hybrid(let share): KeyShareEntry(group: .x25519MLKEM768, keyExchange: share.publicKey)
    }
  }

  /// The key that a handshake of an earlier version can use; nil for a hybrid key.
  var single: KeyShare? { if case .single(let share) = self { share } else { nil } }

  /// The private and public keys as values.
  func values(party: Party, _ names: ValueScope) -> [Value] {
    switch self {
    case .single(let share): share.values(of: .client, party: party, names)
    case .hybrid(let share): share.values(party: party, names)
    }
  }

  /// The public values in the server's share, and those that follow from it; the last is `shared_secret`.
  ///
  /// Throws a description of a share that is not in the group.
  func agree(on peer: [UInt8], _ names: ValueScope) throws(KeyShareFault) -> [Value] {
    switch self {
    case .single(let share):
      guard let secret = share.sharedSecret(with: peer, of: .client, names) else {
        throw KeyShareFault(required: share.requirement, found: peer)
      }
      return share.received(peer, of: .server, names) + [secret]
    case .hybrid(let share):
      do {
        return names.hybridPublic(of: .server, peer) + (try share.secret(with: peer)).values(names)
      } catch {
        throw KeyShareFault(required: "a share in X25519MLKEM768 (\(error))", found: peer)
      }
    }
  }
}

/// The reason why a peer's share is refused.
struct KeyShareFault: Error, Sendable {
  /// The requirement that the share does not meet.
  let required: String
  /// The share.
  let found: [UInt8]
}

/// A server's answer to a client's share.
struct ServerKeyShare: Sendable {
  /// The server's share.
  let entry: KeyShareEntry
  /// The values of both shares, and those that follow from them; the last is `shared_secret`.
  let values: [Value]

  /// Answers the client's share, whose key has this number in the client's names.
  ///
  /// Nil if the group is not implemented.
  init?(
    to peer: KeyShareEntry, number: Int?, party: Party, random: RandomStreams, _ names: ValueScope
  ) throws(KeyShareFault) {
    if peer.group == .x25519MLKEM768 {
      try self.init(hybrid: peer.keyExchange, party: party, random: random, names)
      return
    }
    guard let share = KeyShare(peer.group, of: .server, random: random), let entry = share.entry else { return nil }
    guard let secret = share.sharedSecret(with: peer.keyExchange, number: number, of: .server, names) else {
      throw KeyShareFault(required: share.requirement, found: peer.keyExchange)
    }
    self.init(
      entry,
      share.received(peer.keyExchange, number: number, of: .client, names)
        + share.values(of: .server, party: party, names) + [secret])
  }

  private init(_ entry: KeyShareEntry, _ values: [Value]) { (self.entry, self.values) = (entry, values) }

  private init(
    hybrid peer: [UInt8], party: Party, random: RandomStreams, _ names: ValueScope
  ) throws(KeyShareFault) {
    let share: HybridServerShare
    do {
      share = try HybridServerShare(to: peer, random: random)
    } catch {
      throw KeyShareFault(required: "a share in X25519MLKEM768 (\(error))", found: peer)
    }
    self.init(
      KeyShareEntry(group: .x25519MLKEM768, keyExchange: share.publicKey),
      names.hybridPublic(of: .client, peer) + share.values(party: party, names) + share.secret.values(names))
  }
}
