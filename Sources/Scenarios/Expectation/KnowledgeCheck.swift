import Endpoint
import Explanation
import Simulator
import TLS

/// Checks the participants and values of `knowledge`. A misspelt value under `lacks` would always pass, because no
/// participant knows it.
struct KnowledgeCheck {
  let scenario: Scenario
  let sink: DiagnosticSink

  func run() {
    check(scenario.expectation)
    for connection in scenario.connections { check(connection.expectation) }
  }

  private func check(_ expectation: Expectation?) {
    let named = [expectation?.equal, expectation?.different].compactMap(\.self).joined().joined()
    for value in Array(named) + (expectation?.neverOnWire ?? []) + (expectation?.absent ?? [])
      + (expectation?.values.keys.sorted() ?? [])
    where !isValue(value) {
      sink.error(
        "unknown value '\(value)'", hint: ValueEntry.hint(for: value, among: values),
        at: place(of: value) ?? scenario.tree["expect"]?.mark ?? scenario.tree.mark)
    }
    for (key, groups) in [("equal", expectation?.equal ?? []), ("different", expectation?.different ?? [])] {
      for group in groups where group.count < 2 {
        sink.error(
          "a group of '\(key)' must have at least two values, not '\(group.joined(separator: ""))'",
          hint: "write \(key): [[first.\(ValueKind.masterSecret.word), second.\(ValueKind.masterSecret.word)]]",
          at: group.first.flatMap(place(of:)) ?? scenario.tree["expect"]?.mark ?? scenario.tree.mark)
      }
    }
    for expected in expectation?.knowledge ?? [] {
      if !parties.contains(expected.party.name) {
        sink.error(
          "unknown party '\(expected.party)'", hint: LikelyWord.hint(for: expected.party.name, among: parties),
          at: expected.mark)
      }
      for value in expected.knows + expected.lacks where !isValue(value) {
        sink.error(
          "unknown value '\(value)'", hint: ValueEntry.hint(for: value, among: values),
          at: place(of: value, for: expected) ?? expected.mark)
      }
    }
  }

  /// Returns the place where the expectation names a value, as a key or as a list item.
  private func place(of value: Value.ID) -> SourceMark? {
    let node = scenario.tree["expect"]
    return node?["values"]?.entries?.first { $0.key == value.description }?.mark
      ?? ["equal", "different", "neverOnWire", "absent"].lazy.compactMap { node?[$0]?.place(of: value.description) }
      .first
  }

  /// Returns the place of a value in the list of values that a participant knows or lacks.
  private func place(of value: Value.ID, for expected: Expectation.KnowledgeExpectation) -> SourceMark? {
    let parts = scenario.tree["expect"].map { [$0] } ?? []
    let all = parts + (scenario.tree["connections"]?.items ?? []).compactMap { $0["expect"] }
    let own = all.compactMap { $0["knowledge"]?[expected.party.name] }
    return own.lazy.compactMap { $0.place(of: value.description) }.first
  }

  private var all: [CertificateDescription] { scenario.authorities + scenario.certificates }

  private var parties: [String] {
    if let calculation = scenario.calculation { return calculation.parties.map(\.name) }
    let others = scenario.connections.flatMap { connection -> [Party] in
      (connection.client.proxy == nil ? [] : [Party.proxy]) + (connection.client.isThief ? [.thief] : [])
    }
    return ([.client, .server, .eavesdropper, .interceptor] + others).map(\Party.name) + scenario.servers.map(\.host)
      + all.map(\.name)
  }

  /// The scopes of the connections and handshakes that can have values.
  private var scopes: [ValueScope] {
    let redirects = scenario.servers.flatMap(\.redirects).count
    let own = scenario.connections.flatMap { connection in
      let name = connection.name
      let fallback = connection.client.fallback.applied(to: .systemDefault(os: connection.client.os))
      let hops = (0..<redirects).map { World.Plan.name(ofHop: $0 + 1, of: name) }
      let attempts = (fallback?.versions ?? []).indices.map { World.Plan.name(ofAttempt: $0 + 1, of: name) }
      return ([name] + hops + attempts).map(World.Plan.scope)
    }
    let all = own + own.map(\.upstream)
    let renegotiates = scenario.servers.contains { $0.renegotiates != .never }
    return renegotiates ? all + all.map(\.renegotiated) : all
  }

  /// The files that servers issue, and their passphrases.
  private var issued: [ValueName] {
    scenario.registrations.map(\.registration.certificate).flatMap {
      [IssuedIdentity.fileName($0), IssuedIdentity.passphraseName($0)]
    }
  }

  private var values: [String] {
    if let calculation = scenario.calculation { return calculation.names.sorted() }
    let named =
      scopes.flatMap { scope in ValueEntry.all.map { scope.name($0.name) } }
      + all.flatMap { [$0.scope.name(.key), $0.scope.name(.certificate)] } + issued
    return named.map(\.description)
  }

  /// Returns whether a run can have a value with this name. A file's chain can have several certificates.
  private func isValue(_ name: ValueName) -> Bool {
    if isNamed(name) || scenario.calculation != nil { return isNamed(name) }
    let owner = name.scope.owner
    return name.kind == .certificate && owner.hasSuffix("]")
      && all.contains { $0.pem != nil && owner.hasPrefix("\($0.name)[") }
  }

  /// Returns whether `name` is one of `values`, without building the whole list.
  private func isNamed(_ name: ValueName) -> Bool {
    if let calculation = scenario.calculation { return calculation.names.contains(name.description) }
    return ValueEntry.isValue(name.bare) && scopes.contains(name.scope)
      || [ValueName(.sessionTicketKey), ValueName(.externalPSK)].contains(name.bare)
      || [ValueName(.key), ValueName(.certificate)].contains(name.bare) && all.contains { $0.scope == name.scope }
      || issued.contains(name)
  }
}
