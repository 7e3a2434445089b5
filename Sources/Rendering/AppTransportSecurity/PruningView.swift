import Advice
import Explanation
import URLLoading

/// The settings of an app's plist that some loads do not need, as text and as JSON.
public struct PruningView: Sendable {
  private let pruning: AppTransportSecurity.ExceptionPruning
  private let path: String
  private let asksServers: Bool
  private let present: AppTransportSecurity.PresentLoads
  private let remark: String?

  /// Creates a view of the keys that can be removed from the file at `path`.
  ///
  /// - Parameters:
  ///   - pruning: the keys that can be removed.
  ///   - present: the current results of the loads.
  ///   - path: the path of the property list.
  ///   - remark: the reason why the settings have no effect; nil if they have one.
  ///   - asksServers: whether servers were queried.
  public init(
    _ pruning: AppTransportSecurity.ExceptionPruning, present: AppTransportSecurity.PresentLoads, of path: String,
    remark: String? = nil, asksServers: Bool
  ) {
    self.pruning = pruning
    self.present = present
    self.remark = remark
    self.path = path
    self.asksServers = asksServers
  }

  /// The text with the results of the loads, the removable keys, and the remaining settings.
  public func document() -> Document {
    var document = state
    document.blocks.append(.space)
    if pruning.droppable.isEmpty {
      document.bullet(
        RichText(hasFailure ? "•" : "✓", hasFailure ? .plain : .good), RichText(untouchedWords), indent: 0)
    } else {
      document.paragraph(
        hasFailure
          ? "\(path): every load has the same result, passed or failed, without these keys:"
          : "\(path): these loads have the same result without these keys:")
      for key in pruning.droppable { document.bullet("•", RichText(key, .name)) }
      document.blocks.append(.space)
      if pruning.dictionary.entries.isEmpty {
        document.paragraph(
          hasFailure
            ? "No setting is left: the current NSAppTransportSecurity does not help the failing load."
            : "No setting is left: the app does not need NSAppTransportSecurity.")
      } else {
        document.paragraph("Remaining settings:")
        document.blocks.append(
          .preformatted(
            pruning.dictionary.xmlLines(asValueOf: AppTransportSecurity.Key.appTransportSecurity.name).map {
              RichText($0)
            }, indent: 4))
      }
    }
    list(
      pruning.kept.filter(\.demands.isEmpty), in: &document,
      under: "These loads do not need the following keys either, but without these keys, other loads would pass:")
    list(
      pruning.kept.filter { !$0.demands.isEmpty }, in: &document,
      under: "Kept, because these keys only add requirements, and you named none of the affected loads:")
    if !pruning.untouched.isEmpty {
      document.blocks.append(.space)
      document.paragraph("Not changed, because these keys only add requirements:")
      for key in pruning.untouched { document.bullet("•", RichText(key, .name)) }
    }
    if !asksServers {
      document.blocks.append(.space)
      document.paragraph(
        "Without --scenario FILE, all requirements for servers are kept. Add it to check which of them the servers "
          + "need.")
    }
    return document
  }

  private var hasFailure: Bool { !present.failing.isEmpty }

  /// The text if no key can be removed.
  private var untouchedWords: String {
    if pruning.dictionary.isEmpty, pruning.untouched.isEmpty { return "\(path): there is no key to remove." }
    let isNeeded = pruning.kept.isEmpty && pruning.untouched.isEmpty && !hasFailure
    return "\(path): \(isNeeded ? "every key is needed for these loads" : "nothing can be removed")."
  }

