import Cryptography
import Explanation
import Scenarios
import Simulator

/// A question about a run. The engine determines the right answer.
public struct Question: Sendable {
  /// The kind of a question.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// Will this system load it?
    case verdict
    /// Which rule refuses it?
    case reason
    /// What can an attacker do in the end?
    case risk
    /// Who can compute a value?
    case whoKnows = "who-knows"
    /// In which order do these happen?
    case order
    /// Calculate a number.
    case compute
    /// Change one line so that the result differs.
    case flip
    /// Find the smallest exception in the app's property list.
    case minimal
    /// Predict the decision of each system.
    case versions
    /// Find the wrong step of a delegate.
    case bug
    /// Find the one of six networks that has an attacker.
    case detective

    /// Whether the question is about a changed scenario, so that it makes sense after the run.
    public var isAboutOtherWorlds: Bool { [.flip, .minimal, .versions].contains(self) }
  }

  /// One of several answers to choose from, or one of several items to put in order.
  public struct Option: Sendable, Hashable {
    /// The choice: a rule's id, or a few words.
    public let text: String
    /// An explanation of the choice; may be empty.
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
  /// The question itself.
  public let text: String
  /// Facts for the answer that the scenario does not show, such as the numbers of a calculation.
  public let given: [String]
  /// The items to choose from or to put in order, with letters from a; empty for free answers.
  public let options: [Option]
  /// The instruction for the answer.
  public let format: String
  /// Hints, from general to specific: a place to look at, values to compare, then a rule or the remaining options.
  ///
  /// No hint contains the answer.
  public let hints: [String]
  /// The right answer.
  public let solution: Solution
  /// The reason that the answer is right.
  public let reason: Reason

  /// The right answer.
  public enum Solution: Sendable, Hashable {
    /// The option at this index.
    case option(Int)
    /// The indices of the options, in the order in which they happen.
    case order([Int])
    /// A number.
    case number(Natural)
    /// The decision of each system of `VersionsQuestion.systems`.
    case row([Verdict.Word])
    /// This change, which is one of the options, or any other that reaches the aim.
    case change(Assignment, Aim)
    /// This dictionary, or any other of the same size with which the load passes.
    case exception(Exception)
  }

  /// The reason that an answer is right.
  public enum Reason: Sendable {
    /// The finding about the rule that matters.
    case finding(Finding)
    /// The state of one of the three goals in this outcome.
    case goal(Goal, Outcome)
    /// The way in which a party obtains a value in a finished run.
    case proof(Value.ID, Party, Simulation)
    /// A sentence.
    case sentence(String)
  }
}

extension Question {
  /// Returns the letter of the option at `place`: a, b, c, ….
  public static func letter(_ place: Int) -> String {
    letters.indices.contains(place) ? letters[place] : "?"
  }

  /// Returns the index of the option with this letter; nil if there is none.
  func place(of letter: Character) -> Int? {
    Self.letters.firstIndex(of: letter.lowercased()).flatMap { options.indices.contains($0) ? $0 : nil }
  }

  /// The name of the answer in statistics: an option's words, a change, a row.
  ///
  /// Nil for a number or an order, which a student cannot guess.
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
