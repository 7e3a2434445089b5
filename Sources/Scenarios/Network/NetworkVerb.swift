import Endpoint
import Explanation
import Simulator
import Trust

/// An event on the network, or the leak of a secret.
public enum NetworkVerb: Sendable, Hashable {
  /// A passive third party records every byte.
  case eavesdrop
  /// A secret becomes known to third parties, `after` seconds after the last connection.
  case leak(Value.ID, after: Int64, SourceMark)
  /// An attacker acts on messages in transit.
  case attack(Attack)
  /// An attacker is between client and server, or in place of the server.
  case intercept(InterceptorDescription)
  /// An attacker ends every connection that begins with TLS.
  case refuseTLS(in: String?, SourceMark)
  /// The network blocks all fetches of revocation data.
  case blockRevocation(in: String?, SourceMark)
  /// An attacker delivers outdated revocation data, or one kind of it, of the given age in seconds.
  case outdateRevocation(Int64, only: World.AgedStatus?)
  /// The network blocks all fetches of issuer certificates.
  case blockIssuers(in: String?, SourceMark)
  /// The network routes the client to the server of another host.
  case reroute(String, in: String?, SourceMark)
  /// An attacker queries the server's padding oracle until it has the recorded premaster secret.
  case queryOracle(in: String?, SourceMark)
  /// An attacker makes the client repeat its request and moves ciphertext blocks into the padding (POODLE).
  case forgePadding(in: String?, SourceMark)
}

/// A man in the middle, or an impostor, as a scenario describes it.
public struct InterceptorDescription: Sendable, Hashable {
  /// The names of the certificates that it sends, leaf first.
  public let presents: [String]
  /// The secrets that it has from the start.
  public let holds: [Value.ID]
  /// The replacements in forwarded responses.
  public let replacements: [String: String]
  /// Its own responses; nil if it queries the server.
  public let content: [String: HTTPAnswer]?
  /// The scheme of its requests to the server; nil for the client's own.
  public let asks: String?
  /// Whether its key differs from that of the certificate that it sends first.
  public var isWithoutKey = false
  /// The OCSP response that it staples; nil for none.
  public var staple: StapleDescription?
  /// The system whose ClientHello it sends to the server; nil for any that the server accepts.
  public var os: OSVersion?
  /// The connection that it intercepts; nil for every connection.
  public let connection: String?
  /// The place in the file.
  public let mark: SourceMark
  /// The verb in the file.
  var word = "intercept"
}

extension InterceptorDescription {
  /// Whether it is `strip`: it uses HTTPS to the server, while the client stays on HTTP.
  var isStrip: Bool { presents.isEmpty && content == nil && asks == "https" && replacements.isEmpty && holds.isEmpty }
}
