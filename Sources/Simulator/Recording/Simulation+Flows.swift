import Captures
import Endpoint
import Explanation
import TLS
import URLLoading

extension PacketCapture {
  /// Creates a capture of all messages of these runs, one run after the other. Each connection has its own port.
  ///
  /// - Throws: `CaptureError` if the file format cannot represent a scenario's clock.
  public init(_ simulations: [Simulation]) throws(CaptureError) {
    self.init()
    var book = AddressBook()
    for simulation in simulations { try append(simulation.flows(&book), from: simulation.world.clock) }
  }

  /// Creates a capture of all messages of one run.
  ///
  /// - Throws: `CaptureError` if the file format cannot represent the scenario's clock.
  public init(_ simulation: Simulation) throws(CaptureError) { try self.init([simulation]) }
}

extension KeyLog {
  /// Creates a log of the secrets of all connections of these runs, in order. Connections without a master secret are
  /// skipped.
  public init(_ simulations: [Simulation]) {
    self.init()
    for simulation in simulations {
      let values = simulation.trace.values
      for connection in simulation.plans.flatMap(\.scopes) { add(secretsOf: connection) { values[$0]?.bytes } }
    }
  }

  /// Creates a log of the secrets of all connections of a run.
  public init(_ simulation: Simulation) { self.init([simulation]) }
}

extension World.Plan {
  /// The scopes of the plan's connections, including that of the interceptor to the server.
  fileprivate var scopes: [ValueScope] { [scope] + [interceptor?.back?.tls.valueScope].compactMap(\.self) }
}

/// The addresses and ports of all parties, from the address blocks for documentation (RFC 5737).
///
/// The same run always has the same addresses, and each connection has its own port. Clients are in 192.0.2.0/24,
/// servers in 198.51.100.0/24 and other parties in 203.0.113.0/24. A server whose host is an IPv4 address has that
/// address.
private struct AddressBook {
  private var clients: [Party] = []
  private var hosts: [String] = []
  private var others: [Party] = []
  private var connectionCount = 0
  private static let first = 10
  private static let room = 240
  /// The first dynamic port (RFC 6335 section 6), and the number of dynamic ports.
  private static let firstPort: UInt16 = 49_152
  private static let portCount = 16_384

  /// Returns the endpoints of the connection whose first message is `step`.
  mutating func ends(of step: Step, to responder: Party, in plan: World.Plan) -> Flow.Ends {
    let port = Self.firstPort + UInt16(truncatingIfNeeded: connectionCount % Self.portCount)
    connectionCount += 1
    return Flow.Ends(
      client: SocketAddress(address: address(of: step.from, in: plan), port: port),
      server: SocketAddress(address: address(of: responder, in: plan), port: Self.port(step, plan)))
  }

  /// Returns the port of the URL, or of HTTP for a fetch. An interceptor that strips TLS connects to the TLS port.
  private static func port(_ step: Step, _ plan: World.Plan) -> UInt16 {
    if step.isFetch { return 80 }
    if let proxy = plan.proxy, step.from != proxy.party { return proxy.port }
    let asked = plan.interceptor?.back?.decision.load.url
    return (step.from == .interceptor ? asked?.port : nil) ?? plan.url.port ?? 443
  }

  /// Returns the address of a client, of the server of `plan`, or of a party between them.
  private mutating func address(of party: Party, in plan: World.Plan) -> [UInt8] {
    if party == plan.client.tls.party { return [192, 0, 2, Self.number(of: party, in: &clients)] }
    guard party == plan.server.tls.party else { return [203, 0, 113, Self.number(of: party, in: &others)] }
    if let address = plan.url.address, !address.isVersion6 { return address.bytes }
    return [198, 51, 100, Self.number(of: plan.url.host, in: &hosts)]
  }

  private static func number<T: Equatable>(of item: T, in known: inout [T]) -> UInt8 {
    if !known.contains(item) { known.append(item) }
    let index = known.firstIndex(of: item) ?? 0
    return UInt8(truncatingIfNeeded: first + index % room)
  }
}

extension Simulation {
  /// The pair of parties that have a connection in a run.
  private struct Pair: Hashable {
    let connection: String?
    let parties: Set<Party>
    /// The URL of a fetch, because each fetch has its own connection; nil for other messages.
    let fetchedURL: String?

    /// Creates the pair for a message. In a tunnel, it is the client and the proxy.
    init?(_ step: Step, in plan: World.Plan) {
      guard step.kind == .message, let to = step.to else { return nil }
      let server = plan.server.tls.party
      let ends = [step.from, to].map { end in
        plan.url.isSecure && end == server && !step.isFetch ? plan.proxy?.party ?? end : end
      }
      (connection, parties, fetchedURL) = (step.connection, Set(ends), step.fetchedURL)
    }
  }

  /// Returns every TCP connection of the run, in the order in which they were opened.
  fileprivate func flows(_ book: inout AddressBook) -> [Flow] {
    var order: [Pair] = []
    var opened: [Pair: (first: Step, ends: Flow.Ends, portions: [Flow.Chunk])] = [:]
    for (number, step) in trace.steps.enumerated() {
      guard let plan = plans.first(where: { $0.name == step.connection }), let pair = Pair(step, in: plan) else {
        continue
      }
      if opened[pair] == nil {
        order.append(pair)
        opened[pair] = (step, book.ends(of: step, to: step.to ?? plan.server.tls.party, in: plan), [])
      }
      let side: Side = step.from == opened[pair]?.first.from ? .client : .server
      let ending = Flow.Chunk.Ending(of: step)
      opened[pair]?.portions.append(Flow.Chunk(side, step.bytes, at: step.at, number: number, ending: ending))
    }
    return order.compactMap { pair in
      opened[pair].map { Flow(id: pair.connection ?? "", ends: $0.ends, portions: $0.portions) }
    }
  }
}

extension Flow.Chunk.Ending {
  fileprivate init?(of step: Step) {
    switch step.message {
    case .tls(.alert):
      let isLegible = !step.isProtected && step.plaintext.isEmpty
      let content = isLegible ? Array(step.bytes.dropFirst(Record.headerLength)) : step.plaintext
      guard let alert = try? Alert(decoding: content) else { return nil }
      if alert.level == .fatal {
        self = .abrupt
      } else if alert.description == .closeNotify {
        self = .orderly
      } else {
        return nil
      }
    // After a 101 response the connection stays open. It ends with the server's Close frame, which is not masked: RFC
    // 6455.
    case .httpResponse where step.bytes.starts(with: "HTTP/1.1 101 ".utf8): return nil
    case .webSocketFrame:
      guard step.bytes.first == 0x88, let second = step.bytes.dropFirst().first, second < 0x80 else { return nil }
      self = .orderly
    case .httpResponse: self = .orderly
    default: return nil
    }
  }
}
