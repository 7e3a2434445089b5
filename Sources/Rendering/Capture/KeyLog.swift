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
    var randoms: Set<[UInt8]> = []
    for simulation in simulations {
      let values = simulation.trace.values
      for prefix in simulation.plans.flatMap(\.prefixes) {
        guard let random = values["\(prefix)client_random"], let master = values["\(prefix)master_secret"] else {
          continue
        }
        // The file tells connections by their client random; of a repeated one, the first connection is told.
        guard randoms.insert(random.bytes).inserted else { continue }
        lines.append("CLIENT_RANDOM \(Hex.string(random.bytes)) \(Hex.string(master.bytes))")
      }
    }
    self.lines = lines
  }

  /// The secrets of all connections of a run.
  public init(_ simulation: Simulation) { self.init([simulation]) }

  /// The file.
  public var text: String { lines.map { $0 + "\n" }.joined() }
}

extension World.Plan {
  /// What begins the names of the values of its connections, the interceptor's to the server too.
  fileprivate var prefixes: [String] { [prefix] + [interceptor?.back?.tls.valuePrefix].compactMap(\.self) }
}
