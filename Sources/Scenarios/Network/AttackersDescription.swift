import Explanation
import Simulator

/// The third parties that try to reach the attackers' goals, as a scenario describes them.
public struct AttackersDescription: Sendable, Hashable {
  /// The strongest attack that the third parties can carry out.
  public internal(set) var capability = Attackers().capability
  /// The largest number of candidates that the third parties can try, as a power of two.
  public internal(set) var budget = Attackers().budget
  /// The names of the certificates that the third parties own, with their keys.
  public internal(set) var certificates: [String] = []

  /// Creates the strongest attackers.
  public init() {}

  static let section = Section<AttackersDescription>(
    "attackers", "The capabilities and certificates of the third parties who try to reach the goals.",
    [
      .term(
        "capability", .choice(called: "capability"),
        "passive: the attackers only observe; on-path: they also change messages; asks-server: they also query the "
          + "server later",
        into: \.capability),
      .term("budget", .powerOfTwo, "the largest number of candidates that the attackers can try", into: \.budget),
      .term(
        "certificates", .list(.text), "the certificates that the attackers own, with their keys", into: \.certificates),
    ])
}

extension Kind<Int> {
  /// A power of two from 2^0 to 2^128, read as its exponent.
  fileprivate static var powerOfTwo: Kind {
    Kind(.kind("power of two", .pattern("^2\\^[0-9]{1,3}$")), written: { "2^\($0)" }) { reader in
      guard let text = reader.text() else { return nil }
      if text.hasPrefix("2^"), let bits = Int(text.dropFirst(2)), (0...128).contains(bits) { return bits }
      reader.fail("\(reader.path) must be a power of two from 2^0 to 2^128, not '\(text)'", hint: "write 2^40")
      return nil
    }
  }
}

/// Checks the references in `attackers`.
struct AttackersCheck {
  let scenario: Scenario
  let sink: DiagnosticSink

  func run() {
    let all = scenario.authorities + scenario.certificates
    for name in scenario.attackers.certificates {
      let mark = scenario.tree["attackers"]?["certificates"]?.mark(of: name) ?? scenario.tree.mark
      if !all.contains(where: { $0.name == name }) {
        sink.error("unknown certificate '\(name)'", hint: Spelling.hint(for: name, among: all.map(\.name)), at: mark)
      } else if scenario.servers.contains(where: { $0.presents.first == name }) {
        sink.error(
          "'\(name)' is the server's own certificate",
          hint: "write network: [{ leak: \(name).key }] if attackers obtain its key", at: mark)
      }
    }
  }
}

extension AttackersDescription {
  /// The attackers in the form that the simulator uses.
  var strength: Attackers {
    var attackers = Attackers()
    attackers.capability = capability
    attackers.budget = budget
    return attackers
  }
}
