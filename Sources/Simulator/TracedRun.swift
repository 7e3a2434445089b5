import Endpoint
import Explanation
import Laboratory
import TLS

/// Something that left a trace: a run of a world, or a recording that was replayed.
public protocol TracedRun: Sendable {
  /// What has happened so far.
  var trace: Trace { get }
  /// The parties whose knowledge is told: the ends of every connection, and the eavesdropper.
  var parties: [Party] { get }
  /// Secrets of others that the party has from the start: what an interceptor stole before.
  func stolen(by party: Party) -> Set<Value.ID>
  /// What is calculated, where no connections are made.
  var calculation: Calculation? { get }
  /// The most bits of a search that is carried out; nil where nobody said.
  var searchLimit: Int? { get }
  /// The keys that an attacker can make.
  var keys: KeyStore { get }
  /// The server that answers whoever asks again about the connection with the values of `scope`; nil when none is
  /// there.
  func server(of scope: ValueScope) -> ServerConfiguration?
  /// The attack on the padding of the connection with the values of `scope`; nil when none was carried out.
  func paddingAttack(of scope: ValueScope) -> BlockPaddingAttack?
}

extension TracedRun {
  /// Nobody said.
  public var searchLimit: Int? { nil }

  /// None so far: a recording keeps no keys.
  public var keys: KeyStore { KeyStore() }

  /// Nothing: most runs are of connections.
  public var calculation: Calculation? { nil }

  /// None: a recording or a calculation has no server to ask.
  public func server(of scope: ValueScope) -> ServerConfiguration? { nil }

  /// None: in a recording or a calculation nobody can make more connections.
  public func paddingAttack(of scope: ValueScope) -> BlockPaddingAttack? { nil }

  /// Nothing: a recording or a calculation has no attacker who came with something.
  public func stolen(by party: Party) -> Set<Value.ID> { [] }

  /// Secrets of others that the party has by now: what leaked, which is known to all third parties, and what it stole.
  public func disclosed(to party: Party) -> Set<Value.ID> {
    party.hearsNetwork ? stolen(by: party).union(trace.leaks.map(\.secret)) : []
  }

  /// What a party knows by now; third parties have what leaked too.
  public func knowledge(of party: Party) -> Knowledge {
    Knowledge(of: party, in: trace, disclosed: disclosed(to: party))
  }
}

extension Simulation: TracedRun {
  /// What whoever plays it said.
  public var searchLimit: Int? { world.searchLimit }

  /// The keys of the world.
  public var keys: KeyStore { world.keys }

  /// The server of that connection.
  public func server(of scope: ValueScope) -> ServerConfiguration? {
    plans.first { $0.scope == scope }?.server.tls
  }

  /// The attack on the padding, as it was carried out in that connection.
  public func paddingAttack(of scope: ValueScope) -> BlockPaddingAttack? {
    accounts.first { $0.plan.scope == scope }?.paddingAttack
  }

  /// What the interceptor holds from the start.
  public func stolen(by party: Party) -> Set<Value.ID> {
    guard party == .interceptor else { return [] }
    return plans.reduce(into: []) { $0.formUnion($1.interceptor?.holds ?? []) }
  }

  /// What is calculated, where no connections are made.
  public var calculation: Calculation? { world.calculation }

  /// The two ends of every connection, the eavesdropper, and the interceptor where there is one; of a calculation those
  /// that its author names.
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
