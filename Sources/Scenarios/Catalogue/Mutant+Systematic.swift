import Endpoint
import Explanation
import PKIX
import TLS
import Trust
import URLLoading

// The generated mutants: one for each deciding rule, each key of App Transport Security and each limit.
extension Mutant {
  /// All generated mutants, by group.
  public static let systematic: [Mutant] = withoutRules + ofOneEnd + misreadingKeys + offByOne

  /// All mutants: the historical bugs, then the generated ones.
  public static let everyMutant: [Mutant] = all + systematic

  /// The rules that refuse a connection.
  private static let deciding = RuleCatalogue.all.filter { $0.decides && Layer.deciding.contains($0.layer) }

  /// The ids of the chain rules that a server applies to client certificates.
  private static let idsOfClients = Set(Rule.clientChain.map(\.id))

  private static let withoutRules = deciding.map { rule in
    let chain = rule.layer == .clientAuth && idsOfClients.contains(rule.id) ? chainRule(of: rule) : nil
    return Mutant(
      rule.id, chain == nil ? places(of: rule) : [.clientValidation], "does not check: \(rule.statement)",
      [.dropping(chain ?? rule)], layer: rule.layer, group: .rules)
  }

  /// Returns the rule of certificate validation that the server applies as `rule` to client certificates.
  private static func chainRule(of rule: Rule) -> Rule? {
    RuleCatalogue.rule("\(Layer.chain.rawValue).\(rule.id.drop { $0 != "." }.dropFirst())")
  }

  /// Returns the parties that check a rule.
  private static func places(of rule: Rule) -> [Place] {
    switch rule.layer {
    case .ats, .chain, .name, .pin, .challenge: [.client]
    default: [.client, .server]
    }
  }

  private static let ofOneEnd = deciding.filter { [.handshake, .record].contains($0.layer) }.flatMap { rule in
    [Place.client, .server].map { place in
      Mutant(
        "\(rule.id)@\(place.rawValue)", [place], "does not check at the \(place.rawValue) alone: \(rule.statement)",
        [.dropping(rule)], layer: rule.layer, group: .ends)
    }
  }
}

// Keys whose default is read as its opposite.
extension Mutant {
  private static let misreadingKeys = AppTransportSecurity.Key.catalogue.filter { $0.isKey && $0.wasEverRead }.map {
    key in
    Mutant(
      key.id, [.client],
      key.isIgnoredWhenMisread ? "ignores \(key.name)" : "reads a missing \(key.name) as the opposite of its default",
      [.misreading(key)], layer: .ats, group: .keys, reach: .settings)
  }
}

extension Fault {
  /// A fault that takes the default of a key for its opposite.
  fileprivate static func misreading(_ key: AppTransportSecurity.Key) -> Fault {
    .changing { (decisions: inout AppTransportSecurity.SettingsDecisions) in
      decisions.reads = { settings, _ in settings.misreading(key) }
    }
  }
}

extension AppTransportSecurity.Key {
  /// Whether the key has no value that is the opposite of its default, so that a misreading ignores the key.
  fileprivate var isIgnoredWhenMisread: Bool { opposite == nil }

  /// The value that is the opposite of the key's default; nil if there is none.
  fileprivate var opposite: PropertyList? {
    switch defaultValue {
    case "NO": .boolean(true)
    case "YES": .boolean(false)
    case ProtocolVersion.tls12.description: .string(ProtocolVersion.tls10.description)
    default: nil
    }
  }
}

extension AppTransportSecurity.Configuration {
  /// Returns these settings as a system reads them that takes the default of `key` for its opposite.
  func misreading(_ key: AppTransportSecurity.Key) -> AppTransportSecurity.Configuration {
    guard key != .pinningRequired else {
      return AppTransportSecurity.Configuration(dictionary: dictionary, requiresPinning: true, linkedSDK: linkedSDK)
    }
    switch key.level {
    case .root: return having(.init())
    case .global: return having(dictionary.misreading(key))
    case .exceptionDomain: return having(dictionary.changing(.exceptionDomains) { $0.misreading(key) })
    case .pinnedDomain: return having(dictionary.changing(.pinnedDomains) { $0.misreading(key) })
    case .pinnedIdentity:
      return having(dictionary.changing(.pinnedDomains) { $0.changingItems { $0.misreading(key) } })
    }
  }
}

