import Explanation
import Scenarios
import Simulator
import URLLoading

/// A question about the smallest exception in the app's property list that allows the load. The engine runs each
/// answer.
struct MinimalQuestion {
  let subject: Subject
  let player: ScenarioPlayer

  func question() throws(Diagnostics) -> Question? {
    guard subject.isOver, subject.isCertain, subject.outcome.verdict.layer == .ats,
      let url = try? LoadURL(subject.outcome.url)
    else { return nil }
    for exception in Exception.ladder(for: url.host) {
      let outcome = try exception.outcome(of: subject.scenario, player: player)
      guard outcome.verdict.word == .accepted, Subject.isCertain(outcome) else { continue }
      return Question(
        kind: .minimal, scenario: subject.scenario.name,
        text: "What is the smallest NSAppTransportSecurity dictionary that allows the load of \(subject.outcome.url)?",
        given: [], options: [],
        format: "answer DICTIONARY, as in: answer { NSExceptionDomains: { HOST: { KEY: true } } }",
        hints: hints(exception), solution: .exception(exception),
        reason: .sentence("No smaller dictionary allows the load."))
    }
    return nil
  }

  private func hints(_ exception: Exception) -> [String] {
    let keys = exception.withoutOneKey.map(\.key)
    let because = subject.outcome.verdict.because.map(\.id).joined(separator: " and ")
    return [
      "The load is refused in the layer 'ats': which requirement is not met?",
      exception.dictionary[AppTransportSecurity.Key.exceptionDomains.name] == nil
        ? "An exception for only one host is not enough." : "An exception for only this host is enough.",
      "The answer has \(keys.count) key\(keys.count == 1 ? "" : "s") that lift\(keys.count == 1 ? "s" : "") "
        + "\(because). 'explain RULE' names the keys that lift a rule.",
    ]
  }
}

/// An NSAppTransportSecurity dictionary, and the amount of protection that it removes.
public struct Exception: Sendable, Hashable, CustomStringConvertible {
  /// The dictionary of exceptions.
  public let dictionary: Node

  init(_ dictionary: Node) { self.dictionary = dictionary }

  /// The dictionary in YAML's flow style.
  public var description: String { dictionary.flowText }

  /// The weight of the dictionary. Each key has the weight one, or more if it affects several requirements or hosts.
  var weight: Int { Self.weight(of: dictionary) }

  private static func weight(of node: Node) -> Int {
    (node.entries ?? []).reduce(0) { sum, entry in
      entry.value.entries == nil ? sum + weight(of: entry.key, entry.value) : sum + weight(of: entry.value)
    }
  }

  private static func weight(of key: String, _ value: Node) -> Int {
    typealias Key = AppTransportSecurity.Key
    return switch (Key.named(key).first, value.flowText) {
    case (Key.minimumVersion, "TLSv1.1"), (Key.requiresForwardSecrecy, _): 1
    case (Key.minimumVersion, _), (Key.includesSubdomains, _): 2
    case (Key.insecureLoads, _), (Key.allowsLocalNetworking, _): 5
    case (Key.allowsArbitraryLoads, _): 20
    default: 10
    }
  }

  /// Returns the dictionaries to try for `host`, narrowest first.
  static func ladder(for host: String) -> [Exception] {
    let entries = [
      "NSExceptionRequiresForwardSecrecy: false", "NSExceptionMinimumTLSVersion: TLSv1.1",
      "NSExceptionMinimumTLSVersion: TLSv1.1, NSExceptionRequiresForwardSecrecy: false",
      "NSExceptionMinimumTLSVersion: TLSv1.0",
      "NSExceptionMinimumTLSVersion: TLSv1.0, NSExceptionRequiresForwardSecrecy: false",
      "NSExceptionAllowsInsecureHTTPLoads: true",
    ]
    let global = ["{ NSAllowsLocalNetworking: true }", "{ NSAllowsArbitraryLoads: true }"]
    return (entries.map { "{ NSExceptionDomains: { \"\(host)\": { \($0) } } }" } + global)
      .compactMap { text in (try? Assignment.value(text, line: text)).map(Exception.init) }.sorted {
        $0.weight < $1.weight
      }
  }

  /// Returns the outcome if this is the app's whole dictionary.
  func outcome(of scenario: Scenario, player: ScenarioPlayer) throws(Diagnostics) -> Outcome {
    guard let path = ScenarioPath("client.infoPlist") else { throw Diagnostics("there is no path client.infoPlist") }
    let mark = scenario.tree.mark
    let bare = try scenario.changing(path, to: .scalar("null", quoted: false, mark))
    return try player.play(try bare.changing(path, to: dictionary)).outcome
  }

  /// The dictionaries that result from removing one key, for each of the keys.
  var withoutOneKey: [(key: String, rest: Exception)] {
    Self.withoutOneKey(dictionary).map { ($0.key, Exception($0.rest)) }
  }

  private static func withoutOneKey(_ node: Node) -> [(key: String, rest: Node)] {
    guard case .map(let entries, let mark) = node else { return [] }
    return entries.enumerated().flatMap { index, entry -> [(key: String, rest: Node)] in
      if entry.value.entries?.isEmpty == false {
        return withoutOneKey(entry.value).map { inner in
          var changed = entries
          changed[index].value = inner.rest
          return (inner.key, .map(changed, mark))
        }
      }
      var rest = entries
      rest.remove(at: index)
      return [(entry.key, .map(rest, mark))]
    }
  }
}
