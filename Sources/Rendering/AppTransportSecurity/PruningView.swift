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
      document.bullet(RichText("✓", .good), RichText("\(path): every key is needed for these loads."), indent: 0)
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
    if !asksServers {
      document.blocks.append(.space)
      document.paragraph(
        "What servers need is known with --scenario FILE alone: until then all that is demanded of them is kept.")
    }
    return document
  }

  /// The same as JSON, version 1.
  public func json() -> JSONValue {
    [
      "trustlab": 1, "file": .string(path), "droppable": .strings(pruning.droppable),
      "dictionary": PropertyList.dictionary(pruning.dictionary).json, "asksServers": .boolean(asksServers),
    ]
  }
}
