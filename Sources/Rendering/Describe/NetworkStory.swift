import Explanation
import Scenarios
import Simulator

/// Describes the events on the network of a scenario, and the leaks of its secrets, in sentences.
struct NetworkStory {
  private let scenario: Scenario

  init(_ scenario: Scenario) { self.scenario = scenario }

  var sentences: String {
    let all = scenario.network.map(sentence)
    return (all.isEmpty ? "No third party observes or changes the traffic." : all.joined(separator: " ")) + attackers
  }

  /// The attackers that try to reach the goals, unless they are the strongest attackers.
  private var attackers: String {
    let attackers = scenario.attackers
    if attackers == AttackersDescription() { return "" }
    let deeds =
      switch attackers.capability {
      case .passive: "only record traffic"
      case .onPath: "change traffic, but never connect to the server themselves"
      case .asksServer: "change traffic, and connect to the server themselves"
      }
    let certificates = attackers.certificates.joined(separator: ", ")
    let owned = certificates.isEmpty ? "" : " They own the keys of \(certificates)."
    return
      " The attackers in the goals \(deeds). These attackers search at most 2^\(attackers.budget) candidates.\(owned)"
  }

  private func sentence(_ verb: NetworkVerb) -> String {
    switch verb {
    case .eavesdrop: "An eavesdropper records every byte."
    case .blockRevocation(let name, _):
      "An attacker blocks OCSP and CRL requests\(place(name))."
    case .outdateRevocation(let age, let kind):
      "An attacker replays \(sentence(kind)) from \(Detail.seconds(age).description) ago."
    case .blockIssuers(let name, _): "An attacker blocks requests for issuer certificates\(place(name))."
    case .refuseTLS(let name, _): "An attacker ends every TLS connection\(place(name))."
    case .leak(let secret, 0, _): "Then \(secret) leaks."
    case .leak(let secret, let after, _): "\(secret) leaks \(Detail.seconds(after).description) later."
    case .quantumComputer(let day):
      "From \(day.shortText) on, attackers have a quantum computer that breaks RSA, DH and elliptic curves."
    case .attack(let attack): sentence(attack)
    case .intercept(let description): sentence(description)
    case .queryOracle: "Afterwards, an attacker queries the server to learn which ciphertexts have correct padding."
    case .forgePadding:
      "An attacker makes the client repeat its request, and replaces the padding with blocks of the client's records."
    case .reroute(let host, _, _): "The network redirects the client to \(host)."
    }
  }

  private func sentence(_ kind: World.AgedStatus?) -> String {
    switch kind {
    case nil: "revocation statuses"
    case .answer: "OCSP responses"
    case .list: "complete CRLs"
    case .delta: "delta CRLs"
    }
  }

  /// Returns the phrase that names the connection; empty if every connection is meant.
  private func place(_ connection: String?) -> String { connection.map { ", in the connection \($0)" } ?? "" }

  private func sentence(_ attack: Attack) -> String {
    let whose = attack.from.map { "the \($0)'s" } ?? "every"
    let message = "\(whose) \(attack.message)"
    switch attack.deed {
    case .observe: return "An attacker reads \(message)."
    case .drop: return "An attacker drops \(message)."
    case .cut:
      let number = attack.number.map { " number \($0)" } ?? ""
      return "An attacker ends the connection instead of delivering \(message)\(number)."
    case .replay: return "An attacker sends \(message) again."
    case .alter(let alteration): return "An attacker alters \(message): \(alteration)."
    case .inject(let injection, let order):
      return "An attacker injects \(injection.name) \(order) \(message)."
    }
  }

  private func sentence(_ description: InterceptorDescription) -> String {
    let presents = description.presents.isEmpty ? "" : " and presents \(description.presents.joined(separator: ", "))"
    let holds = description.holds.isEmpty ? "" : " It has \(description.holds.joined(separator: ", "))."
    let staple = description.staple.map { " \($0.sentence)" } ?? ""
    guard description.content == nil else {
      return "An attacker impersonates the server\(presents).\(holds)\(staple)"
    }
    let asks = description.asks.map { " over \($0)" } ?? ""
    let rewrites = description.replacements.isEmpty ? "" : " and rewrites the responses"
    return "An attacker intercepts the connection\(presents).\(holds) It connects to the server\(asks)\(rewrites)."
      + staple
  }
}
