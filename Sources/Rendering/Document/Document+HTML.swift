extension Document {
  /// The document as the content of an HTML element. Markup in its text is escaped.
  public func html() -> String { blocks.map(Self.html).joined(separator: "\n") }

  private static func html(_ block: Block) -> String {
    switch block {
    case .space: return ""
    case .heading(let text, let level):
      let level = max(1, min(6, level))
      return "<h\(level)>\(html(text))</h\(level)>"
    case .paragraph(let text, let indent): return element("p", indent, html(text))
    case .bullet(let glyph, let text, let indent):
      return element("div", indent, "<span>\(html(glyph))</span><span>\(html(text))</span>", kind: "item")
    case .facts(let facts, let indent):
      let rows = facts.map { "<dt>\(XMLText.escaped($0.key))</dt><dd>\(html($0.value))</dd>" }
      return element("dl", indent, rows.joined())
    case .table(let header, let rows, let indent):
      let head = header.isEmpty ? "" : row(header, "th")
      return element("table", indent, head + rows.map { row($0, "td") }.joined())
    case .preformatted(let lines, let indent):
      return element("pre", indent, lines.map(html).joined(separator: "\n"))
    case .tree(let branches, let indent):
      let lines = branches.map { html(RichText($0.lead, .dim) + $0.text) }
      return element("pre", indent, lines.joined(separator: "\n"))
    case .aligned(let lead, let text, let tail, _, let indent):
      let depth = text.plain.prefix { $0 == " " }.count
      let cells = "<span>\(html(lead))</span><span style=\"padding-left:\(depth)ch\">\(html(text))</span>"
      return element("div", indent, cells + "<span>\(html(tail))</span>", kind: "aligned")
    case .command(let command, let indent):
      return element("pre", indent, command.lines(width: 96).map(XMLText.escaped).joined(separator: "\n"))
    }
  }

  private static func element(_ name: String, _ indent: Int, _ content: String, kind: String? = nil) -> String {
    let kind = kind.map { " class=\"\($0)\"" } ?? ""
    return "<\(name)\(kind) style=\"margin-left:\(max(0, indent))ch\">\(content)</\(name)>"
  }

  private static func row(_ cells: [RichText], _ name: String) -> String {
    "<tr>" + cells.map { "<\(name)>\(html($0))</\(name)>" }.joined() + "</tr>"
  }

  private static func html(_ text: RichText) -> String {
    text.spans.map { span in
      let shown = XMLText.escaped(span.text)
      return switch span.style {
      case .plain: shown
      case .code: "<code>\(shown)</code>"
      default: "<span class=\"\(span.style.rawValue)\">\(shown)</span>"
      }
    }.joined()
  }
}

/// A self-contained HTML page.
enum HTMLPage {
  static func text(title: String, body: String) -> String {
    """
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>\(XMLText.escaped(title))</title>
    <style>
    :root{color-scheme:light dark;--dim:#656d76;--good:#116329;--bad:#b3131e;--warning:#7d4e00;--protected:#0b6e76;\
    --name:#0550ae;--note:#f6f8fa;--line:#d1d9e0}
    @media (prefers-color-scheme:dark){:root{--dim:#9198a1;--good:#56d364;--bad:#ff8078;--warning:#e3b341;\
    --protected:#5ad4dc;--name:#79c0ff;--note:#161b22;--line:#3d444d}body{background:#0d1117;color:#e6edf3}}
    body{max-width:62rem;margin:2rem auto;padding:0 1rem;font:15px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
    svg{max-width:100%;height:auto}
    pre,.aligned{font:13px/1.4 ui-monospace,monospace}pre{background:var(--note);padding:.7em;overflow-x:auto}
    .item{display:flex;gap:.6em}.item+.item{margin-top:.2em}p{margin:.4em 0}
    .aligned{display:grid;grid-template-columns:12ch 1fr auto;gap:.5em}
    dl{display:grid;grid-template-columns:max-content 1fr;gap:.1em 1em;margin:.4em 0}dt{color:var(--dim)}dd{margin:0}
    table{border-collapse:collapse}td,th{padding:.15em .8em;border-bottom:1px solid var(--line);text-align:left}
    .strong{font-weight:bold}.dim{color:var(--dim)}.good{color:var(--good)}.bad{color:var(--bad)}
    .warning{color:var(--warning)}.protected{color:var(--protected)}.name{color:var(--name)}
    code{font:.92em ui-monospace,monospace;background:var(--note);padding:.05em .25em;border-radius:3px}
    </style>
    </head>
    <body>
    \(body)
    </body>
    </html>
    """
  }
}
