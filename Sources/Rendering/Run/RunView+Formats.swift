extension RunView {
  /// The run as a Mermaid sequence diagram.
  ///
  /// - Parameter firstError: only the first reason of a refusal is shown.
  public func mermaid(firstError: Bool = false) -> String {
    MermaidDiagram(DiagramModel(simulation, firstError: firstError)).text
  }

  /// The run as one self-contained SVG picture of its sequence diagram, for light and dark.
  ///
  /// - Parameter firstError: only the first reason of a refusal is shown.
  public func svg(firstError: Bool = false) -> String {
    SVGDiagram(DiagramModel(simulation, firstError: firstError), title: title).text
  }

  /// The run in GitHub Flavored Markdown, its diagram in Mermaid.
  ///
  /// - Parameter firstError: only the first reason of a refusal is shown.
  public func markdown(_ depth: Depth, firstError: Bool = false) -> String {
    let diagram = "```mermaid\n\(mermaid(firstError: firstError))```\n"
    return [header.markdown(), diagram, account(depth, firstError: firstError).markdown()].joined(separator: "\n")
  }

  /// The run as a page of HTML that needs nothing but itself, its diagram in SVG.
  ///
  /// - Parameter firstError: only the first reason of a refusal is shown.
  public func html(_ depth: Depth, firstError: Bool = false) -> String {
    let parts = [header.html(), svg(firstError: firstError), account(depth, firstError: firstError).html()]
    return HTMLPage.text(title: title, body: parts.joined(separator: "\n"))
  }
}
