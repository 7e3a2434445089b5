/// Text for XML and HTML: nothing in it can become markup.
enum XMLText {
  /// The text with markup characters as references and control characters written out.
  static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in TextStyle().folded(RichText(text)).plain.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      // No characters at all, by section 2.2 of XML 1.0.
      case "\u{fffe}", "\u{ffff}": escaped += "\u{fffd}"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
