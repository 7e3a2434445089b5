import Endpoint
import Explanation
import Foundation
import Simulator
import TLS
import Trust
import URLLoading

/// The parts of the engines and of the curriculum that scenarios exercise.
public struct Coverage: Sendable {
  /// A kind of part.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// Rules that a case violates.
    case violated
    /// Rules that a case satisfies.
    case satisfied
    /// Keys of App Transport Security, by the systems that read them.
    case keys
    /// Pairs of consecutive messages of TLS.
    case transitions
    /// Alerts of TLS.
    case alerts
    /// Errors that the app sees.
    case errors
    /// Statements of the documents behind the lessons.
    case statements
  }

  /// A part, and the first case that exercises it.
  public struct Part: Sendable, Hashable {
    /// The name of the part: a rule id, `NSAllowsLocalNetworking, iOS 10`, `handshake_failure`.
    public let name: String
    /// The first case that exercises the part; nil if there is none.
    public let example: String?
  }

  /// The parts of each kind, in the order of their tables.
  public private(set) var parts: [Kind: [Part]] = [:]
  /// The number of cases.
  public let cases: Int

  /// Plays every case in `files` and collects the parts that it exercises.
  ///
  /// - Parameters:
  ///   - files: the scenarios.
  ///   - player: a player without a mutant.
  ///   - statements: the statements to cover, each with the ids of the scenarios that show it.
  ///   - jobs: the number of threads.
  ///   - progress: receives the finished number and the total number of cases, from one thread at a time.
  /// - Throws: `Diagnostics` if a case cannot be played.
  public init(
    of files: [ScenarioFile], by player: ScenarioPlayer, statements: [(name: String, shownBy: [String])] = [],
    jobs: Int, progress: @Sendable (Int, Int) -> Void = { _, _ in }
  ) throws(Diagnostics) {
    let cases = files.flatMap { file in file.cases.map { (file: file, scenario: $0) } }
    let results = ParallelMap.results(of: cases, jobs: jobs, progress: progress) { item in
      Result { () throws(Diagnostics) in try ExercisedParts(item.scenario, of: item.file, by: player) }
    }
    self.cases = cases.count
    var first: [Kind: [String: String]] = [:]
    for (item, result) in zip(cases, results) {
      for (kind, names) in try result.get().names {
        first[kind, default: [:]].merge(names.map { ($0, item.scenario.name) }) { known, _ in known }
      }
    }
    let ids = Set(files.map(\.id))
    for kind in Kind.allCases where kind != .statements {
      parts[kind] = Self.names(of: kind).map { Part(name: $0, example: first[kind]?[$0]) }
    }
    parts[.statements] = statements.map { statement in
      Part(name: statement.name, example: statement.shownBy.first(where: ids.contains))
    }
  }

  /// Returns the parts of a kind that no case exercises.
  public func missing(_ kind: Kind) -> [Part] { parts[kind, default: []].filter { $0.example == nil } }

  /// The names of all parts of a kind.
  private static func names(of kind: Kind) -> [String] {
    switch kind {
    case .violated, .satisfied: RuleCatalogue.idsOfConnections
    case .keys: ATSEra.allKeys.map(\.name)
    case .transitions: MessageTransition.all.map(\.description)
    case .alerts: AlertDescription.registry.map(\.name)
    case .errors: AppError.all.map(\.description)
    case .statements: []
    }
  }
}

/// A range of releases that read the same keys of App Transport Security.
private struct ATSEra {
  let name: String
  let iOS: OSVersion
  let macOS: OSVersion

  static let all = [
    ATSEra(name: "iOS 9", iOS: OSVersion(.iOS, 9), macOS: OSVersion(.macOS, 10, 11)),
    ATSEra(name: "iOS 10", iOS: OSVersion(.iOS, 10), macOS: OSVersion(.macOS, 10, 12)),
    ATSEra(name: "iOS 14", iOS: OSVersion(.iOS, 14), macOS: OSVersion(.macOS, 11)),
    ATSEra(name: "iOS 17", iOS: OSVersion(.iOS, 17), macOS: OSVersion(.macOS, 14)),
    ATSEra(name: "iOS 26.4", iOS: OSVersion(.iOS, 26, 4), macOS: OSVersion(.macOS, 26, 4)),
  ]

  /// Every key with each era that reads it.
  static let allKeys = AppTransportSecurity.Key.catalogue.filter { $0.isKey && $0.wasEverRead }.flatMap { key in
    all.filter { key.isKnown(to: $0.iOS) }.map { era in (name: name(of: key, in: era), key: key) }
  }

  /// Returns the era of a release; nil for releases without App Transport Security.
  static func era(of os: OSVersion) -> ATSEra? {
    all.last { os.isAtLeast(iOS: ($0.iOS.major, $0.iOS.minor), macOS: ($0.macOS.major, $0.macOS.minor)) }
  }

  static func name(of key: AppTransportSecurity.Key, in era: ATSEra) -> String { "\(key.id), \(era.name)" }
}

/// The parts that one case exercises.
private struct ExercisedParts {
  var names: [Coverage.Kind: Set<String>] = [:]

