import Advice
import Explanation
import Trust
import URLLoading

/// The loads that newly pass or newly fail after a change of settings, for a code review.
public struct SettingsDifferenceView: Sendable {
  private typealias Kind = AppTransportSecurity.SettingsDifference.Kind
  private typealias Change = AppTransportSecurity.SettingsDifference.Change

  /// A group of identical changes, which shares one line of the review.
  private struct Group: Hashable {
    let kind: Kind
    let url: String
    let loader: Loader
    let key: String
    let demands: [String]
    let doubt: String?
    var systems: [OSVersion] = []
  }

  private let difference: AppTransportSecurity.SettingsDifference
  private let names: (old: String, new: String)
  /// Whether one of the changes makes the check fail.
  private let fails: Bool

  /// Creates a view of the differences between `old` and `new`. The check fails if these kinds of change occur.
  public init(
    _ difference: AppTransportSecurity.SettingsDifference, old: String, new: String,
    failing isFailing: (AppTransportSecurity.SettingsDifference.Kind) -> Bool = \.opens
  ) {
    self.difference = difference
    fails = difference.changes.contains { isFailing($0.kind) }
    names = (old, new)
  }

  private var groups: [Group] {
    var groups: [Group] = []
    var places: [Group: Int] = [:]
    for change in difference.changes {
      let load = change.new.load
      let group = Group(
        kind: change.kind, url: difference.shown(load.url), loader: load.loader, key: difference.written(change.key),
        demands: change.demands.map(\.words), doubt: change.confidence.note)
      let place = places[group] ?? groups.count
      if place == groups.count {
        places[group] = place
        groups.append(group)
      }
      groups[place].systems.append(load.os)
    }
    return groups
  }

  /// The text with tables of the newly allowed, loosened, blocked and tightened loads, followed by the totals.
  public func document() -> Document {
    var document = Document()
    let groups = groups
    for kind in [Kind.newlyAllowed, .loosened, .newlyBlocked, .tightened] {
      let rows = groups.filter { $0.kind == kind }
      if rows.isEmpty { continue }
      let hasDemands = rows.contains { !$0.demands.isEmpty }
      document.heading("\(Self.title(kind))")
      document.blocks.append(
        .table(
          header: [RichText("load"), "on", "by"] + (hasDemands ? [RichText("requirement")] : []),
          rows: rows.map { row in
            let load = row.loader == .urlSession ? row.url : "\(row.url) (\(row.loader.rawValue))"
            let what = !hasDemands ? [] : [RichText(row.demands.joined(separator: "; "))]
            let systems = DecisionGroup.names(row.systems) + (row.doubt == nil ? "" : " ~")
            return [RichText(load), RichText(systems), RichText(row.key, .name)] + what
          }, indent: 0))
      document.blocks.append(.space)
      var doubts: [String] = []
      for doubt in rows.compactMap(\.doubt) where !doubts.contains(doubt) { doubts.append(doubt) }
      for doubt in doubts { document.bullet(RichText("~", .warning), RichText("not certain: \(doubt)")) }
      if !doubts.isEmpty { document.blocks.append(.space) }
    }
    // If the gate fails, no check mark may appear.
    let isMarked = fails || difference.changes.contains(where: \.kind.opens)
    let sums = Kind.allCases.map { kind in (kind, difference.changes.count { $0.kind == kind }) }.filter { $0.1 > 0 }
    let words = sums.map { "\($0.1) \(Self.words($0.0))" }.joined(separator: ", ")
    document.bullet(
      isMarked ? RichText("!", .warning) : RichText("✓", .good),
      RichText(
        "\(names.old) → \(names.new): " + (words.isEmpty ? "no load changes" : words)
          + ", out of \(difference.count) loads."))
    for doubt in difference.doubts { document.bullet(RichText("!", .warning), RichText("Unknown: \(doubt.words).")) }
    if !difference.doubts.isEmpty {
      document.paragraph("Set the build settings with --define NAME=VALUE or --xcconfig FILE.")
    }
    return document
  }

  private static func title(_ kind: Kind) -> String {
    switch kind {
    case .newlyAllowed: "Newly allowed"
    case .newlyBlocked: "Newly blocked"
    case .loosened: "Weaker or different requirements for the server"
    case .tightened: "Stricter requirements for the server"
    }
  }

  private static func words(_ kind: Kind) -> String {
    switch kind {
    case .newlyAllowed: "newly allowed"
    case .newlyBlocked: "newly blocked"
    case .loosened: "loosened"
    case .tightened: "tightened"
    }
  }

  /// The changes in Markdown, for a pull request.
  public func markdown() -> String { document().markdown() }

  /// Every load that changes, as JSON, version 1.
  public func json() -> JSONValue { .object([.init("trustlab", 1)] + members) }

  /// The JSON members without the version.
  var members: [JSONValue.Member] {
    [
      .init("old", .string(names.old)), .init("new", .string(names.new)), .init("loads", .integer(difference.count)),
      .init("changes", .array(difference.changes.map { json($0) })),
      .init("unknown", .strings(difference.doubts.map(\.words))),
    ]
  }

  private func json(_ change: Change) -> JSONValue {
    func decided(_ decision: AppTransportSecurity.Decision) -> JSONValue {
      [
        "verdict": .string(decision.verdict.rawValue), "decidedBy": .string(difference.written(decision.decidedBy)),
      ]
    }
    return [
      "change": .string(change.kind.rawValue), "url": .string(difference.written(change.new.load.url.description)),
      "os": .string(change.new.load.os.description), "loader": .string(change.new.load.loader.rawValue),
      "key": .string(difference.written(change.key)), "demands": .strings(change.demands.map(\.words)),
      "confidence": .string(change.confidence.note ?? "certain"),
      "old": decided(change.old), "new": decided(change.new),
    ]
  }
}
