import Explanation
import Synchronization
import URLLoading

/// Records the rules that a case checks and violates, in its run and in the trials of its goals.
///
/// The record shows which mutants can change the case. A mutant that a case does not reach need not be played.
public final class RuleWitness: Sendable {
  /// A fact about a case that some mutants depend on.
  enum Fact: Hashable, Sendable {
    /// A party checked the rule.
    case checked(Mutant.Place, String)
    /// A party found that the rule is satisfied.
    case satisfied(Mutant.Place, String)
    /// A party found a violation of the rule.
    case violated(Mutant.Place, String)
    /// A party asked whether it must ignore violations of the rule.
    case queried(Mutant.Place, String)
    /// The mutant with this name decides a check, or reads the app's settings, differently.
    case decided(String)
  }

  /// The facts about a case.
  struct Facts: Sendable {
    /// The facts of the run itself, on which the verdict depends.
    var run: Set<Fact> = []
    /// The facts of the trials, on which only the goals depend.
    var trials: Set<Fact> = []
    fileprivate var isOver = false

    fileprivate mutating func insert(_ fact: Fact) {
      if isOver { trials.insert(fact) } else { run.insert(fact) }
    }
  }

  private let state = Mutex(Facts())
  /// The mutants whose deciders are compared with the engines, by rule.
  private let deciders: [String: [Mutant]]
  /// The mutants that read settings differently.
  private let readers: [Mutant]

  /// Creates a witness that compares the decisions of `mutants` with those of the engines.
  init(_ mutants: [Mutant]) {
    let deciding = mutants.filter { $0.faults.contains { $0.decider != nil } }
    deciders = Dictionary(grouping: deciding) { $0.faults.first { $0.decider != nil }?.rules.first?.id ?? "" }
    readers = mutants.filter { $0.reach == .settings }
  }

  /// The facts up to now.
  var facts: Facts { state.withLock { $0 } }

  /// Ends the run. All later facts belong to trials.
  func endRun() { state.withLock { $0.isOver = true } }

  /// Returns an enforcement whose uses by a party in `place` are recorded.
  func watching(_ enforcement: Enforcement, in place: Mutant.Place) -> Enforcement {
    var watched = enforcement.witnessed { use in
      switch use {
      case .query(let rule): self.insert(.queried(place, rule.id))
      case .check(let check): self.record(check, in: place)
      }
    }
    if place == .client, !readers.isEmpty {
      watched.apply(
        .changing { (decisions: inout AppTransportSecurity.SettingsDecisions) in
          decisions.reads = { settings, load in
            self.compare(settings, load)
            return settings
          }
        })
    }
    return watched
  }

  private func insert(_ fact: Fact) { state.withLock { $0.insert(fact) } }

  private func record(_ check: Enforcement.Check, in place: Mutant.Place) {
    insert(.checked(place, check.rule.id))
    insert(check.holds ? .satisfied(place, check.rule.id) : .violated(place, check.rule.id))
    for mutant in deciders[check.rule.id] ?? [] where mutant.concerns(place) {
      let isDecided = mutant.faults.contains { fault in
        fault.rules.contains(check.rule) && fault.decider.map { $0(check) != check.holds } ?? false
      }
      if isDecided { insert(.decided(mutant.name)) }
    }
  }

  /// Records the mutants under which App Transport Security decides differently about a load.
  private func compare(_ settings: AppTransportSecurity.Configuration, _ load: AppTransportSecurity.Load) {
    let correct = DecidedSettings(AppTransportSecurity.decide(load, by: settings))
    for mutant in readers {
      let enforcement = mutant.enforcement(in: .client)
      let decision = AppTransportSecurity.decide(load, by: settings, enforcement: enforcement)
      if DecidedSettings(decision) != correct { insert(.decided(mutant.name)) }
    }
  }
}

/// The parts of a decision of App Transport Security on which a load depends.
private struct DecidedSettings: Equatable {
  let standing: AppTransportSecurity.Decision.Standing
  let requirements: AppTransportSecurity.Requirements?
  let pins: AppTransportSecurity.PinnedIdentities?
  let lacksRequiredPins: Bool
  let requiresTransparency: Bool

  init(_ decision: AppTransportSecurity.Decision) {
    standing = decision.standing
    requirements = decision.requirements
    pins = decision.pinnedIdentities
    lacksRequiredPins = decision.lacksRequiredPins
    requiresTransparency = decision.requiresCertificateTransparency
  }
}

extension Mutant {
  /// Returns whether a party in `place` has the faults of the mutant. An app's delegate belongs to the client.
  func concerns(_ place: Place) -> Bool {
    places.contains(place) || places.contains(.validator) && [.client, .clientValidation].contains(place)
      || places.contains(.delegate) && place == .client
  }

  /// Returns whether the mutant can change the result of something with these facts.
  ///
  /// - Parameter queries: Whether a query about a rule counts like a violation.
  func isReached(by facts: Set<RuleWitness.Fact>, queries: Bool) -> Bool {
    if reach == .everything || facts.contains(.decided(name)) { return true }
    if reach == .settings { return false }
    let own = Place.allCases.filter(concerns)
    return faults.filter { $0.decider == nil }.flatMap(\.rules).contains { rule in
      own.contains { place in
        facts.contains(reach == .checks ? .checked(place, rule.id) : .violated(place, rule.id))
          || queries && facts.contains(.queried(place, rule.id))
      }
    }
  }
}
