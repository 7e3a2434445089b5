extension Scenario {
  /// A claim that sources disagree on: what is asked, how each reads it, and which reading is played.
  public struct Dispute: Sendable, Hashable {
    /// The question itself; empty where the file has the dispute in one paragraph.
    public var question = ""
    /// What each source makes of it, beginning with its name.
    public var readings: [String] = []
    /// Which reading is played, and why; in one paragraph, where the file has it so, all there is to say.
    public var chosen = ""

    /// All of it in one paragraph.
    public var text: String {
      ([question] + readings + [chosen]).filter { !$0.isEmpty }.joined(separator: " ")
    }

    static let section = Section<Dispute>(
      "dispute", "A claim that sources disagree on.",
      [
        .term("question", .paragraph, "what is asked", into: \.question),
        .term("readings", .list(.paragraph), "what each source makes of it, beginning with its name", into: \.readings),
        .term("chosen", .paragraph, "the reading that is played, and why", into: \.chosen),
      ])
  }

  /// The words of a file that say something about the run, and change nothing in it.
  public static let wordsAboutIt = [
    "title", "lesson", "level", "sources", "disputed", "kills", "before", "after", "sibling", "expect",
  ]
}

extension Kind<String> {
  /// Running text, which may stand on several lines: one paragraph that fits on a screen with what stands around it.
  static var paragraph: Kind {
    Kind(.text) { reader in
      guard let text = reader.text() else { return nil }
      let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      if words.count > longestParagraph {
        reader.fail(
          "a paragraph has at most \(longestParagraph) characters, this one \(words.count)",
          hint: "it stands on one screen beside the question: say less")
      }
      return words
    }
  }

  /// Ten lines of a terminal.
  private static var longestParagraph: Int { 800 }
}

extension Kind<Scenario.Dispute> {
  /// The dispute in one paragraph, or by its parts.
  static var dispute: Kind {
    Kind(.either([.text, .section("dispute")])) { reader in
      guard reader.node.entries != nil else {
        return Kind<String>.paragraph.read(reader).map { Scenario.Dispute(chosen: $0) }
      }
      var dispute = Scenario.Dispute()
      guard reader.read(Scenario.Dispute.section, into: &dispute) != nil else { return nil }
      guard !dispute.question.isEmpty, dispute.readings.count > 1, !dispute.chosen.isEmpty else {
        reader.fail(
          "a dispute has a question, two readings and the one that is chosen",
          hint: "write disputed: { question: …, readings: [A: …, B: …], chosen: … }")
        return nil
      }
      return dispute
    }
  }
}
