import Explanation
import Simulator

/// The secrets of runs in the form that Wireshark and browsers share: the NSS key log, RFC 9850.
///
/// Up to TLS 1.2 a connection has one line: `CLIENT_RANDOM <client_random> <master_secret>`, in hexadecimal.
public struct KeyLog: Sendable {
  /// The lines in order of the connections, each once; empty when no connection came to a master secret.
  public let lines: [String]

  /// The secrets of all connections of these runs.
  public init(_ simulations: [Simulation]) {
    var lines: [String] = []
    for simulation in simulations {
      let values = simulation.trace.values
      for plan in simulation.world.plans {
        guard let random = values["\(plan.prefix)client_random"], let master = values["\(plan.prefix)master_secret"]
        else { continue }
        let line = "CLIENT_RANDOM \(Hex.string(random.bytes)) \(Hex.string(master.bytes))"
        if !lines.contains(line) { lines.append(line) }
      }
    }
    self.lines = lines
  }

  /// The secrets of all connections of a run.
  public init(_ simulation: Simulation) { self.init([simulation]) }

  /// The file.
  public var text: String { lines.map { $0 + "\n" }.joined() }
}
