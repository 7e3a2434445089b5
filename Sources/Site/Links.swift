import Rendering

/// The pages of the site by the names that texts use for them. All paths are relative to the site's folder.
struct Links: Sendable {
  private var pages: [String: String] = [:]
  /// Whether a server with the engine sends the pages, so that they can pass inputs to it.
  var hasEngine = false
  /// The names that are linked in running text: they cannot be mistaken for ordinary words.
  private var inText: Set<String> = []

  /// The path of the page about `name`; nil if there is none.
  func path(of name: String) -> String? { pages[name] }

  /// Adds a page. The first page of a name wins.
  mutating func add(_ name: String, path: String, inText isInText: Bool) {
    guard pages[name] == nil else { return }
    pages[name] = path
    if isInText { inText.insert(name) }
  }

  fileprivate func isInText(_ name: String) -> Bool { inText.contains(name) }
}

/// Writes links of one page: paths relative to its folder.
struct Linker: Sendable {
  let links: Links
  /// The way from the page's folder to the site's folder: `../../`, or nothing.
  let root: String
  /// The page's folder with a slash at its end, or nothing.
  private let folder: String

  init(_ links: Links, path: String) {
    self.links = links
    folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    root = String(repeating: "../", count: path.utf8.count { $0 == UInt8(ascii: "/") })
  }

  /// A link to the page at `path`, whose characters are safe in an attribute.
  func link(_ path: String, _ text: HTML) -> HTML { "<a href=\"\(way(to: path))\">\(text)</a>" }

  private func way(to path: String) -> String {
    let isBeside = path.hasPrefix(folder) && !path.dropFirst(folder.count).contains("/")
    return isBeside ? String(path.dropFirst(folder.count)) : root + path
  }

  /// `name` in monospace, linked to its page if it has one.
  func name(_ name: String) -> HTML { linked(name, "<code>\(name)</code>") }

  /// `text`, linked to the page about `name` if there is one.
  func linked(_ name: String, _ text: HTML) -> HTML { links.path(of: name).map { link($0, text) } ?? text }

  /// Running text, in which names of rules, keys, suites and scenarios are links.
  func text(_ text: String) -> HTML { tokens(of: text, isLinked: links.isInText) }

  /// Running text in which `code` is between backticks. The first use of each of `terms` is a link.
  func words(_ words: String, terms: [String] = []) -> HTML {
    var unused = terms.filter { links.path(of: $0) != nil }
    return RichText(words: words).spans.html(separator: "") { span in
      span.style == .code ? name(span.text) : text(span.text, &unused)
    }
  }

  /// Running text with links at the first uses of `terms`, which are removed from the list.
  private func text(_ text: String, _ terms: inout [String]) -> HTML {
    var html: HTML = ""
    var open = Substring(text)
    while let (term, place) = Self.firstUse(of: terms, in: open) {
      html += self.text(String(open[..<place.lowerBound])) + linked(term, HTML(escaping: String(open[place])))
      terms.removeAll { $0 == term }
      open = open[place.upperBound...]
    }
    return html + self.text(String(open))
  }

  /// The first place with one of `terms` as a whole word. If several terms begin there, the longest one.
  private static func firstUse(of terms: [String], in text: Substring) -> (term: String, place: Range<String.Index>)? {
    terms.compactMap { term in place(of: term, in: text).map { (term, $0) } }
      .min { ($0.1.lowerBound, $1.1.upperBound) < ($1.1.lowerBound, $0.1.upperBound) }
  }

  private static func place(of term: String, in text: Substring) -> Range<String.Index>? {
    [term, term.prefix(1).uppercased() + term.dropFirst()].flatMap { text.ranges(of: $0) }.sorted {
      $0.lowerBound < $1.lowerBound
    }
    .first { place in
      let after = text[place.upperBound...].prefix(2)
      return text[..<place.lowerBound].last.map(isOfName) != true
        && (after.first.map(isOfName) != true || after.first == "." && after.dropFirst().first.map(isOfName) != true)
    }
  }

  /// A word of a scenario file: linked as a whole, or else as running text.
  func word(_ word: String) -> HTML { tokens(of: word) { $0 == word || links.isInText($0) } }

  /// A key of a scenario file, in which each part of a path is a link.
  func key(_ key: String) -> HTML { tokens(of: key) { links.path(of: $0) != nil } }

  private func tokens(of text: String, isLinked: (String) -> Bool) -> HTML {
    var html: HTML = ""
    var open = Substring(text)
    while !open.isEmpty {
      let gap = open.prefix { !Self.isOfName($0) }
      let token = open[gap.endIndex...].prefix(while: Self.isOfName)
      let name = String(token.last == "." || token.last == "-" ? token.dropLast() : token)
      html += HTML(escaping: String(gap))
      html += isLinked(name) ? linked(name, HTML(escaping: name)) : parts(of: name, isLinked)
      html += HTML(escaping: String(token.dropFirst(name.count)))
      open = open[token.endIndex...]
    }
    return html
  }

  /// A name with dots, such as the path of a key, in which each part may be a link.
  private func parts(of name: String, _ isLinked: (String) -> Bool) -> HTML {
    name.split(separator: ".", omittingEmptySubsequences: false).map(String.init).html(separator: ".") {
      isLinked($0) ? linked($0, HTML(escaping: $0)) : HTML(escaping: $0)
    }
  }

  private static func isOfName(_ character: Character) -> Bool {
    character.isASCII
      && (character.isLetter || character.isNumber || character == "-" || character == "." || character == "_")
  }
}

/// Names of files made from names of scenarios, cases and words. No two are equal, even if case is ignored.
struct FileNames {
  private var taken: Set<String> = []

  /// A file name of ASCII letters, digits, dots, hyphens and underscores.
  mutating func take(_ name: String) -> String {
    let safe = name.unicodeScalars.map { scalar in
      scalar.isASCII
        && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || "._-".contains(Character(scalar)))
        ? Character(scalar) : "-"
    }
    let words = String(safe).split(separator: "-").joined(separator: "-").prefix(60)
    let isNegative = name.hasPrefix("-") && words.first?.isNumber == true
    let plain = (isNegative ? "-" : "") + words.drop { $0 == "." }
    var candidate = plain.isEmpty ? "page" : plain
    var number = 2
    while !taken.insert(candidate.lowercased()).inserted {
      candidate = "\(plain.isEmpty ? "page" : plain)-\(number)"
      number += 1
    }
    return candidate
  }
}