extension PropertyList.Dictionary {
  /// Returns this dictionary with the opposite of the default of `key` if the key is missing.
  ///
  /// If the default has no opposite, the result lacks the key.
  fileprivate func misreading(_ key: AppTransportSecurity.Key) -> PropertyList.Dictionary {
    guard let opposite = key.opposite else { return .init(entries: entries.filter { !$0.is(key) }) }
    return self[key] == nil ? .init(entries: entries + [.init(key: key.name, value: opposite)]) : self
  }

  /// Returns this dictionary with a change of every dictionary in the dictionary at `key`.
  fileprivate func changing(
    _ key: AppTransportSecurity.Key, _ change: (PropertyList.Dictionary) -> PropertyList.Dictionary
  ) -> PropertyList.Dictionary {
    changingValues { entry in
      guard entry.is(key), let domains = entry.value.dictionary else { return entry.value }
      return .dictionary(
        domains.changingValues { $0.value.dictionary.map { .dictionary(change($0)) } ?? $0.value })
    }
  }

  /// Returns this dictionary with a change of every dictionary in its arrays.
  fileprivate func changingItems(
    _ change: (PropertyList.Dictionary) -> PropertyList.Dictionary
  ) -> PropertyList.Dictionary {
    changingValues { entry in
      guard case .array(let items) = entry.value else { return entry.value }
      return .array(items.map { item in item.dictionary.map { .dictionary(change($0)) } ?? item })
    }
  }

  private func changingValues(_ value: (Entry) -> PropertyList) -> PropertyList.Dictionary {
    .init(entries: entries.map { .init(key: $0.key, value: value($0), place: $0.place) })
  }
}

// Limits that are compared incorrectly by one unit.
extension Mutant {
  private static let offByOne: [Mutant] =
    limits.flatMap { rule, unit in
      offByOne(rule, unit, named: rule, [.client])
        + (clientRule(for: rule).map { offByOne(rule, unit, named: $0, [.clientValidation]) } ?? [])
    }

  /// The rules that compare a value with a limit, with the unit of the value.
  private static let limits: [(Rule, String)] = [
    (.expired, "second"), (.notYetValid, "second"), (.lifetime, "second"), (.pathLength, "intermediate"),
    (.keySize, "bit"), (.atsKeySize, "bit"), (.shortDHGroup, "bit"),
  ]

  private static func clientRule(for rule: Rule) -> Rule? { Rule.clientChain.first { chainRule(of: $0) == rule } }

  private static func offByOne(_ rule: Rule, _ unit: String, named: Rule, _ places: [Place]) -> [Mutant] {
    [1, -1].map { slack in
      Mutant(
        "\(named.id)\(slack > 0 ? "+1" : "-1")", places,
        slack > 0 ? "accepts one \(unit) beyond the limit" : "refuses the limit itself, one \(unit) too early",
        [fault(rule, slack)], layer: named.layer, group: .limits,
        reach: rule == .pathLength && slack < 0 ? .checks : .violations)
    }
  }

  private static func fault(_ rule: Rule, _ slack: Int) -> Fault {
    if rule == .pathLength { return .path([rule]) { $0.intermediatesAllowed = { $0 + slack } } }
    return .deciding(rule) { check in
      slack > 0 ? check.holds || check.excess == 1 : check.holds && check.excess != 0
    }
  }
}

extension Enforcement.Check {
  /// The number of units by which the found value exceeds the limit.
  ///
  /// The value is 0 for the limit itself, and nil if there is no comparison.
  fileprivate var excess: Int64? {
    switch required {
    case .atMost(let limit): Self.difference(found, limit)
    case .atLeast(let limit): Self.difference(limit, found)
    default: nil
    }
  }

  private static func difference(_ left: Detail, _ right: Detail) -> Int64? {
    guard let left = amount(left), let right = amount(right) else { return nil }
    let (difference, overflow) = left.subtractingReportingOverflow(right)
    return overflow ? nil : difference
  }

  private static func amount(_ detail: Detail) -> Int64? {
    switch detail {
    case .bits(let count), .number(let count), .byteCount(let count): Int64(count)
    case .seconds(let seconds): seconds
    case .date(let instant): instant.secondsSince1970
    default: nil
    }
  }
}
