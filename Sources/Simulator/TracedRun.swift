import Endpoint
import Explanation

/// Something that left a trace: a run of a world, or a recording that was replayed.
public protocol TracedRun: Sendable {
  /// What has happened so far.
  var trace: Trace { get }
  /// The parties whose knowledge is told: the ends of every connection, and the eavesdropper.
  var parties: [Party] { get }
}

extension TracedRun {
  /// What a party knows by now; the eavesdropper has what leaked too.
  public func knowledge(of party: Party) -> Knowledge {
    Knowledge(of: party, in: trace, disclosed: party == .eavesdropper ? Set(trace.leaks.map(\.secret)) : [])
  }
}

extension Simulation: TracedRun {
  /// The two ends of every connection, and the eavesdropper.
  public var parties: [Party] {
    var parties: [Party] = []
    for plan in world.plans {
      for party in [plan.client.tls.party, plan.server.tls.party] where !parties.contains(party) {
        parties.append(party)
      }
    }
    return parties + [.eavesdropper]
  }
}
