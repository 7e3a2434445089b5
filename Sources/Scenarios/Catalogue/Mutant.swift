import Explanation
import Trust
import URLLoading

/// A named list of faults that a client, a server, an app or a validator can have.
///
/// A mutant is either a historical bug, which scenarios can use, or one of the generated faults with which
/// `trustlab mutate` measures the scenarios.
public struct Mutant: Sendable, Hashable {
  /// The kind of program that can have a fault.
  public enum Place: String, Sendable, Hashable, CaseIterable {
    /// The TLS implementation of a server.
    case server
    /// The TLS implementation and the URL loader of a client, and its validation of servers.
    case client
    /// The delegate of an app, which responds to the server trust challenge.
    case delegate
    /// Every program that validates certificates: a client, or a server that requests client certificates.
    case validator
    /// The validation of client certificates by a server.
    case clientValidation = "client validation"

    /// The places whose faults a program in this place has.
    fileprivate var sources: [Place] {
      switch self {
      case .client, .clientValidation: [self, .validator]
      case .server, .delegate, .validator: [self]
      }
    }
  }

  /// The group of a mutant, which is reported separately.
  public enum Group: String, Sendable, Hashable, CaseIterable {
    /// One of the fifteen historical validators by which the curriculum is measured.
    case validators
    /// Another historical bug.
    case historical
    /// A rule that no party checks.
    case rules
    /// A rule of both ends that one end does not check.
    case ends
    /// A key of App Transport Security that the system reads wrongly.
    case keys
    /// A limit that is compared incorrectly by one unit.
    case limits

    /// Whether the group is generated from the tables of the engines.
    public var isSystematic: Bool { self != .validators && self != .historical }
  }

  /// The cases that a fault can change.
  enum Reach: Sendable, Hashable {
    /// The cases that violate a rule of the fault, or in which its decider disagrees with the engine.
    case violations
    /// The cases that check a rule of the fault.
    case checks
    /// The cases in which the settings of an app are read differently.
    case settings
    /// All cases.
    case everything
  }

  /// The name of the mutant.
  public let name: String
  /// The kinds of program that have the faults.
  public let places: [Place]
  /// The wrong behaviour that the faults cause.
  public let meaning: String
  /// The ids of the rules that a program with the faults skips; empty if another decision is different instead.
  public var rules: [String] { faults.flatMap(\.rules).map(\.id) }
  /// The source of the bug: its CVE, or the incident; empty for a generated mutant.
  public let source: String
  /// The skipped rules in one line. A layer that is skipped as a whole is given by its name.
  public var ruleText: String {
    let layers = Set(rules.compactMap { $0.split(separator: ".").first })
    return rules.count > 8 ? layers.sorted().map { "\($0).*" }.joined(separator: ", ") : rules.joined(separator: ", ")
  }

  /// The affected programs, and the version of each that fixes the bug.
  public let affected: String?
  /// The day on which the bug was published or fixed.
  public let date: String?
  /// The faults of the mutant.
  public let faults: [Fault]
  /// The layer of the mutant's rule; nil if it skips no rule.
  public let layer: Layer?
  /// The group in which the mutant is reported.
  public let group: Group
  /// The cases that the mutant can change.
  let reach: Reach
  /// Whether a program with the bug accepts nothing that a correct one refuses.
  private let isStricter: Bool

  init(
    _ name: String, _ places: [Place], _ meaning: String, _ faults: [Fault], source: String = "",
    affected: String? = nil, date: String? = nil, layer: Layer? = nil, group: Group = .historical,
    reach: Reach? = nil, isStricter: Bool = false
  ) {
    self.name = name
    self.places = places
    self.meaning = meaning
    self.faults = faults
    self.source = source
    self.affected = affected
    self.date = date
    self.layer = layer ?? faults.lazy.flatMap(\.rules).first?.layer
    self.group = Self.fifteen.contains(name) ? .validators : group
    self.isStricter = isStricter
    self.reach = reach ?? (faults.allSatisfy(\.rules.isEmpty) ? .everything : .violations)
  }

  /// Whether the bug only affects the authentication of the peer, by its certificate or its signature.
  private var isOfAuthentication: Bool {
    let rules = faults.flatMap(\.rules)
    return !rules.isEmpty && rules.allSatisfy { [.chain, .name].contains($0.layer) || $0 == .badSignature }
  }

  /// Whether a server can have the bug.
  public var isOfServers: Bool { places.contains { $0 != .client && $0 != .delegate } }

  /// Whether a client, or the app on it, can have the bug.
  public var isOfClients: Bool { places.contains { $0 != .server && $0 != .clientValidation } }

  /// Whether both ends of a connection have the bug in their TLS implementations.
  public var isOfBothEnds: Bool { places.contains(.client) && places.contains(.server) }

  /// Whether a program that only validates certificates can have the bug.
  public var isOfValidators: Bool { places.contains(.validator) }

  /// The kinds of program that have the bug, in words: `client and server`.
  public var placeText: String { places.map(\.rawValue).joined(separator: " and ") }

  /// Returns the historical bug called `name`; nil if there is none.
  public static func named(_ name: String) -> Mutant? { all.first { $0.name == name } }

  /// Returns the rules and decisions of a program in this place.
  public func enforcement(in place: Place) -> Enforcement {
    guard place.sources.contains(where: { places.contains($0) }) else { return .standard }
    var enforcement = Enforcement(faults)
    if !isStricter { enforcement.bug = Enforcement.Bug(name, isOfAuthentication: isOfAuthentication) }
    return enforcement
  }

  /// Returns whether two mutants have the same name.
  public static func == (left: Mutant, right: Mutant) -> Bool { left.name == right.name }

  /// Hashes the name, because mutants with the same name are equal.
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension Fault {
  /// Returns the fault of an app that uses this delegate preset, unless the scenario sets its own delegate.
  static func delegate(_ preset: DelegatePreset?, skipping rules: [Rule] = []) -> Fault {
    .changing(rules) { $0 = DelegateDecision(preset: preset) }
  }
}

/// The decisions of an app whose scenario describes no delegate.
struct DelegateDecision: EngineDecisions {
  static let standard = DelegateDecision(preset: nil)

  /// The delegate preset; nil for a delegate that evaluates the trust.
  let preset: DelegatePreset?
}

extension TrustEvaluator {
  /// Returns this evaluator with the bug applied. Bugs of other programs than validators change nothing.
  public func having(_ mutant: Mutant?) -> TrustEvaluator {
    guard let mutant, mutant.isOfValidators else { return self }
    return enforcing(mutant.enforcement(in: .validator))
  }

  /// Returns this evaluator with these rules and decisions.
  func enforcing(_ enforcement: Enforcement) -> TrustEvaluator {
    var evaluator = self
    evaluator.diagnostics.enforcement = enforcement
    return evaluator
  }
}