  /// The result of each load with the current plist, and the change with which failing loads would pass.
  private var state: Document {
    var document = Document()
    if let remark { document.bullet(RichText("!", .warning), RichText(remark), indent: 0) }
    for load in present.loads {
      document.bullet(load.result.cellGlyph, RichText("\(load.url) on \(load.os): \(load.result.words)"), indent: 0)
    }
    if !hasFailure { return document }
    document.blocks.append(.space)
    switch present.remedy {
    case .adding(let keys):
      document.paragraph("With these keys in NSAppTransportSecurity, every load passes:")
      document.blocks.append(Self.fragment(keys))
    case .replacing(let settings) where settings.isEmpty:
      document.paragraph("The app's own settings are the cause: without NSAppTransportSecurity, every load passes.")
    case .replacing(let settings):
      document.paragraph("With this NSAppTransportSecurity, every load passes:")
      document.blocks.append(Self.fragment(settings))
    case nil:
      document.paragraph(
        "No known exception makes every load pass: App Transport Security is not the cause, or not the only one.")
      for rule in fixedRules { document.facts([.init("fix", RichText(rule.fix))], indent: 2) }
    }
    return document
  }

  /// The rules that decide against loads, each listed once.
  private var fixedRules: [Rule] {
    present.failing.flatMap(\.result.because).reduce(into: []) { rules, rule in
      if !rules.contains(where: { $0.id == rule.id }) { rules.append(rule) }
    }
  }

  private static func fragment(_ dictionary: PropertyList.Dictionary) -> Document.Block {
    .preformatted(
      dictionary.xmlLines(asValueOf: AppTransportSecurity.Key.appTransportSecurity.name).map { RichText($0) }, indent: 4
    )
  }

  private func list(
    _ keys: [AppTransportSecurity.ExceptionPruning.Kept], in document: inout Document, under caption: RichText
  ) {
    if keys.isEmpty { return }
    document.blocks.append(.space)
    document.paragraph(caption)
    for kept in keys { document.bullet("•", RichText(kept.key, .name) + RichText(Self.words(for: kept))) }
  }

  /// Returns the reason why a key is kept, to follow its name.
  private static func words(for kept: AppTransportSecurity.ExceptionPruning.Kept) -> String {
    guard kept.demands.isEmpty else {
      let less = kept.demands.map(\.words).joined(separator: "; ")
      return ": without it, \(kept.load) on \(DecisionGroup.names(kept.systems)): \(less)"
    }
    let cause = kept.decidedBy == "default" ? "by default" : "by \(kept.decidedBy)"
    return (kept.isOverriding ? ", whose presence disables NSAllowsArbitraryLoads" : "")
      + ": \(kept.load) on \(DecisionGroup.names(kept.systems)), \(cause)"
  }

  /// The result as JSON, version 1.
  public func json() -> JSONValue {
    [
      "trustlab": 1, "file": .string(path), "loads": .array(present.loads.map { Self.json($0) }), "remedy": remedy,
      "droppable": .strings(pruning.droppable),
      "kept": .array(pruning.kept.map { Self.json($0) }), "untouched": .strings(pruning.untouched),
      "dictionary": PropertyList.dictionary(pruning.dictionary).json, "asksServers": .boolean(asksServers),
    ]
  }

  /// The change with which every load passes; null if none is needed or known.
  private var remedy: JSONValue {
    switch present.remedy {
    case .adding(let keys): ["change": "add", "dictionary": PropertyList.dictionary(keys).json]
    case .replacing(let settings): ["change": "replace", "dictionary": PropertyList.dictionary(settings).json]
    case nil: .null
    }
  }

  private static func json(_ load: AppTransportSecurity.PresentLoads.Load) -> JSONValue {
    ["url": .string(load.url.description), "os": .string(load.os.description), "result": load.result.json]
  }

  private static func json(_ kept: AppTransportSecurity.ExceptionPruning.Kept) -> JSONValue {
    [
      "key": .string(kept.key), "load": .string(kept.load), "systems": .strings(kept.systems.map(\.description)),
      "decidedBy": .string(kept.decidedBy), "isOverriding": .boolean(kept.isOverriding),
      "demands": .strings(kept.demands.map(\.words)),
    ]
  }
}
