/// A message's name and public values, on either side of the middle lane, whose mark stays visible.
struct MessageLabel {
  /// The words left of the middle, between spaces; empty if there are none.
  let left: String
  /// The words right of the middle.
  let right: String

  /// As many words as fit into the room, the sender's side first.
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

  /// The candidates for the label, the longest first. The content of an HTTP message is more useful than its name.
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
