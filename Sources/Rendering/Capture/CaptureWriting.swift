import Endpoint
import Explanation
import Simulator
import TLS

/// A capture that grows, run by run.
struct CaptureWriting {
  private(set) var file = CaptureFile()
  private(set) var connectionCount = 0
  private var book = AddressBook()
  private var time: CaptureTime?
  private var lastSender: NetworkPlace?

  /// Between two packets of one sender, and for a packet to come through.
  private static let pause: UInt32 = 20
  private static let journey: UInt32 = 10_000
  /// The first of the ports for connections that are opened (RFC 6335 section 6), and how many there are.
  private static let firstPort: UInt16 = 49_152
  private static let portCount = 16_384

  /// The parties of a TCP connection on one connection of the run.
  private struct Pair: Hashable {
    let connection: String?
    let parties: Set<Party>

    init?(_ step: Step) {
      guard step.kind == .message, let to = step.to else { return nil }
      (connection, parties) = (step.connection, [step.from, to])
    }
  }

  private struct Open {
    let initiator: Party
    var tcp: TCPConversation
    /// Who said first that nothing more comes.
    var finisher: Party?

    func end(of party: Party) -> TCPConversation.End { party == initiator ? .initiator : .responder }
  }

  /// Writes everything that travelled in a run.
  mutating func write(_ simulation: Simulation) throws(CaptureError) {
    time = try CaptureTime(simulation.world.clock)
    var open: [Pair: Open] = [:]
    let steps = simulation.trace.steps
    for (index, step) in steps.enumerated() {
      guard let pair = Pair(step), let plan = simulation.plans.first(where: { $0.name == step.connection }) else {
        continue
      }
      let start = try CaptureTime(step.at)
      time = time.map { max($0, start) } ?? start
      var conversation = open[pair] ?? begin(step, plan)
      let rest = steps[(index + 1)...].filter { Pair($0) == pair }
      send(step, isLast: !rest.contains { $0.from == step.from }, on: &conversation)
      if rest.isEmpty { close(&conversation) }
      open[pair] = conversation
    }
  }

  private mutating func begin(_ step: Step, _ plan: World.Plan) -> Open {
    let port = Self.firstPort + UInt16(truncatingIfNeeded: connectionCount % Self.portCount)
    connectionCount += 1
    lastSender = nil
    let source = NetworkPlace(address: book.address(of: step.from, in: plan), port: port)
    let responder = step.to ?? plan.server.tls.party
    let destination = NetworkPlace(address: book.address(of: responder, in: plan), port: Self.port(step, plan))
    return Open(initiator: step.from, tcp: TCPConversation(from: source, to: destination))
  }

  /// The port of the URL, that of HTTP for a fetch beside it; whoever strips TLS from a connection asks on at TLS's own.
  private static func port(_ step: Step, _ plan: World.Plan) -> UInt16 {
    if step.isFetch { return 80 }
    let asked = plan.interceptor?.back?.decision.load.url
    return (step.from == .interceptor ? asked?.port : nil) ?? plan.url.port ?? 443
  }

  private mutating func send(_ step: Step, isLast: Bool, on conversation: inout Open) {
    let end = conversation.end(of: step.from)
    conversation.tcp.send(step.bytes, from: end)
    if isLast, let ending = Ending(of: step) {
      conversation.tcp.finish(end, forGood: ending == .abrupt)
      if conversation.finisher == nil { conversation.finisher = step.from }
    }
    write(conversation.tcp.take())
  }

  /// Whoever learns that the other has finished finishes too; a connection on which nobody did stays open.
  private mutating func close(_ conversation: inout Open) {
    if let finisher = conversation.finisher { conversation.tcp.finish(conversation.end(of: finisher).peer) }
    conversation.tcp.settle()
    write(conversation.tcp.take())
  }

  private mutating func write(_ segments: [TCPSegment]) {
    for segment in segments {
      guard let now = time else { return }
      let next = now.adding(microseconds: segment.source == lastSender ? Self.pause : Self.journey)
      file.append(segment.frame, at: next)
      (time, lastSender) = (next, segment.source)
    }
  }
}

/// How a message ends what its sender has to say.
private enum Ending {
  /// `close_notify`, or a response after which HTTP closes: what still comes is read.
  case orderly
  /// A fatal alert: RFC 5246 section 7.2.2.
  case abrupt

  init?(of step: Step) {
    switch step.title {
    case "Alert":
      let content = step.isProtected ? step.plaintext : Array(step.bytes.dropFirst(Record.headerLength))
      guard let alert = try? Alert(decoding: content) else { return nil }
      if alert.level == .fatal {
        self = .abrupt
      } else if alert.description == .closeNotify {
        self = .orderly
      } else {
        return nil
      }
    case "HTTP response": self = .orderly
    default: return nil
    }
  }
}
