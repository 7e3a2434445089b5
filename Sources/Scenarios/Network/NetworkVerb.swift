import Endpoint
import Explanation
import Simulator
import Trust

/// Something that happens on the network or to a secret.
public enum NetworkVerb: Sendable, Hashable {
  /// A passive third party records every byte.
  case eavesdrop
  /// A secret becomes known to third parties, `after` seconds after the last connection.
  case leak(Value.ID, after: Int64, SourceMark)
  /// Something is done to messages on their way.
  case attack(Attack)
  /// Someone stands between client and server, or in the server's place.
  case intercept(InterceptorDescription)
  /// Someone ends every connection that begins with TLS.
  case refuseTLS(in: String?, SourceMark)
  /// Nobody can fetch what authorities say about revocation.
  case blockRevocation(in: String?, SourceMark)
  /// Whoever fetches what authorities say about revocation, or one kind of it, gets what they said so many seconds before.
  case outdateRevocation(Int64, only: World.AgedStatus?)
  /// Nobody can fetch the certificates of issuers.
  case blockIssuers(in: String?, SourceMark)
  /// The network leads the client to the server of another host.
  case reroute(String, in: String?, SourceMark)
  /// An attacker asks the server whether ciphertexts are padded rightly, until it has the recorded premaster secret.
  case queryOracle(in: String?, SourceMark)
  /// An attacker has the client ask again and again, and puts blocks of that in the place of the padding.
  case forgePadding(in: String?, SourceMark)
}

/// A man in the middle, or an impostor, as a scenario describes it.
public struct InterceptorDescription: Sendable, Hashable {
  /// The names of the certificates it sends, leaf first.
  public let presents: [String]
  /// The secrets it has from the start.
  public let holds: [Value.ID]
  /// What it rewrites in the answers that pass through.
  public let replacements: [String: String]
  /// Its own answers; nil when it asks the server.
  public let content: [String: HTTPAnswer]?
  /// The scheme it asks the server with; nil for the client's own.
  public let asks: String?
  /// Whether it has another key than that of the certificate it sends first.
  public var isWithoutKey = false
  /// The answer of a responder that it staples; nil for none.
  public var staple: StapleDescription?
  /// The system whose offer it makes to the server; nil where it takes whatever that one speaks.
  public var os: OSVersion?
  /// The connection it stands in; nil for every one.
  public let connection: String?
  /// Where it stands in the file.
  public let mark: SourceMark
  /// The word that the file has for it.
  var word = "intercept"
}

extension InterceptorDescription {
  /// Whether it is `strip`: it asks over HTTPS for a client that stays on HTTP.
  var isStrip: Bool { presents.isEmpty && content == nil && asks == "https" && replacements.isEmpty && holds.isEmpty }
}
