import Cryptography
import Explanation
import Scenarios
import Simulator

/// A question about a run, made from the run: what is right is what the engine says.
public struct Question: Sendable {
  /// What is asked for.
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
    /// A number of a calculation.
    case compute
    /// One line that changes what comes out.
    case flip
    /// The smallest exception in the app's property list.
    case minimal
    /// What each system decides.
    case versions
    /// The step of a delegate that is wrong.
    case bug
    /// The one of six networks in which somebody stands between.
    case detective

    /// Whether it is about other worlds than the one that is played, so that it can be asked when the run is over.
    public var isAboutOtherWorlds: Bool { [.flip, .minimal, .versions].contains(self) }
  }

  /// One of several answers to choose from, or one of several things to put in order.
  public struct Option: Sendable, Hashable {
    /// What is chosen: a rule's id, or a few words.
    public let text: String
    /// What it means; may be empty.
    public let detail: String

    init(_ text: String, _ detail: String = "") {
      self.text = text
      self.detail = detail
    }
  }

  /// What is asked for.
  public let kind: Kind
  /// The case that it is about: `L1-15/iOS 8 has no ATS`.
  public let scenario: String
  /// The question itself.
  public let text: String
  /// What it takes to answer beyond what the scenario shows: numbers of a calculation.
  public let given: [String]
  /// What there is to choose from or to put in order; its letters are a, b, c, …. Empty where the answer is free.
  public let options: [Option]
  /// How to answer.
  public let format: String
  /// What helps, from far to near: where to look, what to compare, which rule or which options are left. None says the
  /// answer.
  public let hints: [String]
  /// What is right.
  public let solution: Solution
  /// Why it is right.
  public let reason: Reason

  /// What is right.
  public enum Solution: Sendable, Hashable {
    /// The option at this place.
    case option(Int)
    /// The places of the options, in the order in which they happen.
    case order([Int])
    /// A number.
    case number(Natural)
    /// What each system of `VersionsQuestion.systems` decides.
    case row([Verdict.Word])
    /// This change, which is one of the options, or any other that reaches the aim.
    case change(Assignment, Aim)
    /// This dictionary, or any other as small that lets the load through.
    case exception(Exception)
  }

  /// Why an answer is right.
  public enum Reason: Sendable {
    /// What was found about the rule that matters.
    case finding(Finding)
    /// The state of one of the three goals, in this outcome.
    case goal(Goal, Outcome)
    /// How a party comes by a value, in a finished run.
    case proof(Value.ID, Party, Simulation)
    /// A sentence.
    case sentence(String)
  }
}

extension Question {
  /// The letter of the option at `place`: a, b, c, ….
  public static func letter(_ place: Int) -> String {
    letters.indices.contains(place) ? letters[place] : "?"
  }

  /// The place of the option with this letter; nil when it has none.
  func place(of letter: Character) -> Int? {
    Self.letters.firstIndex(of: letter.lowercased()).flatMap { options.indices.contains($0) ? $0 : nil }
  }

  /// What the answer is called when answers are counted: an option's words, a change, a row; nil where it is a number or
  /// an order, which nobody guesses.
  public var countedAnswer: String? {
    switch solution {
    case .option(let place): options.indices.contains(place) ? options[place].text : nil
    case .order, .number: nil
    case .row, .change, .exception: answer
    }
  }

  private static let letters = "abcdefghijklmnopqrstuvwxyz".map(String.init)

  /// The right answer as it would be typed.
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
