import Explanation
import Scenarios
import Simulator

/// What happens on the network of a scenario, and to its secrets, in sentences.
struct NetworkStory {
  private let scenario: Scenario

  init(_ scenario: Scenario) { self.scenario = scenario }

  var sentences: String {
    let all = scenario.network.map(sentence)
    return (all.isEmpty ? "Nobody listens." : all.joined(separator: " ")) + attackers
  }

  /// Against whom the goals are tried, where that is not the strongest.
  private var attackers: String {
    let attackers = scenario.attackers
    if attackers == AttackersDescription() { return "" }
    let deeds =
      switch attackers.capability {
      case .passive: "only listen"
      case .onPath: "change what travels, and never ask the server again"
      case .asksServer: "change what travels, and ask the server again"
      }
    let owned = attackers.certificates.isEmpty ? "" : ", and have \(attackers.certificates.joined(separator: ", "))"
    return " The attackers who are tried \(deeds), go through 2^\(attackers.budget) candidates at most\(owned)."
  }

  private func sentence(_ verb: NetworkVerb) -> String {
    switch verb {
    case .eavesdrop: "An eavesdropper records every byte."
    case .blockRevocation(let name, _):
      "Nobody can fetch what the authorities say about revocation\(place(name))."
    case .outdateRevocation(let age, let kind):
      "An attacker hands out \(sentence(kind)) \(Detail.seconds(age).description) before."
    case .blockIssuers(let name, _): "Nobody can fetch the certificates of issuers\(place(name))."
    case .refuseTLS(let name, _): "An attacker ends every connection that begins with TLS\(place(name))."
    case .leak(let secret, 0, _): "Then \(secret) leaks."
    case .leak(let secret, let after, _): "\(secret) leaks \(Detail.seconds(after).description) later."
    case .attack(let attack): sentence(attack)
    case .intercept(let description): sentence(description)
    case .queryOracle: "Afterwards an attacker asks the server which ciphertexts are padded rightly."
    case .forgePadding:
      "An attacker has the client ask again and again, and puts blocks of its records in the place of the padding."
    case .reroute(let host, _, _): "The network leads the client to \(host)."
    }
  }

  private func sentence(_ kind: World.AgedStatus?) -> String {
    switch kind {
    case nil: "what the authorities said about revocation"
    case .answer: "what the responders answered"
    case .list: "the complete lists of"
    case .delta: "what added to the lists"
    }
  }

  /// In which connection; empty for every one.
  private func place(_ connection: String?) -> String { connection.map { ", in the connection \($0)" } ?? "" }

  private func sentence(_ attack: Attack) -> String {
    let whose = attack.from.map { "the \($0)'s" } ?? "every"
    let message = "\(whose) \(attack.message)"
    switch attack.deed {
    case .observe: return "An attacker reads \(message)."
    case .drop: return "An attacker drops \(message)."
    case .cut:
      let number = attack.number.map { " number \($0)" } ?? ""
      return "An attacker ends the connection in the place of \(message)\(number)."
    case .replay: return "An attacker sends \(message) a second time."
    case .alter(let alteration): return "An attacker alters \(message): \(alteration)."
    case .inject(let injection): return "An attacker injects \(injection.name) after \(message)."
    }
  }

  private func sentence(_ description: InterceptorDescription) -> String {
    let presents = description.presents.isEmpty ? "" : ", presents \(description.presents.joined(separator: ", "))"
    let holds = description.holds.isEmpty ? "" : ", holds \(description.holds.joined(separator: ", "))"
    let staple = description.staple.map { " \($0.sentence)" } ?? ""
    guard description.content == nil else {
      return "An attacker answers in the server's place\(presents)\(holds).\(staple)"
    }
    let asks = description.asks.map { " over \($0)" } ?? ""
    let rewrites = description.replacements.isEmpty ? "" : ", and rewrites the answers"
    return
      "An attacker stands between client and server\(presents)\(holds), asks the server\(asks)\(rewrites).\(staple)"
  }
}
