import Cryptography
import Explanation
import Scenarios
import Simulator

/// A question about a run. The engine determines the right answer.
public struct Question: Sendable {
  /// The kind of a question.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// Asks whether a system will load the URL.
    case verdict
    /// Asks which rule refuses the connection.
    case reason
    /// Asks for the goals that an attacker can reach by the end of the run.
    case risk
    /// Asks who can compute a value.
    case whoKnows = "who-knows"
    /// Asks for the order of events.
    case order
    /// Asks for the result of a calculation.
    case compute
    /// Asks for a change of one line that changes the result.
    case flip
    /// Asks for the smallest exception in the app's property list.
    case minimal
    /// Asks for the decision of each system.
    case versions
    /// Asks for the wrong step of a delegate.
    case bug
    /// Asks which of six networks has an attacker.
    case detective

    /// Whether the question is about a changed scenario, so that it can also be asked after the run.
    public var isAboutOtherWorlds: Bool { [.flip, .minimal, .versions].contains(self) }
  }

  /// An answer to choose from, or an item to put in order.
  public struct Option: Sendable, Hashable {
    /// The text of the option: a rule's id, or a few words.
    public let text: String
    /// An explanation of the option; may be empty.
    public let detail: String

    init(_ text: String, _ detail: String = "") {
      self.text = text
      self.detail = detail
    }
  }

  /// The kind of the question.
  public let kind: Kind
  /// The case that the question is about: `L1-15/iOS 8 has no ATS`.
  public let scenario: String
  /// The text of the question.
  public let text: String
  /// The facts that the answer needs and the scenario does not show, such as the numbers of a calculation.
  public let given: [String]
  /// The items to choose from or to put in order, with letters from a; empty for free answers.
  public let options: [Option]
  /// The instruction for the format of an answer.
  public let format: String
  /// The hints, from general to specific. They name a place to look at, values to compare, then a rule or the remaining
  /// options.
  ///
  /// No hint contains the answer.
  public let hints: [String]
  /// The right answer.
  public let solution: Solution
  /// The reason why the answer is right.
  public let reason: Reason

  /// The right answer to a question.
  public enum Solution: Sendable, Hashable {
    /// The option at this index.
    case option(Int)
    /// The indices of the options, in the order in which the events happen.
    case order([Int])
    /// This number, which the student must calculate.
    case number(Natural)
    /// The decision of each system of `VersionsQuestion.systems`.
    case row([Verdict.Word])
    /// This change, which is one of the options, or any other change that reaches the aim.
    case change(Assignment, Aim)
    /// This dictionary, or any other dictionary of the same size with which the load succeeds.
    case exception(Exception)
  }

  /// The reason why an answer is right.
  public enum Reason: Sendable {
    /// The finding about the relevant rule.
    case finding(Finding)
    /// The state of one of the three goals in this outcome.
    case goal(Goal, Outcome)
    /// The way in which a party obtains a value in a finished run.
    case proof(Value.ID, Party, Simulation)
    /// A sentence that explains the answer.
    case sentence(String)
  }
}

extension Question {
  /// Returns the letter of the option at `place`, beginning with a.
  public static func letter(_ place: Int) -> String {
    letters.indices.contains(place) ? letters[place] : "?"
  }

  /// Returns the index of the option with this letter; nil if there is none.
  func place(of letter: Character) -> Int? {
    Self.letters.firstIndex(of: letter.lowercased()).flatMap { options.indices.contains($0) ? $0 : nil }
  }

  /// The name of the answer in statistics: the text of an option, a change, or a row.
  ///
  /// The name is nil for a number or an order, which a student cannot guess.
  public var countedAnswer: String? {
    switch solution {
    case .option(let place): options.indices.contains(place) ? options[place].text : nil
    case .order, .number: nil
    case .row, .change, .exception: answer
    }
  }

  private static let letters = "abcdefghijklmnopqrstuvwxyz".map(String.init)

  /// The right answer as a student would type it.
  public var answer: String {
    switch solution {
    case .option(let place): Self.letter(place)
    case .order(let places): places.map(Self.letter).joined()
    case .number(let number): number.description
    case .row(let words): words.map(VersionsQuestion.letter).joined()
    case .change(let change, _): change.description
    case .exception(let exception): exception.description
    }
  }
}
