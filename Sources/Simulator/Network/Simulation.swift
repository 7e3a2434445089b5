import Endpoint
import Explanation
import TLS
import Trust
import URLLoading

/// A run of a world, one step at a time. The run is a value, so an earlier copy allows a return to an earlier step.
public struct Simulation: Sendable {
  /// The world of the run.
  public let world: World
  /// The steps that the run has made.
  public internal(set) var trace: Trace
  /// The connections that have begun, in order, with their findings.
  public internal(set) var accounts: [ConnectionRecord] = []
  var queue: [Item] = []
  var clock: Instant
  /// The number of the world's connections that have begun. Redirected connections are not included.
  var begun = 0
  private var leaksToCome: [Leak]
  private var auditsToCome: [World.Audit]
  /// The client's next attempts after a failed one.
  var attempts: [World.Plan] = []
  var computed: [Party: Set<Value.ID>] = [:]
  /// The attacks that matched a message, and whether any such message contained something to change.
  public internal(set) var metAttacks: [Attack: Bool] = [:]

  /// An item of the queue, which later becomes a step.
  enum Item {
    case message(Transmission, from: End, [Value])
    /// An attack on a message. If the message has already arrived, only the forged message after it is missing.
    case attack(Attack, Transmission, from: End, others: ArraySlice<Attack>, hasArrived: Bool = false)
    /// A message that the next attackers receive, or else its receiver. It is no step of its own.
    case passing(Transmission, from: End, by: ArraySlice<Attack>)
    case derivation(Party, [Value])
    case decision(End, Decision)
    /// The client fetches the certificate of an issuer before it continues.
    case fetch(End, TrustFetch)
    /// An attacker returns an older response in place of the current one.
    case outdated(TrustFetch, by: Int64)
    /// The CA responds to a fetch.
    case fetched(End, TrustFetch)
    case rewriting(before: [UInt8], after: [UInt8])
    case leak(Leak)
    /// An auditor and a monitor query a log.
    case audit(World.Audit.Part, of: World.Audit)
    /// An attacker queries the server of this connection about the recorded secret.
    case oracle(Int)
    /// An attacker replaces the padding in the requests that the client of this connection repeats.
    case padding(Int)
  }

  /// Creates a run before its first step.
  public init(_ world: World) {
    self.world = world
    trace = Trace(held: world.held, isShared: world.calculation != nil)
    clock = world.clock
    leaksToCome = world.leaks
    auditsToCome = world.audits
  }

  /// Whether the run has ended.
  public internal(set) var isFinished = false
  /// Whether the run took place with a real server and cannot be repeated.
  public internal(set) var isRecorded = false
  /// The reason why the target of a redirect cannot be simulated, which ended the run; nil for none.
  public private(set) var obstacle: World.Unplayable?

  /// Whether there are no further steps. This also applies after the last step, before `step()` returns false.
  public var isAtEnd: Bool {
    var ahead = self
    return isFinished || !ahead.step()
  }

  /// Performs the next step of the run.
  ///
  /// - Returns: false if there is no next step.
  @discardableResult public mutating func step() -> Bool {
    if let calculation = world.calculation { return step(calculation) }
    let count = trace.steps.count
    while trace.steps.count == count {
      guard !queue.isEmpty || prepare() else {
        isFinished = true
        return false
      }
      guard !queue.isEmpty else { continue }
      play(queue.removeFirst())
      dropUnread()
    }
    return true
  }

  /// Performs the next step of a calculation. Returns false if there is none.
  private mutating func step(_ calculation: Calculation) -> Bool {
    isFinished = trace.steps.count >= calculation.moves.count
    if !isFinished { trace.record(calculation.moves[trace.steps.count].step) }
    return !isFinished
  }

  /// Performs all remaining steps.
  public mutating func run() { while step() {} }

  /// The outcome of the run up to now.
  public var outcome: Outcome { Outcome(self) }
}