  init(_ scenario: Scenario, of file: ScenarioFile, by player: ScenarioPlayer) throws(Diagnostics) {
    let witness = RuleWitness([])
    let run: ScenarioPlayer.LimitedRun
    do throws(Diagnostics) {
      run = try player.witnessed(by: witness).run(scenario, limit: .max)
    } catch {
      throw file.showing(error)
    }
    let outcomes = Outcome.connections(of: run.simulation)
    names[.errors] = Set(outcomes.flatMap(\.errors).map(\.description))
    for fact in witness.facts.run { add(fact) }
    for step in run.simulation.trace.steps { add(step) }
    names[.transitions] = Set(Self.transitions(run.simulation.trace.steps).map(\.description))
    names[.keys] = Self.keys(scenario, player)
  }

  private mutating func add(_ fact: RuleWitness.Fact) {
    switch fact {
    case .violated(let place, let rule): names[.violated, default: []].insert(place.ruleID(rule))
    case .satisfied(let place, let rule): names[.satisfied, default: []].insert(place.ruleID(rule))
    case .checked, .queried, .decided: break
    }
  }

  private mutating func add(_ step: Step) {
    guard step.message == .tls(.alert) else { return }
    let alert = step.isProtected ? step.plaintext[...] : step.bytes.dropFirst(5)
    guard let description = alert.dropFirst().first else { return }
    names[.alerts, default: []].insert(AlertDescription(rawValue: description).description)
  }

  /// Returns the pairs of consecutive handshake messages of each side of each connection.
  private static func transitions(_ steps: [Step]) -> [MessageTransition] {
    let messages = steps.compactMap { step -> (connection: String, sender: Side, name: ProtocolMessage.Name)? in
      guard case .tls(let name)? = step.message, name.isOfHandshake else { return nil }
      guard step.to == .client || step.from == .client else { return nil }
      return (step.connection ?? "", step.to == .client ? .server : .client, name)
    }
    return Dictionary(grouping: messages, by: \.connection).values.flatMap { messages in
      let is13 = messages.contains {
        $0.name == .handshake(.encryptedExtensions) || $0.name == .handshake(.helloRetryRequest)
      }
      // In TLS 1.3, ChangeCipherSpec only serves compatibility.
      let counted = is13 ? messages.filter { $0.name != .changeCipherSpec } : messages
      return Side.allCases.flatMap { side -> [MessageTransition] in
        let own = counted.filter { $0.sender == side }.map(\.name)
        return zip([nil] + own.map(Optional.some), own).map {
          MessageTransition(is13 ? .tls13 : .upTo12, side, from: $0, to: $1)
        }
      }
    }
  }

  /// Returns the keys in the property lists of the clients, with the era of each client.
  private static func keys(_ scenario: Scenario, _ player: ScenarioPlayer) -> Set<String> {
    var names: Set<String> = []
    for client in scenario.dates.flatMap(\.connections).map(\.client) {
      guard let era = ATSEra.era(of: client.os),
        let settings = try? player.cast.configuration(client, identity: { _ in nil })
      else { continue }
      for key in settings.presentKeys { names.insert(ATSEra.name(of: key, in: era)) }
    }
    return names
  }
}

extension Mutant.Place {
  /// Returns the id of a rule that a party in this place checks. A server applies chain rules to client certificates.
  fileprivate func ruleID(_ rule: String) -> String {
    guard self == .clientValidation, let dot = rule.firstIndex(of: ".") else { return rule }
    return Layer.clientAuth.rawValue + rule[dot...]
  }
}

extension ProtocolMessage.Name {
  /// Whether the message belongs to a handshake.
  fileprivate var isOfHandshake: Bool {
    switch self {
    case .handshake, .changeCipherSpec: true
    default: false
    }
  }
}

extension AppTransportSecurity.Configuration {
  /// The keys in the settings, at their levels.
  fileprivate var presentKeys: [AppTransportSecurity.Key] {
    func keys(_ dictionary: PropertyList.Dictionary, _ level: AppTransportSecurity.Key.Level)
      -> [AppTransportSecurity.Key]
    {
      dictionary.keys.compactMap { AppTransportSecurity.Key.named($0, at: level) }
    }
    func domains(_ key: AppTransportSecurity.Key) -> [PropertyList.Dictionary] {
      dictionary[key]?.dictionary?.entries.compactMap(\.value.dictionary) ?? []
    }
    let identities = domains(.pinnedDomains).flatMap(\.entries).flatMap { entry -> [PropertyList.Dictionary] in
      if case .array(let items) = entry.value { items.compactMap(\.dictionary) } else { [] }
    }
    return (dictionary.keys.isEmpty ? [] : [.appTransportSecurity]) + (requiresPinning ? [.pinningRequired] : [])
      + keys(dictionary, .global) + domains(.exceptionDomains).flatMap { keys($0, .exceptionDomain) }
      + domains(.pinnedDomains).flatMap { keys($0, .pinnedDomain) } + identities.flatMap { keys($0, .pinnedIdentity) }
  }
}
