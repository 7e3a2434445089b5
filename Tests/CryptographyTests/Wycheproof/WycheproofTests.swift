import Oracles
import Testing

@testable import Cryptography

@Suite("Wycheproof")
struct WycheproofTests {
  /// The results of a file's tests.
  struct Tally {
    var accepted = 0
    var rejected = 0
    var skipped: [String: Int] = [:]
    /// Invalid tests that were accepted. There must be none.
    var falseAccepts: [String] = []
    /// Valid tests that were rejected for an unknown reason.
    var falseRejects: [String] = []
    /// Valid tests that were rejected for a reason in `wycheproofLimits`.
    var limits: [String: Int] = [:]
    /// The flags of tests whose acceptance is optional, by whether they were accepted.
    var open: [Bool: Set<String>] = [:]

    mutating func add(_ test: WycheproofFile.Test, _ answer: WycheproofAnswer) {
      let flags = test.flags ?? []
      let name = "\(test.tcId) \(test.comment ?? "") \(flags)"
      switch answer {
      case .skipped(let reason): skipped[reason, default: 0] += 1
      case .accepted:
        accepted += 1
        if test.result == "invalid" { falseAccepts.append(name) }
        if test.result == "acceptable" { open[true, default: []].formUnion(flags) }
      case .rejected(let reason):
        rejected += 1
        if test.result == "acceptable" { open[false, default: []].formUnion(flags) }
        guard test.result == "valid" else { return }
        if let limit = wycheproofLimits[reason] {
          limits[limit, default: 0] += 1
        } else {
          falseRejects.append("\(name): \(reason)")
        }
      }
    }
  }

  @Test(
    "invalid tests are rejected, and valid ones accepted except for documented reasons",
    .needsData(WycheproofFile.folders[0]), .needsData(WycheproofFile.folders[1]),
    arguments: WycheproofFile.names)
  func file(_ name: String) throws {
    let file = try WycheproofFile(name)
    var tally = Tally()
    for group in file.testGroups {
      for test in group.tests { tally.add(test, try file.answer(group, test)) }
    }
    #expect(tally.accepted + tally.rejected + tally.skipped.values.reduce(0, +) == file.numberOfTests)
    #expect(tally.falseAccepts == [])
    #expect(tally.falseRejects == [])
    print("\(name): \(tally.accepted) accepted, \(tally.rejected) refused")
    for (reason, count) in tally.limits.sorted(by: { $0.key < $1.key }) { print("  \(count) valid refused: \(reason)") }
    for (reason, count) in tally.skipped.sorted(by: { $0.key < $1.key }) { print("  \(count) skipped: \(reason)") }
    if let flags = tally.open[false] { print("  optional, refused: \(flags.sorted().joined(separator: ", "))") }
    if let flags = tally.open[true] { print("  optional, accepted: \(flags.sorted().joined(separator: ", "))") }
  }

  @Test(
    "tests that are optional in Wycheproof but forbidden by TLS are refused",
    .needsData(WycheproofFile.folders[0]), .needsData(WycheproofFile.folders[1]),
    arguments: WycheproofFile.names)
  func open(_ name: String) throws {
    // DigestInfo without NULL, trivial secrets, and keys with explicit curve parameters, compressed points or non-DER
    // encodings.
    let forbidden: Set = [
      "MissingNull", "ZeroSharedSecret", "UnnamedCurve", "CompressedPublic", "CompressedPoint", "InvalidAsn",
      "NegativeOfPrime",
    ]
    let file = try WycheproofFile(name)
    for group in file.testGroups {
      for test in group.tests where test.result == "acceptable" && !forbidden.isDisjoint(with: test.flags ?? []) {
        if case .accepted = try file.answer(group, test) { Issue.record("\(name) \(test.tcId) \(test.comment ?? "")") }
      }
    }
  }
}
