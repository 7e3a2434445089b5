/// An element of XML 1.0. Its attributes keep their order, so that the text is always the same.
struct XMLElement: Sendable, Hashable {
  let name: String
  let attributes: [Attribute]
  /// The child elements. An element has either children or `text`.
  let children: [XMLElement]
  let text: String

  /// An attribute of an element.
  struct Attribute: Sendable, Hashable {
    let name: String
    let value: String

    init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  init(_ name: String, _ attributes: [Attribute], children: [XMLElement] = [], text: String = "") {
    self.name = name
    self.attributes = attributes
    self.children = children
    self.text = text
  }

  /// The XML document with this root element, in UTF-8, without a final line break.
  var document: String { "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + lines(indent: "").joined(separator: "\n") }

  private func lines(indent: String) -> [String] {
    let head =
      indent + "<\(name)" + attributes.map { " \($0.name)=\"\(Self.escaped($0.value, inAttribute: true))\"" }.joined()
    if !children.isEmpty {
      return [head + ">"] + children.flatMap { $0.lines(indent: indent + "  ") } + ["\(indent)</\(name)>"]
    }
    return [text.isEmpty ? head + "/>" : head + ">\(Self.escaped(text, inAttribute: false))</\(name)>"]
  }

  /// Returns text for XML. Most control characters are escaped, as in `\u{1b}`, because XML 1.0 section 2.2 excludes
  /// them.
  private static func escaped(_ text: String, inAttribute: Bool) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"" where inAttribute: escaped += "&quot;"
      case "\n" where !inAttribute: escaped += "\n"
      case "\t", "\n", "\r": escaped += "&#\(scalar.value);"
      case "\u{0}"..."\u{1f}", "\u{7f}"..."\u{9f}", "\u{fffe}", "\u{ffff}":
        escaped += "\\u{\(String(scalar.value, radix: 16))}"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}

/// Text for XML and HTML in which markup is escaped.
package enum XMLText {
  /// Returns the text with references in place of markup characters, and with control characters escaped.
  package static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in TextStyle().folded(RichText(text)).plain.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      // XML 1.0 section 2.2 excludes these characters.
      case "\u{fffe}", "\u{ffff}": escaped += "\u{fffd}"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
