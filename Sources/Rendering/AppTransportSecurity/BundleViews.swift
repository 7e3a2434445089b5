import Explanation
import Trust
import URLLoading

/// The differences of an app and its bundles: extensions, watch apps and XPC services, each with its own Info.plist.
public struct BundleDifferencesView: Sendable {
  /// The differences of one bundle in the app.
  public struct Nested: Sendable {
    /// The path of the bundle's property list in the app: `PlugIns/Widget.appex/Info.plist`.
    let list: String
    /// The differences between the old and the new property list.
    let view: SettingsDifferenceView
    /// A remark about the bundle; empty if both versions of the app contain it.
    let remark: String

    /// Creates the differences of the property list at this path.
    public init(_ list: String, _ view: SettingsDifferenceView, remark: String = "") {
      self.list = list
      self.view = view
      self.remark = remark
    }
  }

  private let own: SettingsDifferenceView
  private let nested: [Nested]

  /// Creates a view of the differences of the app and its bundles.
  public init(_ own: SettingsDifferenceView, nested: [Nested]) {
    self.own = own
    self.nested = nested
  }

  /// The differences as text: first those of the app, then those of each bundle under its path.
  public func document() -> Document {
    var document = own.document()
    for bundle in nested {
      document.blocks.append(.space)
      document.heading("\(bundle.list)")
      if !bundle.remark.isEmpty { document.paragraph(RichText(bundle.remark)) }
      document += bundle.view.document()
    }
    return document
  }

  /// The differences in Markdown, for a pull request.
  public func markdown() -> String { document().markdown() }

  /// The differences of the app as JSON, version 1, with those of its bundles in `bundles`.
  public func json() -> JSONValue {
    let bundles = nested.map { bundle in
      JSONValue.object([.init("list", .string(bundle.list))] + bundle.view.members)
    }
    return .object([.init("trustlab", 1)] + own.members + [.init("bundles", .array(bundles))])
  }
}

/// The decisions that the property lists of an app's bundles cause for the user's loads.
public struct BundleDecisionsView: Sendable {
  /// The decisions that one property list causes.
  public struct Bundle: Sendable {
    /// The path of the bundle's property list.
    let path: String
    /// The decisions about the loads.
    let decisions: [AppTransportSecurity.Decision]

    /// Creates the decisions for the property list at `path`.
    public init(_ path: String, _ decisions: [AppTransportSecurity.Decision]) {
      self.path = path
      self.decisions = decisions
    }
  }

  private let bundles: [Bundle]
  private let own: [AppTransportSecurity.Decision]

  /// Creates a view of the decisions of `bundles`, next to the app's `own` decisions.
  public init(_ bundles: [Bundle], own: [AppTransportSecurity.Decision]) {
    self.bundles = bundles
    self.own = own
  }

  /// The decisions as text, with a line for each property list, verdict and key.
  public func document() -> Document {
    var document = Document()
    if bundles.isEmpty { return document }
    document.blocks.append(.space)
    document.paragraph("An extension, a watch app or an XPC service uses its own property list, not the app's:")
    for bundle in bundles {
      for line in lines(of: bundle) { document.bullet(line.glyph, line.text, indent: 0) }
    }
    return document
  }

  private func lines(of bundle: Bundle) -> [(glyph: RichText, text: RichText)] {
    var groups: [(decision: AppTransportSecurity.Decision, systems: [OSVersion])] = []
    for decision in bundle.decisions {
      let same = groups.firstIndex {
        $0.decision.load.url == decision.load.url && $0.decision.verdict == decision.verdict
          && $0.decision.decidedBy == decision.decidedBy
      }
      if let same {
        groups[same].systems.append(decision.load.os)
      } else {
        groups.append((decision, [decision.load.os]))
      }
    }
    return groups.map { group in
      let decision = group.decision
      let difference = differs(decision) ? ", unlike in the app" : ""
      let doubt = decision.confidence.note.map { " (not certain: \($0))" } ?? ""
      return (
        decision.verdict.glyph,
        RichText(bundle.path, .name)
          + RichText(
            ": \(decision.load.url) \(decision.verdict.rawValue) on \(DecisionGroup.names(group.systems)), "
              + "by \(decision.decidedBy)\(difference)\(doubt)")
      )
    }
  }

  private func differs(_ decision: AppTransportSecurity.Decision) -> Bool {
    own.contains {
      $0.load.url == decision.load.url && $0.load.os == decision.load.os && $0.verdict != decision.verdict
    }
  }

  /// The decisions as JSON, each with its property list in `list`.
  public func json() -> [JSONValue] {
    bundles.flatMap { bundle in
      bundle.decisions.map { decision in
        JSONValue.object(
          [.init("trustlab", 1)] + decision.members + [.init("list", .string(bundle.path))])
      }
    }
  }
}
