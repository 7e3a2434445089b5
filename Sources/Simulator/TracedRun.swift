import Endpoint
import Explanation
import Laboratory
import TLS

/// A run with a trace: a run of a world, or a replayed recording.
public protocol TracedRun: Sendable {
  /// The steps so far.
  var trace: Trace { get }
  /// The parties whose knowledge is reported: the endpoints of every connection, and the eavesdropper.
  var parties: [Party] { get }
  /// The secrets of others that the party has from the start, such as a key that an interceptor stole.
  func stolen(by party: Party) -> Set<Value.ID>
  /// The calculation; nil in a run with connections.
  var calculation: Calculation? { get }
  /// The most bits of a search that is carried out; nil for the default.
  var searchLimit: Int? { get }
  /// The keys that an attacker can make.
  var keys: KeyStore { get }
  /// The server of the connection with the values of `scope`, for further queries; nil if none exists.
  func server(of scope: ValueScope) -> ServerConfiguration?
  /// The attack on the padding of the connection with the values of `scope`; nil if none was carried out.
  func paddingAttack(of scope: ValueScope) -> BlockPaddingAttack?
}

extension TracedRun {
  /// The default limit.
  public var searchLimit: Int? { nil }

  /// None so far: a recording keeps no keys.
  public var keys: KeyStore { KeyStore() }

  /// No calculation: most runs have connections.
  public var calculation: Calculation? { nil }

  /// No server: a recording or a calculation has none to query.
  public func server(of scope: ValueScope) -> ServerConfiguration? { nil }

  /// No attack: a recording or a calculation allows no further connections.
  public func paddingAttack(of scope: ValueScope) -> BlockPaddingAttack? { nil }

  /// No secrets: a recording or a calculation has no attacker with stolen secrets.
  public func stolen(by party: Party) -> Set<Value.ID> { [] }

  /// The secrets of others that the party has now: leaked secrets, which all third parties know, and stolen secrets.
  public func disclosed(to party: Party) -> Set<Value.ID> {
    party.hearsNetwork ? stolen(by: party).union(trace.leaks.map(\.secret)) : []
  }

  /// The current knowledge of a party, including leaked secrets for third parties.
  public func knowledge(of party: Party) -> Knowledge {
    Knowledge(of: party, in: trace, disclosed: disclosed(to: party))
  }
}

extension Simulation: TracedRun {
  /// The limit of the world.
  public var searchLimit: Int? { world.searchLimit }

  /// The keys of the world.
  public var keys: KeyStore { world.keys }

  /// The server of that connection.
  public func server(of scope: ValueScope) -> ServerConfiguration? {
    plans.first { $0.scope == scope }?.server.tls
  }

  /// The attack on the padding of that connection.
  public func paddingAttack(of scope: ValueScope) -> BlockPaddingAttack? {
    accounts.first { $0.plan.scope == scope }?.paddingAttack
  }

  /// The secrets that the interceptor has from the start.
  public func stolen(by party: Party) -> Set<Value.ID> {
    guard party == .interceptor else { return [] }
    return plans.reduce(into: []) { $0.formUnion($1.interceptor?.holds ?? []) }
  }

  /// The calculation; nil in a run with connections.
  public var calculation: Calculation? { world.calculation }

  /// The parties of the run.
  ///
  /// A run of connections has the endpoints of every connection, the eavesdropper and, if any, the interceptor. The
  /// author of a calculation names its parties.
  public var parties: [Party] {
    if let calculation { return calculation.parties }
    var parties: [Party] = []
    for plan in plans {
      let ends = [plan.client.tls.party, plan.proxy?.party, plan.server.tls.party].compactMap(\.self)
      parties += ends.filter { !parties.contains($0) }
    }
    return parties + [.eavesdropper] + (plans.contains(where: \.isAttacked) ? [.interceptor] : [])
  }
}
