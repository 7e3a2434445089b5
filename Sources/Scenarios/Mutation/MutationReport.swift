import Explanation

/// The results of playing scenarios with mutants.
public struct MutationReport: Sendable {
  /// The effect of one mutant on one case.
  public struct Effect: Sendable, Hashable {
    /// The id of the scenario, which is the name of its file.
    public let id: String
    /// The name of the case with its scenario.
    public let name: String
    /// The path of the expectation that fails: `verdict`.
    public let path: String
    /// The expected value.
    public let expected: String
    /// The value that the mutant causes.
    public let found: String
    /// Whether a party refuses or hangs although the case expects that the client accepts.
    public let isOverStrict: Bool
  }

  /// The result of one mutant.
  public enum State: String, Sendable, Hashable, CaseIterable {
    /// The verdict of a case changes, or a case does not end.
    case killed
    /// No verdict changes, but the reasons, the path or the goals of a case do.
    case noticed
    /// Cases reach the fault, and nothing changes.
    case survived
    /// No case reaches the fault.
    case notReached = "not-reached"
    /// No case can kill the mutant.
    case equivalent
  }

  /// A mutant with its effects.
  public struct Entry: Sendable {
    /// The mutant.
    public let mutant: Mutant
    /// The result.
    public let state: State
    /// The effects on verdicts, in the order of the cases. If `isComplete` is false, there may be more.
    public let kills: [Effect]
    /// The first effect on a reason, path or goal.
    public let notices: [Effect]
    /// The number of cases that reach the fault.
    public let reached: Int
    /// Whether all cases were played that can have an effect.
    public let isComplete: Bool

    /// The ids of the files that kill the mutant.
    public var files: [String] {
      var seen: Set<String> = []
      return kills.map(\.id).filter { seen.insert($0).inserted }
    }

    /// Whether only one file kills the mutant.
    public var dependsOnOneFile: Bool { state == .killed && files.count == 1 }

    /// The reason why no case can kill the mutant, or the missing feature; nil if there is none.
    public var reason: Equivalence? { state == .killed ? nil : Equivalence.all[mutant.name] }
  }

  /// The score of a set of mutants.
  public struct Score: Sendable, Hashable {
    /// The number of mutants that a verdict kills.
    public let killed: Int
    /// The number of mutants that only reasons, paths or goals reveal.
    public let noticed: Int
    /// The number of mutants that cases reach and nothing reveals.
    public let survived: Int
    /// The number of mutants that no case reaches.
    public let notReached: Int
    /// The number of killed mutants that one file alone kills.
    public let onOneFile: Int
    /// The mutants that are excluded, because no case can kill them.
    public let equivalent: [String]

    init(_ entries: [Entry]) {
      func count(_ state: State) -> Int { entries.count { $0.state == state } }
      (killed, noticed, survived) = (count(.killed), count(.noticed), count(.survived))
      notReached = count(.notReached)
      onOneFile = entries.count(where: \.dependsOnOneFile)
      equivalent = entries.filter { $0.state == .equivalent }.map(\.mutant.name)
    }

    /// The number of mutants that count.
    public var counted: Int { killed + noticed + survived + notReached }

    /// The share of killed mutants in percent, rounded down; 0 if no mutant counts.
    public var percent: Int { counted == 0 ? 0 : killed * 100 / counted }
  }

  /// The mutants with their effects, in the order of the request.
  public let entries: [Entry]
  /// The number of cases.
  public let cases: Int

  /// The mutants of a group.
  public func entries(of group: Mutant.Group) -> [Entry] { entries.filter { $0.mutant.group == group } }

  /// The groups that have a mutant, in order.
  public var groups: [Mutant.Group] { Mutant.Group.allCases.filter { !entries(of: $0).isEmpty } }

  /// Returns the score of a group.
  public func score(of group: Mutant.Group) -> Score { Score(entries(of: group)) }

  /// The scores of the rules by layer, in the order of the layers.
  public var layers: [(layer: Layer, score: Score)] {
    let rules = entries(of: .rules)
    return Layer.deciding.compactMap { layer in
      let own = rules.filter { $0.mutant.layer == layer }
      return own.isEmpty ? nil : (layer, Score(own))
    }
  }

  /// The score of all mutants except those of one end alone, which the other end usually detects.
  public var score: Score { Score(entries.filter { $0.mutant.group != .ends }) }
}
