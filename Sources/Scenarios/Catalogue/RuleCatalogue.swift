import Advice
import Endpoint
import Explanation
import PKIX
import Simulator
import TLS
import Trust
import URLLoading

/// Every rule of every engine: `list rules` prints these rules, and an expectation may name them.
public enum RuleCatalogue {
  /// All rules, grouped by layer, each listed once.
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

  /// The ids of the rules that apply to connections.
  public static let idsOfConnections = all.filter { Layer.deciding.contains($0.layer) }.map(\.id)

  /// The rule with this id; nil if there is none.
  public static func rule(_ id: String) -> Rule? { all.first { $0.id == id } }
}

/// A value of a connection, with its name in the RFCs and its meaning.
public struct ValueEntry: Sendable, Hashable {
  /// The name of the value if the run has one connection. With several, the connection's name is the prefix:
  /// `first.client_random`.
  public let name: ValueName
  /// The meaning of the value.
  public let meaning: String

  init(_ kind: ValueKind, of side: Side? = nil, number: Int? = nil, _ meaning: String) {
    name = ValueName(kind, of: side, number: number)
    self.meaning = meaning
  }

  /// The names of all values, without their meanings.
  static let names = Set(all.map(\.name))

  /// Returns whether a connection can have a value with this name. Records, tickets and generations of keys are numbered
  /// without limit.
  static func isValue(_ name: ValueName) -> Bool {
    if names.contains(name) { return true }
    if let number = name.number, number > 0 { return names.contains(name.sibling(name.kind, of: name.side, number: 1)) }
    return firstUpdate(of: name.kind).map { names.contains(name.sibling($0, of: name.side)) } ?? false
  }

  /// The kind of the value after the first KeyUpdate, for that after a later one; nil for other kinds.
  private static func firstUpdate(of kind: ValueKind) -> ValueKind? {
    guard let cut = kind.word.lastIndex(of: "_") else { return nil }
    let digits = kind.word[cut...].dropFirst()
    guard let generation = Int(digits), generation > 1, String(generation) == digits else { return nil }
    return ValueKind(kind.word[..<cut] + "_1")
  }

  /// Returns the name in `known` that the author of `name` probably meant.
  ///
  /// This is the name with the nearest spelling, or else a name with the same first word: `master_secret` for
  /// `master_key`.
  static func hint(for name: ValueName, among known: [String]) -> String {
    let name = name.description
    guard Spelling.nearest(to: name, among: known) == nil, let word = name.split(separator: "_").first,
      name.contains("_"), let related = known.first(where: { $0.hasPrefix("\(word)_") })
    else { return Spelling.hint(for: name, among: known) }
    return "did you mean '\(related)'?"
  }

  /// Every value of a connection.
  public static let all = upTo12 + tls13

