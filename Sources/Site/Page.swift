/// A file of the site.
public struct SiteFile: Sendable, Hashable {
  /// Its path relative to the site's folder.
  public let path: String
  /// Its content.
  public let bytes: [UInt8]

  /// A file with this content.
  public init(path: String, bytes: [UInt8]) { (self.path, self.bytes) = (path, bytes) }
}

/// A page by its location, which is made when it is needed.
struct PagePlan {
  let path: String
  let make: () -> Page

  init(_ path: String, _ make: @escaping () -> Page) { (self.path, self.make) = (path, make) }
}

/// The parts of a page that differ between pages.
struct Page {
  let path: String
  let title: String
  let body: HTML
  /// Scripts, relative to the site's folder.
  var scripts: [String] = []
  /// A remark above the content; may be empty.
  var notice = ""

  private static let engineSections: [(path: String, name: String)] = WorkbenchPage.allCases.map { ($0.path, $0.name) }
  private static let sections: [(path: String, name: String)] = [
    ("index.html", "TrustLab"), ("curriculum.html", "Curriculum"), ("rules/index.html", "Rules"),
    ("words.html", "Words"), (TablesPage.path, "Tables"), ("compare.html", "Compare"), ("docs/index.html", "Documents"),
    ("search.html", "Search"),
  ]

  /// Nothing is loaded from elsewhere, and markup cannot contain script. Not every browser counts files as 'self'.
  private static func policy(_ links: Links) -> String {
    "default-src 'none'; "
      + ["script", "style", "img", "frame"].map { "\($0)-src 'self' file:; " }.joined()
      + (links.hasEngine ? "connect-src 'self'; " : "") + "base-uri 'none'; form-action 'none'"
  }

  /// The page as a file.
  func file(_ links: Links) -> SiteFile {
    SiteFile(path: path, bytes: Array(html(Linker(links, path: path)).text.utf8))
  }

  private func html(_ linker: Linker) -> HTML {
    """
    <!doctype html>
    <html lang="en" data-root="\(linker.root)">
    <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="\(Self.policy(linker.links))">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>\(title)\(title == "TrustLab" ? "" : " · TrustLab")</title>
    <link rel="icon" href="\(linker.root)icon.svg">
    <link rel="stylesheet" href="\(linker.root)site.css">
    \(scripts.html { "<script src=\"\(linker.root + $0)\" defer></script>" })
    </head>
    <body>
    <a class="skip" href="#main">Skip to the content</a>
    <header><nav aria-label="Site"><ul>
    \((Self.sections + (linker.links.hasEngine ? Self.engineSections : [])).html {
      "<li\(current($0.path))>\(linker.link($0.path, HTML(escaping: $0.name)))</li>"
    })
    </ul></nav></header>
    <main id="main">
    \(notice.isEmpty ? "" : "<p class=\"notice\" role=\"status\">\(notice)</p>")\(body)
    </main>
    <footer>TrustLab 1. Everything on this page was computed; nothing is loaded from elsewhere.</footer>
    </body>
    </html>

    """
  }

  private func current(_ section: String) -> HTML {
    let folder = section.hasSuffix("/index.html") ? section.dropLast(10) : Substring(section)
    return path == section || path.hasPrefix(folder) ? " class=\"here\"" : ""
  }
}
