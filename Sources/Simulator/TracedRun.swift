import Endpoint
import Explanation
import Laboratory
import TLS

/// A run with a trace: a run of a world, or a replayed recording.
public protocol TracedRun: Sendable {
  /// The steps that the run has made.
  var trace: Trace { get }
  /// The parties whose knowledge is reported: the endpoints of every connection, and the eavesdropper.
  var parties: [Party] { get }
  /// Returns the secrets of others that the party has from the start, such as a key that an interceptor stole.
  func stolen(by party: Party) -> Set<Leak.Content>
  /// The calculation; nil in a run with connections.
  var calculation: Calculation? { get }
  /// The maximum number of bits of a search that is carried out; nil for the default.
  var searchLimit: Int? { get }
  /// The keys that an attacker can generate.
  var keys: KeyStore { get }
  /// Returns the server of the connection with the values of `scope`, for further queries; nil if there is none.
  func server(of scope: ValueScope) -> ServerConfiguration?
  /// Returns the attack on the padding of the connection with the values of `scope`; nil if none was carried out.
  func paddingAttack(of scope: ValueScope) -> BlockPaddingAttack?
}

extension TracedRun {
  /// The default limit, which is nil.
  public var searchLimit: Int? { nil }

  /// An empty key store, because a recording keeps no keys.
  public var keys: KeyStore { KeyStore() }

  /// No calculation, because most runs have connections.
  public var calculation: Calculation? { nil }

  /// Returns nil, because a recording or a calculation has no server to query.
  public func server(of scope: ValueScope) -> ServerConfiguration? { nil }

  /// Returns nil, because a recording or a calculation allows no further connections.
  public func paddingAttack(of scope: ValueScope) -> BlockPaddingAttack? { nil }

  /// Returns no secrets, because a recording or a calculation has no attacker with stolen secrets.
  public func stolen(by party: Party) -> Set<Leak.Content> { [] }

  /// Returns the secrets of others that the party now has: stolen secrets and, for a third party, everything leaked.
  public func disclosed(to party: Party) -> Set<Leak.Content> {
    party.hearsNetwork ? stolen(by: party).union(trace.leaks.map(\.content)) : []
  }

  /// Returns the current knowledge of a party, including leaked secrets for third parties.
  public func knowledge(of party: Party) -> Knowledge {
    Knowledge(of: party, in: trace, disclosed: disclosed(to: party))
  }
}

extension Simulation: TracedRun {
  /// The maximum number of bits that the world sets for a search.
  public var searchLimit: Int? { world.searchLimit }

  /// The keys that the world provides for attackers.
  public var keys: KeyStore { world.keys }

  /// Returns the server of the connection with the values of `scope`.
  public func server(of scope: ValueScope) -> ServerConfiguration? {
    plans.first { $0.scope == scope }?.server.tls
  }

  /// Returns the attack on the padding of the connection with the values of `scope`.
  public func paddingAttack(of scope: ValueScope) -> BlockPaddingAttack? {
    accounts.first { $0.plan.scope == scope }?.paddingAttack
  }

  /// Returns the secrets that the interceptor has from the start.
  public func stolen(by party: Party) -> Set<Leak.Content> {
    guard party == .interceptor else { return [] }
    return plans.reduce(into: []) { $0.formUnion($1.interceptor?.holds.map(Leak.Content.secret) ?? []) }
  }

  /// The calculation; nil in a run with connections.
  public var calculation: Calculation? { world.calculation }

  /// The parties of the run.
  ///
  /// In a run with connections, these are the endpoints of every connection, the eavesdropper and, if there is one, the
  /// interceptor. In a calculation, the author names the parties.
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
