/// The name and public values of a message, on both sides of the middle lane. The mark of that lane stays visible.
struct MessageLabel {
  /// The text left of the middle lane, between spaces; empty for none.
  let left: String
  /// The text right of the middle lane; empty for none.
  let right: String

  /// Creates a label with as many words as fit, beginning on the sender's side.
  init(_ message: Diagram.Message, roomOnLeft: Int, roomOnRight: Int, isFromLeft: Bool) {
    for words in Self.choices(message) {
      let counts = Array(0...words.count)
      for count in isFromLeft ? counts.reversed() : counts {
        let (left, right) = (Self.part(words.prefix(count)), Self.part(words.dropFirst(count)))
        guard DisplayWidth.of(left) <= roomOnLeft, DisplayWidth.of(right) <= roomOnRight else { continue }
        (self.left, self.right) = (left, right)
        return
      }
    }
    let shown = TextDiagram.Canvas.truncated(Self.part([message.title]), to: isFromLeft ? roomOnLeft : roomOnRight)
    (left, right) = isFromLeft ? (shown, "") : ("", shown)
  }

  /// Returns the candidates for the label, longest first. The content of an HTTP message is preferred to its name.
  private static func choices(_ message: Diagram.Message) -> [[String]] {
    let values = message.shown
    let labels = (0...values.count).reversed().map { count in
      ([message.title] + values.prefix(count) + (count < values.count ? ["…"] : [])).flatMap(words)
    }
    guard let said = message.words.map(words) else { return labels }
    let shortened = (1..<max(1, said.count)).reversed().map { Array(said.prefix($0)) + ["…"] }
    return Array(labels.prefix(1)) + [said] + shortened + labels.dropFirst()
  }

  private static func words(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }

  private static func part(_ words: some Collection<String>) -> String {
    words.isEmpty ? "" : " \(words.joined(separator: " ")) "
  }
}
