extension Scenario {
  /// A claim on which sources disagree: the question, each source's interpretation, and the chosen one.
  public struct Dispute: Sendable, Hashable {
    /// The disputed question; empty if the file describes the dispute in one paragraph.
    public var question = ""
    /// The interpretation of each source, after the source's name.
    public var readings: [String] = []
    /// The interpretation that the scenario follows, with the reason. If the file has one paragraph, it is the whole
    /// text.
    public var chosen = ""

    /// The dispute in one paragraph.
    public var text: String {
      ([question] + readings + [chosen]).filter { !$0.isEmpty }.joined(separator: " ")
    }

    static let section = Section<Dispute>(
      "dispute", "A claim on which sources disagree.",
      [
        .term("question", .paragraph, "the question", into: \.question),
        .term(
          "readings", .list(.paragraph), "the interpretation of each source, after the name of the source",
          into: \.readings),
        .term("chosen", .paragraph, "the interpretation that the scenario follows, and the reason", into: \.chosen),
      ])
  }

  /// The keys that describe a scenario and do not change its run.
  public static let wordsAboutIt = [
    "title", "lesson", "level", "sources", "disputed", "kills", "before", "after", "sibling", "expect",
  ]
}

extension Kind<String> {
  /// Running text on one or more lines, short enough for one screen.
  static var paragraph: Kind {
    Kind(.text) { reader in
      guard let text = reader.text() else { return nil }
      let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      if words.count > longestParagraph {
        reader.fail(
          "a paragraph may have at most \(longestParagraph) characters, but this one has \(words.count)",
          hint: "shorten the paragraph: it must fit on one screen with the question")
      }
      return words
    }
  }

  /// The maximum length of a paragraph: ten lines of a terminal.
  private static var longestParagraph: Int { 800 }
}

extension Kind<Scenario.Dispute> {
  /// The dispute as one paragraph, or as a map of its parts.
  static var dispute: Kind {
    Kind(.either([.text, .section("dispute")])) { reader in
      guard reader.node.entries != nil else {
        return Kind<String>.paragraph.read(reader).map { Scenario.Dispute(chosen: $0) }
      }
      var dispute = Scenario.Dispute()
      guard reader.read(Scenario.Dispute.section, into: &dispute) != nil else { return nil }
      guard !dispute.question.isEmpty, dispute.readings.count > 1, !dispute.chosen.isEmpty else {
        reader.fail(
          "a dispute needs a question, two readings and the chosen reading",
          hint: "write disputed: { question: …, readings: [A: …, B: …], chosen: … }")
        return nil
      }
      return dispute
    }
  }
}
