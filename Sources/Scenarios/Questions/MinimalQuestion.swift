import Explanation
import Simulator
import URLLoading

/// The smallest exception in the app's property list that lets the load through: judged by playing.
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
        text: "What is the smallest NSAppTransportSecurity dictionary that lets \(subject.outcome.url) through?",
        given: [], options: [],
        format: "answer DICTIONARY: answer { NSExceptionDomains: { HOST: { KEY: true } } }",
        hints: hints(exception), solution: .exception(exception),
        reason: .sentence("Nothing smaller lets it through."))
    }
    return nil
  }

  private func hints(_ exception: Exception) -> [String] {
    let keys = exception.withoutOneKey.map(\.key)
    return [
      "It refuses in the layer 'ats': which demand is it that is not met?",
      exception.dictionary["NSExceptionDomains"] == nil
        ? "No entry for one host is enough." : "An entry for the host alone is enough.",
      "It takes: \(keys.joined(separator: ", "))",
    ]
  }
}