  /// Every value of a connection of TLS 1.2, in the order in which the connection creates them.
  private static let upTo12 = [
    ValueEntry(.random, of: .client, "ClientHello.random, the first random number (RFC 5246 section 7.4.1.2)"),
    ValueEntry(.random, of: .server, "ServerHello.random, the second random number (RFC 5246 section 7.4.1.3)"),
    ValueEntry(.ecdhPrivate, of: .client, "the client's ephemeral private key (RFC 8422 section 5.11)"),
    ValueEntry(.ecdhPublic, of: .client, "the client's ephemeral public key (RFC 8422 section 5.7)"),
    ValueEntry(.ecdhPrivate, of: .server, "the server's ephemeral private key (RFC 8422 section 5.11)"),
    ValueEntry(.ecdhPublic, of: .server, "the server's ephemeral public key (RFC 8422 section 5.4)"),
    ValueEntry(.dhPrime, "the modulus of the server's Diffie-Hellman group (RFC 5246 section 7.4.3)"),
    ValueEntry(.dhGenerator, "the generator of the server's Diffie-Hellman group (RFC 5246 section 7.4.3)"),
    ValueEntry(.dhPrivate, of: .client, "the client's ephemeral exponent (RFC 5246 section 8.1.2)"),
    ValueEntry(.dhPublic, of: .client, "dh_Yc, the client's ephemeral public key (RFC 5246 section 7.4.7.2)"),
    ValueEntry(.dhPrivate, of: .server, "the server's ephemeral exponent (RFC 5246 section 8.1.2)"),
    ValueEntry(.dhPublic, of: .server, "dh_Ys, the server's ephemeral public key (RFC 5246 section 7.4.3)"),
    ValueEntry(.premasterSecret, "the third random number (with RSA), or the (EC)DH result (RFC 5246 section 8.1)"),
    ValueEntry(.encryptedPremasterSecret, "EncryptedPreMasterSecret (RFC 5246 section 7.4.7.1)"),
    ValueEntry(
      .substitutePremasterSecret, "the random substitute for a malformed premaster secret (RFC 5246 section 7.4.7.1)"),
    ValueEntry(.sessionHash, "the handshake hash that extended_master_secret uses (RFC 7627 section 3)"),
    ValueEntry(
      .masterSecret,
      "the secret derived from the premaster secret and both random numbers (RFC 5246 section 8.1); in TLS 1.3 the last "
        + "secret of the key schedule (RFC 8446 section 7.1)"),
    ValueEntry(.sessionTicketKey, "the key that encrypts the server's tickets (RFC 5077 section 4)"),
    ValueEntry(.sessionTicket, "the ticket that the server sends (RFC 5077 section 3.3)"),
    ValueEntry(.offeredSessionTicket, "the ticket that the client sends (RFC 5077 section 3.2)"),
    ValueEntry(.cookie, "the cookie that the client sends in every request (RFC 6265 section 4.2)"),
    ValueEntry(.keyBlock, "the bytes that are split into all keys of the connection (RFC 5246 section 6.3)"),
    ValueEntry(.writeMACKey, of: .client, "the key that authenticates the client's records (RFC 5246 section 6.3)"),
    ValueEntry(.writeMACKey, of: .server, "the key that authenticates the server's records (RFC 5246 section 6.3)"),
    ValueEntry(.writeKey, of: .client, "the key that encrypts the client's records (RFC 5246 section 6.3)"),
    ValueEntry(.writeKey, of: .server, "the key that encrypts the server's records (RFC 5246 section 6.3)"),
    ValueEntry(.writeIV, of: .client, "the fixed part of the client's nonces (RFC 5288 section 3)"),
    ValueEntry(.writeIV, of: .server, "the fixed part of the server's nonces (RFC 5288 section 3)"),
    ValueEntry(.certificateVerifySignature, "the client's signature over the handshake (RFC 5246 section 7.4.8)"),
    ValueEntry(.verifyData, of: .client, "the verify_data of the client's Finished message (RFC 5246 section 7.4.9)"),
    ValueEntry(.verifyData, of: .server, "the verify_data of the server's Finished message (RFC 5246 section 7.4.9)"),
    ValueEntry(
      .recordIV, of: .client, number: 1,
      "the block before the client's first record of application data: its IV in TLS 1.0 (RFC 2246 section 6.2.3.2)"),
    ValueEntry(.record, of: .client, number: 1, "the client's first record of application data, as sent"),
    ValueEntry(.record, of: .server, number: 1, "the server's first record of application data, as sent"),
    ValueEntry(
      .handshakeRecordIV, of: .client, number: 1,
      "the block before the client's first record of a renegotiation: its IV in TLS 1.0"),
    ValueEntry(
      .handshakeRecord, of: .client, number: 1,
      "the client's first record of a renegotiation, under the previous keys (RFC 5746 section 3)"),
    ValueEntry(
      .handshakeRecord, of: .server, number: 1,
      "the server's first record of a renegotiation, under the previous keys"),
    ValueEntry(
      .handshakeMessage, of: .client, number: 1,
      "the content of the client's first record of a renegotiation: another ClientHello"),
    ValueEntry(
      .handshakeMessage, of: .server, number: 1,
      "the content of the server's first record of a renegotiation: another ServerHello"),
    ValueEntry(
      .applicationData, of: .client, number: 1,
      "the content of the client's first record of application data: the request"),
    ValueEntry(
      .applicationData, of: .server, number: 1,
      "the content of the server's first record of application data: the response"),
  ]
}
