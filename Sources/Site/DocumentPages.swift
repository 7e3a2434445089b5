import Rendering

/// The documents as pages.
struct DocumentPages {
  let site: SitePlan

  /// A section of a document, as the search lists it.
  struct Section {
    let title: String
    let path: String
    let summary: String
  }

  private var documents: [(name: String, text: String)] {
    site.content.documents.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  var plans: [PagePlan] {
    documents.map { name, text in
      let path = Self.path(of: name)
      return PagePlan(path) {
        let markdown = Markdown(text) { target in
          resolve(target, from: name)
        } name: {
          Linker(site.links, path: path).name($0)
        }
        return Page(path: path, title: markdown.title, body: markdown.html)
      }
    }
  }

  /// The pages whose content the search has from the program's tables, and those for contributors.
  private static let unsearched: Set = ["docs/rules.md", "docs/words.md", "CHANGELOG.md", "CONTRIBUTING.md"]

  var sections: [Section] {
    documents.filter { !Self.unsearched.contains($0.name) }.flatMap { name, text in
      Markdown.headings(of: text).map { heading in
        Section(title: heading.title, path: "\(Self.path(of: name))#\(heading.anchor)", summary: heading.document)
      }
    }
  }

  /// `docs/ci.md` becomes `docs/ci.html`, `docs/README.md` the folder's index, and `README.md` `readme.html`.
  static func path(of name: String) -> String {
    if name == "docs/README.md" { return "docs/index.html" }
    let bare = String(name.dropLast(3))
    return (bare.contains("/") ? bare : bare.lowercased()) + ".html"
  }

  /// The target of a link as this page's browser resolves it; nil if it is not on the site.
  private func resolve(_ target: String, from name: String) -> String? {
    if target.hasPrefix("https://") || target.hasPrefix("#") { return target }
    let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    var folder = name.split(separator: "/").dropLast().map(String.init)
    for part in parts[0].split(separator: "/") where part != "." {
      if part == ".." { if folder.popLast() == nil { return nil } } else { folder.append(String(part)) }
    }
    let place = folder.joined(separator: "/")
    guard let path = page(at: place) else { return nil }
    return Linker(site.links, path: Self.path(of: name)).root + path + (parts.count > 1 ? "#\(parts[1])" : "")
  }

  private func page(at place: String) -> String? {
    if site.content.documents[place] != nil { return Self.path(of: place) }
    if site.content.assets.contains(where: { $0.path == place }) { return place }
    if place == "docs" { return "docs/index.html" }
    let file = place.split(separator: "/").last ?? ""
    return place.hasSuffix(".yaml") ? site.reference(named: String(file.dropLast(5)))?.path : nil
  }
}
