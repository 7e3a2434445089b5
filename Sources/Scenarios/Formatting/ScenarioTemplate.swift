/// The text of a new scenario file, with comments about the parts to change.
public enum ScenarioTemplate {
  /// Returns a new scenario with all cases and comments of the scenario in these bytes.
  ///
  /// Removes the keys that belong to the original's lesson.
  ///
  /// - Throws: `Diagnostics` if the original has parts that cannot be rewritten.
  public static func text(
    from file: ScenarioFile, bytes: [UInt8], question: String? = nil
  ) throws(Diagnostics) -> String {
    var tree = try ScenarioFormat.tree(of: bytes, path: file.path)
    let old = tree.root.children.first?.leading.filter(\.isComment) ?? []
    for key in ["lesson", "level", "kills", "before", "after", "disputed"] { tree.root[key] = nil }
    for key in ["title", "cases", "expect"] { tree.root[key]?.leading.removeAll { $0.isComment } }
    let top = heading(question.map { "\(oneLine($0)): made from \(file.id)." } ?? "Made from \(file.id).")
    tree.root.replaceTitle(with: question.map(oneLine), leading: top + old)
    for (key, comment) in remarks {
      guard var item = tree.root[key] else { continue }
      item.leading = [.blank, .comment("# \(comment)")]
      tree.root[key] = item
    }
    return CanonicalText.text(of: tree)
  }

  /// A minimal example: an accepted connection, and a row that is refused.
  public static let first = """
    # ACCEPTED; the row below is REFUSED. Omitted keys come from baseline.yaml ('trustlab describe FILE --full').
    # 'trustlab check FILE' reports mistakes, 'trustlab test FILE' compares the result with 'expect', and
    # 'trustlab run FILE' explains the result. 'trustlab list words' prints every word.
    title: My first scenario
    clock: 2016-11-01T00:00:00Z

    # The CAs and certificates with their issuers. In a file, they replace those of the baseline.
    authorities:
      Root A: { trust: system }
      Issuing: { issuer: Root A, pathLength: 0 }
    certificates:
      api: { issuer: Issuing, names: [api.example], days: 365 }

    server: { presents: [api, Issuing] }

    client: { os: iOS 10 }

    # \(remark(on: "expect"))
    expect: { verdict: accepted, path: [api, Issuing, Root A] }

    # \(remark(on: "cases"))
    cases:
      - name: the certificate has run out
        with: { clock: 2018-01-01T00:00:00Z }
        expect: { verdict: refused, layer: chain, because: [chain.expired] }

    """

  private static let remarks = [
    (
      "expect",
      "The expected results. Omitted results are not checked. 'trustlab test FILE --bless' writes observed results."
    ),
    ("cases", "Changes to the file. Each row is a separate case and should change one thing."),
  ]

  private static func remark(on key: String) -> String { remarks.first { $0.0 == key }?.1 ?? "" }

  private static func heading(_ text: String) -> [SourceTree.Line] {
    [
      .comment("# \(text)"),
      .comment(
        "# 'trustlab check FILE' reports mistakes, 'trustlab test FILE' compares the result with 'expect'."),
    ]
  }

  /// Returns a text on one line, without characters that would end a comment or a title.
  private static func oneLine(_ text: String) -> String {
    text.unicodeScalars.split { $0.properties.generalCategory == .control || $0.properties.isWhitespace }
      .map { String(String.UnicodeScalarView($0)) }.joined(separator: " ")
  }
}

extension SourceTree.Item {
  /// Adds a title at the beginning of the file, with these lines above it.
  fileprivate mutating func replaceTitle(with text: String?, leading: [SourceTree.Line]) {
    guard case .map(var entries, let isFlow) = content else { return }
    var title = entries.first { $0.name == "title" } ?? SourceTree.Item(.usual("A new scenario"))
    if let text { title.content = SourceTree.Item(.usual(text)).content }
    (title.key, title.name) = ("title", "title")
    entries.removeAll { $0.name == "title" }
    if !entries.isEmpty { entries[0].leading = [] }
    title.leading = leading
    content = .map([title] + entries, isFlow: isFlow)
  }
}