// The choice of the next event.
extension Simulation {
  /// Fills an empty queue: continues a connection, ends it, begins the next connection, or leaks a secret.
  ///
  /// - Returns: false if nothing is left.
  private mutating func prepare() -> Bool {
    if let last = accounts.indices.last, !accounts[last].isConcluded {
      if let answer = accounts[last].passOn() {
        if answer.before != answer.after { queue.append(.rewriting(before: answer.before, after: answer.after)) }
        take(answer.effects, of: .front)
      } else if let passed = accounts[last].passThroughProxy() {
        take(passed.effects, of: passed.end)
      } else if !replayFlight(last) {
        accounts[last].isConcluded = true
        take(accounts[last].hangUp(), of: .client)
        let blame = accounts[last].blameAppTransportSecurity()
        // A lower version does not restore the parts of the offer that App Transport Security removed.
        if blame?.findings.refuses != true, fallsBack() { return true }
        if let blame { queue.append(.decision(.client, blame)) }
        if accounts[last].plan.way.asksOracle { queue.append(.oracle(last)) }
        if accounts[last].plan.way.forgesPadding { queue.append(.padding(last)) }
      }
      return true
    }
    if !attempts.isEmpty {
      begin(attempts.removeFirst())
      return true
    }
    if let plan = redirected() {
      begin(plan)
      return true
    }
    if !queue.isEmpty { return true }
    let plan = begun < world.plans.count ? world.plans[begun] : nil
    if let leak = leaksToCome.first, plan.map({ leak.precedes($0.clock) }) ?? true {
      leaksToCome.removeFirst()
      queue.append(.leak(leak))
      return true
    }
    guard let plan else {
      guard !auditsToCome.isEmpty else { return false }
      let audit = auditsToCome.removeFirst()
      queue += World.Audit.Part.allCases.map { .audit($0, of: audit) }
      return true
    }
    begun += 1
    begin(plan)
    return true
  }

  private mutating func begin(_ plan: World.Plan) {
    clock = max(clock, plan.clock)
    var decided = plan
    decided.client.decide()
    decided.remember(accounts)
    let (met, missing) = meetingNeed(decided)
    var account = ConnectionRecord(met, planned: plan)
    let effects = plan.replayed == nil ? account.start(.client) : []
    accounts.append(account)
    take((missing.map { [.decided($0)] } ?? []) + effects, of: .client)
  }

  /// Adds an attacker's computation of values to the queue.
  mutating func conclude(_ values: [Value]) {
    if !values.isEmpty { queue.append(.derivation(.interceptor, values)) }
  }

  /// Replays the next flight of a recording when the server has nothing more to send.
  private mutating func replayFlight(_ index: Int) -> Bool {
    guard let name = accounts[index].plan.replayed, !accounts[index].isOver(.server),
      let recording = accounts.first(where: { $0.plan.name == name })?.recording
    else { return false }
    let flight = recording.flight(accounts[index].playedFlights)
    accounts[index].playedFlights += 1
    queue += flight.map { .message($0, from: .client, []) }
    return !flight.isEmpty
  }

  // Redirects: each redirect leads to a separate connection.

  /// The connections in order: those that were made, including redirected ones, and those that will be made.
  public var plans: [World.Plan] { accounts.map(\.plan) + world.plans.dropFirst(begun) }

  /// Returns the connection to which the last connection's server redirects the client, if any.
  ///
  /// The result is also nil if there is no server for the target; the client then decides how to continue.
  mutating func redirected() -> World.Plan? {
    guard let last = accounts.indices.last, !accounts[last].isFollowed, let onward = accounts[last].client.redirection
    else { return nil }
    accounts[last].isFollowed = true
    do throws(World.Unplayable) {
      return try accounts[last].planned.redirected(to: onward, after: accounts[last].client.visited)
    } catch .noServer {
      queue.append(.decision(.client, nobody(at: onward.url.host, accounts[last])))
    } catch {
      obstacle = error
    }
    return nil
  }

  private func nobody(at host: String, _ account: ConnectionRecord) -> Decision {
    let finding = account.client.configuration.tls.enforcement.check(.hostNotFound, on: .host(host), false)
    return Decision(.load(.hostNotFound(host, finding.rule)), [finding])
  }
}
