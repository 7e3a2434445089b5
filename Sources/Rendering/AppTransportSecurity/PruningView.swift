import URLLoading

/// What of an app's plist some loads can do without, as text and as JSON.
public struct PruningView: Sendable {
  private let pruning: AppTransportSecurity.ExceptionPruning
  private let path: String
  private let asksServers: Bool

  /// A view of what can be dropped of the file at `path`.
  public init(_ pruning: AppTransportSecurity.ExceptionPruning, of path: String, asksServers: Bool) {
    self.pruning = pruning
    self.path = path
    self.asksServers = asksServers
  }

  /// The keys, and what is left.
  public func document() -> Document {
    var document = Document()
    if pruning.droppable.isEmpty {
      let words =
        pruning.kept.isEmpty && pruning.untouched.isEmpty
        ? "every key is needed for these loads" : "nothing can be dropped"
      document.bullet(RichText("✓", .good), RichText("\(path): \(words)."), indent: 0)
    } else {
      document.paragraph("\(path): these loads come to the same without")
      for key in pruning.droppable { document.bullet("•", RichText(key, .name)) }
      document.blocks.append(.space)
      if pruning.dictionary.entries.isEmpty {
        document.paragraph("Nothing is left: the app can do without NSAppTransportSecurity.")
      } else {
        document.paragraph("What is left:")
        document.blocks.append(
          .preformatted(
            pruning.dictionary.xmlLines(asValueOf: "NSAppTransportSecurity").map { RichText($0) }, indent: 4))
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
      let less = kept.demands.joined(separator: "; ")
      return ": without it, \(kept.load) on \(DecisionGroup.names(kept.systems)): \(less)"
    }
    let cause = kept.decidedBy == "default" ? "by default" : "by \(kept.decidedBy)"
    return (kept.isOverriding ? ", whose presence turns NSAllowsArbitraryLoads off" : "")
      + ": \(kept.load) on \(DecisionGroup.names(kept.systems)), \(cause)"
  }

  /// The same as JSON, version 1.
  public func json() -> JSONValue {
    [
      "trustlab": 1, "file": .string(path), "droppable": .strings(pruning.droppable),
      "kept": .array(pruning.kept.map { Self.json($0) }), "untouched": .strings(pruning.untouched),
      "dictionary": PropertyList.dictionary(pruning.dictionary).json, "asksServers": .boolean(asksServers),
    ]
  }

  private static func json(_ kept: AppTransportSecurity.ExceptionPruning.Kept) -> JSONValue {
    [
      "key": .string(kept.key), "load": .string(kept.load), "systems": .strings(kept.systems.map(\.description)),
      "decidedBy": .string(kept.decidedBy), "isOverriding": .boolean(kept.isOverriding),
      "demands": .strings(kept.demands),
    ]
  }
}
