import Advice
import Endpoint
import Explanation
import PKIX
import Simulator
import TLS
import Trust
import URLLoading

/// Every rule of every engine: what `list rules` prints and what an expectation may name.
public enum RuleCatalogue {
  /// All rules by layer, each once.
  public static let all: [Rule] = {
    var seen: Set<String> = []
    let engines =
      Rule.urlLoading + Rule.challenges + Rule.pinning + Rule.identityFiles + Rule.httpAuthentication + Rule.tls
      + Rule.pkix
      + Rule.trust + Rule.endpoint + Rule.identityNeeds
      + Rule.calculation
    let rules = (Rule.propertyLists + engines).filter { seen.insert($0.id).inserted }
    return rules.enumerated().sorted { ($0.element.layer, $0.offset) < ($1.element.layer, $1.offset) }.map(\.element)
  }()

  /// The ids of all rules.
  public static let ids = all.map(\.id)

  /// The ids of the rules that a connection can be held against.
  public static let idsOfConnections = all.filter { Layer.deciding.contains($0.layer) }.map(\.id)

  /// The rule with this id, nil when there is none.
  public static func rule(_ id: String) -> Rule? { all.first { $0.id == id } }
}

/// The name of a value of a connection, as the RFCs write it, and what it is.
public struct ValueName: Sendable, Hashable {
  /// The name in a run of one connection; among several it begins with the connection's: `first.client_random`.
  public let name: String
  /// What the value is.
  public let meaning: String

  /// The names alone.
  static let names = Set(all.map(\.name))

  /// The name in `known` that `name` probably stands for: the nearest in spelling, else one with the same first word, as
  /// `master_key` for `master_secret`.
  static func hint(for name: String, among known: [String]) -> String {
    guard Spelling.nearest(to: name, among: known) == nil, let word = name.split(separator: "_").first,
      name.contains("_"), let related = known.first(where: { $0.hasPrefix("\(word)_") })
    else { return Spelling.hint(for: name, among: known) }
    return "did you mean '\(related)'?"
  }

  /// Every value of a TLS 1.2 connection, in the order in which they come to be.
  public static let all = [
    ValueName(name: "client_random", meaning: "ClientHello.random, the first random number (RFC 5246 section 7.4.1.2)"),
    ValueName(name: "server_random", meaning: "ServerHello.random, the second (RFC 5246 section 7.4.1.3)"),
    ValueName(name: "client_ecdh_private", meaning: "the client's ephemeral private key (RFC 8422 section 5.11)"),
    ValueName(name: "client_ecdh_public", meaning: "the client's ephemeral public key (RFC 8422 section 5.7)"),
    ValueName(name: "server_ecdh_private", meaning: "the server's ephemeral private key (RFC 8422 section 5.11)"),
    ValueName(name: "server_ecdh_public", meaning: "the server's ephemeral public key (RFC 8422 section 5.4)"),
    ValueName(name: "dh_p", meaning: "the modulus of the server's Diffie-Hellman group (RFC 5246 section 7.4.3)"),
    ValueName(name: "dh_g", meaning: "the generator of that group (RFC 5246 section 7.4.3)"),
    ValueName(name: "client_dh_private", meaning: "the client's ephemeral exponent (RFC 5246 section 8.1.2)"),
    ValueName(name: "client_dh_public", meaning: "dh_Yc, the client's ephemeral public key (RFC 5246 section 7.4.7.2)"),
    ValueName(name: "server_dh_private", meaning: "the server's ephemeral exponent (RFC 5246 section 8.1.2)"),
    ValueName(name: "server_dh_public", meaning: "dh_Ys, the server's ephemeral public key (RFC 5246 section 7.4.3)"),
    ValueName(
      name: "premaster_secret", meaning: "the third random number, or the (EC)DH result (RFC 5246 section 8.1)"),
    ValueName(name: "encrypted_premaster_secret", meaning: "EncryptedPreMasterSecret (RFC 5246 section 7.4.7.1)"),
    ValueName(
      name: "substitute_premaster_secret", meaning: "what stands in for a malformed one (RFC 5246 section 7.4.7.1)"),
    ValueName(name: "session_hash", meaning: "the hash that extended_master_secret binds to (RFC 7627 section 3)"),
    ValueName(name: "master_secret", meaning: "made from premaster secret and both randoms (RFC 5246 section 8.1)"),
    ValueName(name: "session_ticket_key", meaning: "what the server seals sessions with (RFC 5077 section 4)"),
    ValueName(name: "session_ticket", meaning: "the session that it has sealed for the client (RFC 5077 section 3.3)"),
    ValueName(name: "offered_session_ticket", meaning: "the one that the client shows (RFC 5077 section 3.2)"),
    ValueName(name: "cookie", meaning: "what the client repeats in every request (RFC 6265 section 4.2)"),
    ValueName(name: "key_block", meaning: "the block that all keys are cut from (RFC 5246 section 6.3)"),
    ValueName(name: "client_write_MAC_key", meaning: "authenticates the client's records (RFC 5246 section 6.3)"),
    ValueName(name: "server_write_MAC_key", meaning: "authenticates the server's records (RFC 5246 section 6.3)"),
    ValueName(name: "client_write_key", meaning: "encrypts the client's records (RFC 5246 section 6.3)"),
    ValueName(name: "server_write_key", meaning: "encrypts the server's records (RFC 5246 section 6.3)"),
    ValueName(name: "client_write_IV", meaning: "the fixed part of the client's nonces (RFC 5288 section 3)"),
    ValueName(name: "server_write_IV", meaning: "the fixed part of the server's nonces (RFC 5288 section 3)"),
    ValueName(
      name: "certificate_verify_signature",
      meaning: "the client's signature over the handshake (RFC 5246 section 7.4.8)"),
    ValueName(name: "client_verify_data", meaning: "the client's Finished (RFC 5246 section 7.4.9)"),
    ValueName(name: "server_verify_data", meaning: "the server's Finished (RFC 5246 section 7.4.9)"),
    ValueName(
      name: "record_IV.client.1",
      meaning: "the block before that record, with which it begins in TLS 1.0 (RFC 2246 6.2.3.2)"
    ),
    ValueName(name: "record.client.1", meaning: "the client's first record of application data, as it travels"),
    ValueName(name: "record.server.1", meaning: "the server's first record of application data, as it travels"),
    ValueName(
      name: "handshake_record_IV.client.1", meaning: "the block before that record, as for application data"),
    ValueName(
      name: "handshake_record.client.1",
      meaning: "the client's first record of another handshake, under the keys of the one before (RFC 5746 section 3)"),
    ValueName(name: "handshake_record.server.1", meaning: "the server's first such record"),
    ValueName(name: "handshake_message.client.1", meaning: "what that record of the client says: another ClientHello"),
    ValueName(name: "handshake_message.server.1", meaning: "what that record of the server says: another ServerHello"),
    ValueName(name: "application_data.client.1", meaning: "what the client's first record says: the request"),
    ValueName(name: "application_data.server.1", meaning: "what the server's first record says: the response"),
  ]
}
