import Endpoint
import Explanation
import Simulator
import Trust

/// An event on the network, or a leak of a secret.
public enum NetworkVerb: Sendable, Hashable {
  /// A passive attacker records every byte.
  case eavesdrop
  /// Third parties learn a secret, `after` seconds after the last connection.
  case leak(Value.ID, after: Int64, SourceMark)
  /// Third parties have a quantum computer from this day on.
  case quantumComputer(from: Instant)
  /// An attacker acts on messages in transit.
  case attack(Attack)
  /// An attacker is between the client and the server, or in place of the server.
  case intercept(InterceptorDescription)
  /// An attacker ends every connection that begins with TLS.
  case refuseTLS(in: String?, SourceMark)
  /// The network blocks all fetches of revocation data.
  case blockRevocation(in: String?, SourceMark)
  /// An attacker delivers revocation data that is this many seconds old, of all kinds or of one kind.
  case outdateRevocation(Int64, only: World.AgedStatus?)
  /// The network blocks all fetches of issuer certificates.
  case blockIssuers(in: String?, SourceMark)
  /// The network routes the client's connection to the server of another host.
  case reroute(String, in: String?, SourceMark)
  /// An attacker queries the server's padding oracle until it has decrypted the recorded premaster secret.
  case queryOracle(in: String?, SourceMark)
  /// An attacker makes the client repeat its request and moves ciphertext blocks into the padding (POODLE).
  case forgePadding(in: String?, SourceMark)
}

/// A man in the middle, or an impostor, as a scenario describes it.
public struct InterceptorDescription: Sendable, Hashable {
  /// The names of the certificates that the interceptor sends, leaf first.
  public let presents: [String]
  /// The secrets that the interceptor has from the start.
  public let holds: [Value.ID]
  /// The texts that the interceptor replaces in forwarded responses, with their replacements.
  public let replacements: [String: String]
  /// The interceptor's own responses; nil if it forwards requests to the server.
  public let content: [String: HTTPAnswer]?
  /// The URL scheme of the interceptor's requests to the server; nil for the client's scheme.
  public let asks: String?
  /// Whether the interceptor's key differs from that of the certificate that it sends first.
  public var isWithoutKey = false
  /// The OCSP response that the interceptor staples; nil for none.
  public var staple: StapleDescription?
  /// The system whose ClientHello the interceptor sends to the server; nil for any that the server accepts.
  public var os: OSVersion?
  /// The connection that the interceptor attacks; nil for every connection.
  public let connection: String?
  /// The place of the entry in the file.
  public let mark: SourceMark
  /// The verb that the file uses.
  var word = "intercept"
}

extension InterceptorDescription {
  /// Whether the verb is `strip`: the interceptor uses HTTPS to the server, while the client uses HTTP.
  var isStrip: Bool { presents.isEmpty && content == nil && asks == "https" && replacements.isEmpty && holds.isEmpty }
}
