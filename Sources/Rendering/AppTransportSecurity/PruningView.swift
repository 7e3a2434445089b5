import Advice
import Explanation
import URLLoading

/// What of an app's plist some loads can do without, as text and as JSON.
public struct PruningView: Sendable {
  private let pruning: AppTransportSecurity.ExceptionPruning
  private let path: String
  private let asksServers: Bool
  private let present: AppTransportSecurity.PresentLoads
  private let remark: String?

  /// A view of what can be dropped of the file at `path`.
  ///
  /// - Parameters:
  ///   - pruning: the keys that can be dropped.
  ///   - present: what becomes of the loads under the app's settings as they are.
  ///   - path: the file.
  ///   - remark: why the app's settings have no effect at all; nil if they have one.
  ///   - asksServers: whether servers were asked, so that what they need is known.
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

  /// What becomes of the loads, the keys, and what is left.
  public func document() -> Document {
    var document = state
    document.blocks.append(.space)
    if pruning.droppable.isEmpty {
      document.bullet(
        RichText(hasFailure ? "•" : "✓", hasFailure ? .plain : .good), RichText(untouchedWords), indent: 0)
    } else {
      document.paragraph(
        hasFailure
          ? "\(path): the same loads pass, and the same fail, without"
          : "\(path): these loads come to the same without")
      for key in pruning.droppable { document.bullet("•", RichText(key, .name)) }
      document.blocks.append(.space)
      if pruning.dictionary.entries.isEmpty {
        document.paragraph(
          hasFailure
            ? "Nothing is left: NSAppTransportSecurity, as it is, does not help the load that fails."
            : "Nothing is left: the app can do without NSAppTransportSecurity.")
      } else {
        document.paragraph("What is left:")
        document.blocks.append(
          .preformatted(
            pruning.dictionary.xmlLines(asValueOf: AppTransportSecurity.Key.appTransportSecurity.name).map {
              RichText($0)
            }, indent: 4))
      }
    }
    list(
      pruning.kept.filter(\.demands.isEmpty), in: &document,
      under: "These loads do not need what follows either, but without it others would newly pass:")
    list(
      pruning.kept.filter { !$0.demands.isEmpty }, in: &document,
      under: "Kept, since it only demands more, and no load of it was named:")
    if !pruning.untouched.isEmpty {
      document.blocks.append(.space)
      document.paragraph("Left alone, since it only adds demands:")
      for key in pruning.untouched { document.bullet("•", RichText(key, .name)) }
    }
    if !asksServers {
      document.blocks.append(.space)
      document.paragraph(
        "What servers need is known with --scenario FILE alone: until then all that is demanded of them is kept.")
    }
    return document
  }

  private var hasFailure: Bool { !present.failing.isEmpty }

  /// What is said if no key can be dropped.
  private var untouchedWords: String {
    if pruning.dictionary.isEmpty, pruning.untouched.isEmpty { return "\(path): there is no key to drop." }
    let isNeeded = pruning.kept.isEmpty && pruning.untouched.isEmpty && !hasFailure
    return "\(path): \(isNeeded ? "every key is needed for these loads" : "nothing can be dropped")."
  }

  /// Whether each load passes with the plist as it is, and the change that lets those through that fail.
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
      document.paragraph("With this in NSAppTransportSecurity, next to what it has, every load passes:")
      document.blocks.append(Self.fragment(keys))
    case .replacing(let settings) where settings.isEmpty:
      document.paragraph("The app's own settings are in the way: without NSAppTransportSecurity every load passes.")
    case .replacing(let settings):
      document.paragraph("With this as the app's NSAppTransportSecurity every load passes:")
      document.blocks.append(Self.fragment(settings))
    case nil:
      document.paragraph(
        "No exception is known to let every load pass: App Transport Security is not the cause, or not the only one.")
      for rule in fixedRules { document.facts([.init("fix", RichText(rule.fix))], indent: 2) }
    }
    return document
  }

  /// The rules that decide against loads, each once.
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

  /// Why a key is kept, after its name.
  private static func words(for kept: AppTransportSecurity.ExceptionPruning.Kept) -> String {
    guard kept.demands.isEmpty else {
      let less = kept.demands.map(\.words).joined(separator: "; ")
      return ": without it, \(kept.load) on \(DecisionGroup.names(kept.systems)): \(less)"
    }
    let cause = kept.decidedBy == "default" ? "by default" : "by \(kept.decidedBy)"
    return (kept.isOverriding ? ", whose presence turns NSAllowsArbitraryLoads off" : "")
      + ": \(kept.load) on \(DecisionGroup.names(kept.systems)), \(cause)"
  }

  /// The same as JSON, version 1.
  public func json() -> JSONValue {
    [
      "trustlab": 1, "file": .string(path), "loads": .array(present.loads.map { Self.json($0) }), "remedy": remedy,
      "droppable": .strings(pruning.droppable),
      "kept": .array(pruning.kept.map { Self.json($0) }), "untouched": .strings(pruning.untouched),
      "dictionary": PropertyList.dictionary(pruning.dictionary).json, "asksServers": .boolean(asksServers),
    ]
  }

  /// The change that lets every load pass; null if none is needed, and if none is known.
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
